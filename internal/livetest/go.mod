module github.com/lowalloc/lowalloc/internal/livetest

go 1.26.0

require github.com/lowalloc/lowalloc v0.0.0

require (
	github.com/goccy/go-json v0.12.0 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
)

replace github.com/lowalloc/lowalloc => ../..
