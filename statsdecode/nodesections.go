package statsdecode

// NodeSections is a set of sections of [Node]: those an answer carried, or
// those a request asks for. The zero value is the empty set.
type NodeSections uint32

// The sections of Node.
const (
	NodeSectionIndices NodeSections = 1 << iota
	NodeSectionOS
	NodeSectionProcess
	NodeSectionJVM
	NodeSectionThreadPool
	NodeSectionFS
	NodeSectionTransport
	NodeSectionHTTP
	NodeSectionBreakers
	NodeSectionScript
	NodeSectionDiscovery
	NodeSectionIngest
	NodeSectionIndexingPressure
	NodeSectionAdaptiveSelection

	// Parts that systems and containers leave out of a section that is there. A
	// request for one of them asks for all of the section.
	NodeSectionCPU     // os.cpu.percent, or os.cpu_percent, is a number
	NodeSectionCgroup  // os.cgroup is an object
	NodeSectionIOStats // fs.io_stats.total is an object; {} is what a container sends
	NodeSectionIOTime  // fs.io_stats.total.io_time_in_millis is a number
)

// Has reports whether s has every section of x.
func (s NodeSections) Has(x NodeSections) bool { return s&x == x }

// nodeSectionNames gives each section its JSON key and its name as a metric
// in the path of a request, which for breakers is in the singular. Order
// follows the bits.
var nodeSectionNames = [...]struct{ key, metric string }{
	{"indices", "indices"},
	{"os", "os"},
	{"process", "process"},
	{"jvm", "jvm"},
	{"thread_pool", "thread_pool"},
	{"fs", "fs"},
	{"transport", "transport"},
	{"http", "http"},
	{"breakers", "breaker"},
	{"script", "script"},
	{"discovery", "discovery"},
	{"ingest", "ingest"},
	{"indexing_pressure", "indexing_pressure"},
	{"adaptive_selection", "adaptive_selection"},
}
