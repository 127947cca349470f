package statsdecode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

func TestIndexClone(t *testing.T) {
	checkClone(t, (*statsdecode.Index).Clone)
}

func TestNodeClone(t *testing.T) {
	checkClone(t, (*statsdecode.Node).Clone)
}

func checkClone[T any](t *testing.T, clone func(*T) *T) {
	t.Run("zero", func(t *testing.T) {
		var original T
		if c := clone(&original); !reflect.DeepEqual(*c, original) {
			t.Errorf("Clone of the zero value = %+v", *c)
		}
	})
	t.Run("full", func(t *testing.T) {
		var original, same T
		fill(t, reflect.ValueOf(&original).Elem(), 2)
		fill(t, reflect.ValueOf(&same).Elem(), 2)
		c := clone(&original)
		if !reflect.DeepEqual(*c, original) {
			t.Errorf("Clone = %+v, want %+v", *c, original)
		}
		checkApart(t, "", reflect.ValueOf(*c), reflect.ValueOf(original))
		scribbleOver(reflect.ValueOf(&original).Elem())
		if reflect.DeepEqual(original, same) {
			t.Fatal("nothing was scribbled over")
		}
		if !reflect.DeepEqual(*c, same) {
			t.Errorf("after the original was written over, Clone = %+v, want %+v", *c, same)
		}
	})
	// The slices of a value that a decoder reuses are empty, but have memory.
	t.Run("emptied", func(t *testing.T) {
		var original T
		v := reflect.ValueOf(&original).Elem()
		fill(t, v, 2)
		empty(v)
		c := clone(&original)
		if !reflect.DeepEqual(*c, original) {
			t.Errorf("Clone = %+v, want %+v", *c, original)
		}
		checkApart(t, "", reflect.ValueOf(*c), reflect.ValueOf(original))
	})
}

// fill gives every number, text and bool within v a value other than zero, and
// every slice n elements and room for more.
func fill(t *testing.T, v reflect.Value, n int) {
	t.Helper()
	next := int64(0)
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		next++
		switch v.Kind() {
		case reflect.Struct:
			for _, field := range v.Fields() {
				visit(field)
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), n, n+1))
			for i := range n {
				visit(v.Index(i))
			}
		case reflect.Int64:
			v.SetInt(next)
		case reflect.Uint32, reflect.Uint64:
			v.SetUint(uint64(next))
		case reflect.Float64:
			v.SetFloat(float64(next))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.String:
			v.SetString(fmt.Sprintf("text %d", next))
		default:
			t.Fatalf("%s: not known how to fill it, nor whether a copy of it shares memory", v.Type())
		}
	}
	visit(v)
}

// scribbleOver sets all elements of all slices within v to zero, the innermost
// first, and then v itself.
func scribbleOver(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			scribbleOver(field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribbleOver(v.Index(i))
		}
	}
	v.SetZero()
}

// empty shortens all outermost slices within v to no elements.
func empty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			empty(field)
		}
	case reflect.Slice:
		v.SetLen(0)
	}
}

// checkApart checks that no slice within a has the memory of its like in b.
func checkApart(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			checkApart(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Slice:
		if a.Pointer() == b.Pointer() && !b.IsNil() {
			t.Errorf("%s%s shares memory with the original", a.Type(), path)
		}
		for i := range a.Len() {
			checkApart(t, fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
		}
	}
}

// What a caller keeps of one step is, after all others, what it was then.
func TestClonesOutliveTheWalk(t *testing.T) {
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	eachRecorded(t, []string{"stats-shards", "nodes-stats"}, func(t *testing.T, answer []byte) {
		var d statsdecode.Decoder
		var kept []any
		var was []string
		keep := func(clone any, err error) {
			if err != nil {
				t.Fatal(err)
			}
			kept, was = append(kept, clone), append(was, text(clone))
		}
		if strings.HasSuffix(t.Name(), "stats-shards") {
			for ix, err := range d.Indices(bytes.NewReader(answer)) {
				keep(ix.Clone(), err)
			}
		} else {
			for n, err := range d.Nodes(bytes.NewReader(answer)) {
				keep(n.Clone(), err)
			}
		}
		if len(kept) < 2 {
			t.Fatalf("%d steps, want two that may get in each other's way", len(kept))
		}
		for i := range kept {
			if got := text(kept[i]); got != was[i] {
				t.Errorf("after the walk, the clone of step %d is\n%s, was\n%s", i, got, was[i])
			}
		}
	})
}
