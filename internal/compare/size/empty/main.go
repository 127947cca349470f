// A program that does nothing.
package main

func main() {}
