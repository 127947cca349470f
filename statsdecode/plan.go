package statsdecode

import "reflect"

// object is a plan: a JSON object, and where its members go. A plan is bound to
// one struct, by pointers to its fields, so it takes no unsafe to fill it; the
// structs that a Decoder hands out stay the same from entry to entry.
type object struct {
	fields []field
	shape  shape // of the last such object, if it is not within another
}

// field is a member of an object that has a place in a struct.
type field struct {
	name string
	bit  uint64 // its own, in its object
	int  *int64 // its place, if nothing else is to be done: that of most fields
	dst  any    // its place, or the plan of it
	mark func() // sets the presence bit of its value, if there is one
	null bool   // its value may be null
}

// newPlan makes the plan of the struct that dst points to, and of the presence
// bits of those within it that have some.
func newPlan(dst any, detour map[any]any, present ...interface{ marks(map[any]func()) }) *object {
	p := planner{marks: map[any]func(){}, detour: detour}
	for _, v := range present {
		v.marks(p.marks)
	}
	return p.object(reflect.ValueOf(dst).Elem())
}

// planner makes plans.
type planner struct {
	marks  map[any]func() // by pointer to the value
	detour map[any]any    // by pointer: another place for the value
}

// place returns what the value that belongs to *ptr is decoded by.
func (p planner) place(ptr any) any {
	if other, ok := p.detour[ptr]; ok {
		return other
	}
	switch ptr := ptr.(type) {
	case *int64, *uint64, *float64, *bool, *string, *Addresses, *CgroupBytes, *Rank:
		return ptr
	case *ThreadPools:
		return newSet(p, (*[]ThreadPool)(ptr))
	case *Breakers:
		return newSet(p, (*[]Breaker)(ptr))
	case *Collectors:
		return newSet(p, (*[]Collector)(ptr))
	case *MemoryPools:
		return newSet(p, (*[]MemoryPool)(ptr))
	case *BufferPools:
		return newSet(p, (*[]BufferPool)(ptr))
	case *Attributes:
		return newSet(p, (*[]Attribute)(ptr))
	case *AdaptiveSelection:
		return newSet(p, (*[]SelectableNode)(ptr))
	case *IngestPipelines:
		l := newSet(p, (*[]IngestPipeline)(ptr))
		l.reuse = func(old IngestPipeline) IngestPipeline { return IngestPipeline{Processors: old.Processors[:0]} }
		return l
	case *IngestProcessors:
		l := newArray(p, (*[]IngestProcessor)(ptr))
		l.plan = func() any { return p.single(&l.elem) }
		return l
	case *Shards:
		l := newSet(p, (*[]Shard)(ptr))
		l.reuse = func(old Shard) Shard { return Shard{Copies: old.Copies[:0]} }
		return l
	case *ShardCopies:
		l := newArray(p, (*[]ShardCopy)(ptr))
		l.elem.marks(p.marks)
		return l
	case *[]string:
		return newArray(p, ptr)
	case *[]FSData:
		return newArray(p, ptr)
	case *[]Device:
		return newArray(p, ptr)
	}
	return p.object(reflect.ValueOf(ptr).Elem())
}

// single is the place of an object that has one member, which is called as it
// pleases.
type single struct {
	name  *string
	value field
}

// single makes the plan of a processor. Members as Elasticsearch 6 sends them
// have no place: they are for the reference.
func (p planner) single(e *IngestProcessor) *single {
	o := p.object(reflect.ValueOf(e).Elem())
	for _, f := range p.fields(nil, reflect.ValueOf(&e.Stats).Elem()) {
		o.fields = append(o.fields, field{name: f.name, bit: 1 << len(o.fields)})
	}
	return &single{&e.Name, newField(o)}
}

func newField(dst any) field {
	number, _ := dst.(*int64)
	_, isList := dst.(list)
	return field{dst: dst, int: number, null: !isList}
}

// object makes the plan of a struct.
func (p planner) object(v reflect.Value) *object {
	o := &object{fields: p.fields(nil, v)}
	for i := range o.fields {
		if o.fields[i].bit = 1 << i; i == 64 {
			panic("statsdecode: more than 64 fields in " + v.Type().Name())
		}
	}
	return o
}

func (p planner) fields(list []field, v reflect.Value) []field {
	for t, f := range v.Fields() {
		ptr := f.Addr().Interface()
		name := jsonName(t)
		switch {
		case name == "-":
		case t.Anonymous:
			list = p.fields(list, f)
		default:
			f := newField(p.place(ptr))
			f.name = name
			if f.mark = p.marks[ptr]; f.mark != nil {
				f.int = nil
			}
			list = append(list, f)
		}
	}
	return list
}

// list is the place of a slice: of elements, or of named members.
type list interface {
	begin() (opening byte)                        // empties it
	next(name []byte, names *names) (elem *field) // readies a new element, and returns the place of its value
	keep()                                        // appends that element
}

// listOf is a slice whose elements are decoded in one place, to which a plan
// can be bound, and then put where they belong.
type listOf[E any] struct {
	slice *[]E
	elem  E
	name  *string       // of elem, in a set
	reuse func(old E) E // what to decode into where old stood before; nil: a zero element
	plan  func() any    // makes the plan when it is first wanted: level=shards is rare
	value *field
}

func newArray[E any](p planner, slice *[]E) *listOf[E] {
	l := &listOf[E]{slice: slice}
	l.plan = func() any { return p.place(&l.elem) }
	return l
}

func newSet[E any, P element[E]](p planner, slice *[]E) *listOf[E] {
	l := &listOf[E]{slice: slice}
	name, value := P(&l.elem).member()
	l.name = name
	l.plan = func() any { return p.place(value) }
	return l
}

func (l *listOf[E]) begin() byte {
	*l.slice = (*l.slice)[:0]
	if l.name != nil {
		return '{'
	}
	return '['
}

func (l *listOf[E]) next(name []byte, names *names) *field {
	if l.value == nil {
		f := newField(l.plan())
		l.value = &f
	}
	var elem E
	if s := *l.slice; l.reuse != nil && len(s) < cap(s) {
		elem = l.reuse(s[:len(s)+1][len(s)])
	}
	l.elem = elem
	if l.name != nil {
		*l.name = names.one(name)
	}
	return l.value
}

func (l *listOf[E]) keep() { *l.slice = append(*l.slice, l.elem) }
