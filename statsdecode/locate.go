package statsdecode

import (
	"iter"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-json"
)

// maxLocate bounds how deep locate looks: a caller's own type may be recursive.
const maxLocate = 32

// locate finds, within a valid JSON value that does not fit the type dst points
// to, the first value that is to blame, as a JSON pointer and an offset in
// bytes. The reference's own errors lose the path where a type has an
// UnmarshalJSON method. It decodes again, level by level, which only an error
// has to pay for.
func locate(value []byte, dst any) (pointer string, offset int) {
	at, t := value, reflect.TypeOf(dst).Elem()
	var b strings.Builder
descend:
	for range maxLocate {
		for child := range children(at, t) {
			if !child.fits() {
				b.WriteString("/" + escapePointer(child.name))
				at, t = child.value, child.t
				continue descend
			}
		}
		break
	}
	// Slices of one array: what at has less of capacity is its distance.
	return b.String(), cap(value) - cap(at)
}

// child is a value within a JSON value, and the Go type that it belongs into.
type child struct {
	name  string
	value []byte
	t     reflect.Type
	field *reflect.StructField // of a struct
}

func (c child) fits() bool {
	if c.field == nil {
		return json.Unmarshal(c.value, reflect.New(c.t).Interface()) == nil
	}
	// Within a struct of that field alone, so that the options of its tag count.
	f := *c.field
	f.Index, f.Offset, f.Anonymous = nil, 0, false
	alone := reflect.New(reflect.StructOf([]reflect.StructField{f}))
	member := append([]byte(`{"`+jsonName(f)+`":`), c.value...)
	return json.Unmarshal(append(member, '}'), alone.Interface()) == nil
}

// children walks the values directly within value that have a place in t.
func children(value []byte, t reflect.Type) iter.Seq[child] {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return func(yield func(child) bool) {
		switch {
		case value[0] == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
			i := 0
			for v := range elements(value) {
				if !yield(child{name: strconv.Itoa(i), value: v, t: t.Elem()}) {
					return
				}
				i++
			}
		case isObject(value):
			for key, v := range members(value) {
				c := child{name: string(unquote(key)), value: v}
				if c.t, c.field = place(key, t); c.t != nil && !yield(c) {
					return
				}
			}
		}
	}
}

// place returns the type of what the member of an object called quoted decodes
// into, where the object decodes into a t; nil where it is skipped.
func place(quoted []byte, t reflect.Type) (reflect.Type, *reflect.StructField) {
	switch t.Kind() {
	case reflect.Map:
		return t.Elem(), nil
	case reflect.Slice: // a set
		if e, ok := reflect.New(t.Elem()).Interface().(interface{ member() (*string, any) }); ok {
			_, dst := e.member()
			return reflect.TypeOf(dst).Elem(), nil
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if name := jsonName(f); name != "-" && f.IsExported() && !f.Anonymous && named(quoted, name) {
				return f.Type, &f
			}
		}
	}
	return nil, nil
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name
	}
	return name
}
