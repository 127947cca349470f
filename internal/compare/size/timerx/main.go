// A program that imports timerx alone.
package main

import (
	"time"

	"github.com/lowalloc/lowalloc/timerx"
)

func main() {
	var timer timerx.Timer
	timer.Arm(time.Second)
	<-timer.C()
}
