module github.com/lowalloc/lowalloc/internal/compare

go 1.26.0

require (
	github.com/bytedance/gopkg v0.1.4
	github.com/libp2p/go-buffer-pool v0.1.0
	github.com/lowalloc/lowalloc v0.0.0
	github.com/valyala/bytebufferpool v1.0.0
	google.golang.org/grpc v1.85.0
)

require golang.org/x/sys v0.48.0 // indirect

replace github.com/lowalloc/lowalloc => ../..
