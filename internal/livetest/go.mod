module github.com/lowalloc/lowalloc/internal/livetest

go 1.26.0
