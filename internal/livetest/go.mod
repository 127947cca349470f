module github.com/lowalloc/lowalloc/internal/livetest

go 1.26.0

require (
	github.com/elastic/go-elasticsearch/v7 v7.17.10
	github.com/lowalloc/lowalloc v0.0.0
	github.com/opensearch-project/opensearch-go/v4 v4.8.1
)

require (
	github.com/goccy/go-json v0.12.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
)

replace github.com/lowalloc/lowalloc => ../..
