package readme_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Who imports one package compiles that package's dependencies alone: the
// README's table says which.
func TestDependencies(t *testing.T) {
	const module = "github.com/lowalloc/lowalloc"
	tests := []struct {
		pkg     string
		modules []string
		http    bool
	}{
		{"pool", []string{"github.com/valyala/bytebufferpool"}, false},
		{"gzippool", []string{"github.com/klauspost/compress"}, false},
		{"gzippool/gziphttp", []string{"github.com/klauspost/compress", "github.com/valyala/bytebufferpool"}, true},
		{"timerx", nil, false},
		{"statsdecode", []string{"github.com/goccy/go-json", "github.com/valyala/bytebufferpool"}, false},
	}
	for _, test := range tests {
		t.Run(test.pkg, func(t *testing.T) {
			out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{else}}{{.ImportPath}}{{end}}", module+"/"+test.pkg).Output()
			if err != nil {
				t.Fatal(err)
			}
			deps := slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
			if got := slices.Contains(deps, "net/http"); got != test.http {
				t.Errorf("imports net/http: %t, want %t", got, test.http)
			}
			modules := slices.DeleteFunc(deps, func(path string) bool {
				host, _, _ := strings.Cut(path, "/")
				return path == module || !strings.Contains(host, ".") // ours, or the standard library's
			})
			if !slices.Equal(modules, test.modules) {
				t.Errorf("needs %q, want %q", modules, test.modules)
			}
		})
	}
}
