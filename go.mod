module github.com/lowalloc/lowalloc

go 1.26.0

require (
	github.com/goccy/go-json v0.12.0
	github.com/klauspost/compress v1.20.4
	github.com/valyala/bytebufferpool v1.0.0
)
