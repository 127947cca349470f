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
	field *reflect.StructField // of a struct, if its tag has options
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
			place := places(t)
			for key, v := range members(value) {
				c := child{value: v}
				if c.t, c.field = place(key); c.t == nil {
					continue
				}
				if c.name = string(unquote(key)); !yield(c) {
					return
				}
			}
		}
	}
}

// places returns a function that gives, for the quoted name of a member of an
// object that decodes into a t, the type that the member decodes into, nil where
// it is skipped; and the field, if its tag says more than the name.
func places(t reflect.Type) func(quoted []byte) (reflect.Type, *reflect.StructField) {
	switch t.Kind() {
	case reflect.Map:
		return func([]byte) (reflect.Type, *reflect.StructField) { return t.Elem(), nil }
	case reflect.Slice: // a set
		if e, ok := reflect.New(t.Elem()).Interface().(interface{ member() (*string, any) }); ok {
			_, dst := e.member()
			return func([]byte) (reflect.Type, *reflect.StructField) { return reflect.TypeOf(dst).Elem(), nil }
		}
	case reflect.Struct:
		fields := reflect.VisibleFields(t)
		return func(quoted []byte) (reflect.Type, *reflect.StructField) {
			for i, f := range fields {
				if f.IsExported() && !f.Anonymous && f.Tag.Get("json") != "-" && named(quoted, jsonName(f)) {
					if strings.Contains(f.Tag.Get("json"), ",") {
						return f.Type, &fields[i]
					}
					return f.Type, nil
				}
			}
			return nil, nil
		}
	}
	return func([]byte) (reflect.Type, *reflect.StructField) { return nil, nil }
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name
	}
	return name
}
