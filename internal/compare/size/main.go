// The command size prints what each package of this library adds to a program:
// modules, and bytes of a stripped binary. Run it in the folder of this module:
//
//	go run ./size
//
// The programs that it builds lie beside it, one for each package, and two
// without: an empty one, and one that has net/http and encoding/json already.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "size")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	fmt.Printf("%s, %s/%s, `go run ./size` in internal/compare, built with -ldflags='-s -w':\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Println("| program | MB | more than | by MB | modules besides this one |")
	fmt.Println("|---|--:|---|--:|---|")
	sizes := make(map[string]int64)
	for _, p := range []struct{ name, than string }{
		{"empty", ""}, {"timerx", "empty"}, {"pool", "empty"}, {"gzippool", "empty"}, {"statsdecode", "empty"},
		{"nethttp", ""}, {"gziphttp", "nethttp"},
	} {
		if sizes[p.name], err = build(p.name, filepath.Join(dir, p.name)); err != nil {
			return err
		}
		modules, err := modules(p.name)
		if err != nil {
			return err
		}
		by := ""
		if p.than != "" {
			by = fmt.Sprintf("%.2f", mb(sizes[p.name]-sizes[p.than]))
		}
		fmt.Printf("| %s | %.2f | %s | %s | %s |\n", p.name, mb(sizes[p.name]), p.than, by, strings.Join(modules, ", "))
	}
	return nil
}

func mb(n int64) float64 { return float64(n) / 1e6 }

func build(program, to string) (int64, error) {
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, "./size/"+program).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build %s: %w\n%s", program, err, out)
	}
	info, err := os.Stat(to)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// modules returns those that a program needs besides the standard library and
// this one.
func modules(program string) ([]string, error) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./size/"+program).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", program, err)
	}
	names := slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
	return slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "github.com/lowalloc/")
	}), nil
}
