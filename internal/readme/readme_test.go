// Package readme_test holds the README to what it says of the code.
package readme_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The snippet is code that compiles and whose output is tested.
func TestSnippetIsATestedExample(t *testing.T) {
	_, snippet, _ := strings.Cut(read(t, "README.md"), "```go\n")
	snippet, _, ok := strings.Cut(snippet, "```")
	if !ok {
		t.Fatal("README.md has no Go snippet")
	}
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if example := read(t, "statsdecode/readme_test.go"); !strings.Contains(flat(example), flat(snippet)) {
		t.Errorf("README's snippet is not in statsdecode/readme_test.go:\n%s", snippet)
	}
}

// The tests that it names are there.
func TestNamedTestsExist(t *testing.T) {
	for _, name := range regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(read(t, "README.md"), -1) {
		found := false
		for _, pkg := range []string{"pool", "gzippool", "timerx", "statsdecode"} {
			files, err := os.ReadDir("../../" + pkg)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				found = found || strings.HasSuffix(f.Name(), "_test.go") && strings.Contains(read(t, pkg+"/"+f.Name()), "func "+name[1]+"(")
			}
		}
		if !found {
			t.Errorf("README names %s, which is nowhere", name[1])
		}
	}
}
