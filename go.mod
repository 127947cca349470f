module github.com/lowalloc/lowalloc

go 1.26.0
