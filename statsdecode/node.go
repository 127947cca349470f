package statsdecode

import "slices"

// Node is one node of a GET /_nodes/stats answer. Sections that are absent are
// zero; Present tells them from zeros that were sent.
//
// A Node handed out by [Decoder.Nodes] is reused for the next one: keep it with
// [Node.Clone], or copy the sections and strings that are wanted. Strings never
// share memory with the answer.
type Node struct {
	ID               string     `json:"-"`                 // the node's id: its key in the answer
	Timestamp        int64      `json:"timestamp"`         // the node's clock at the time of the figures, milliseconds since the epoch
	Name             string     `json:"name"`              // node.name
	TransportAddress string     `json:"transport_address"` // host:port
	Host             string     `json:"host"`              // host name or address
	IP               string     `json:"-"`                 // the first of IPs
	IPs              Addresses  `json:"ip"`                // address:port as sent: one string; several in Elasticsearch 1 and 2
	Roles            []string   `json:"roles"`             // since Elasticsearch 5.0
	Attributes       Attributes `json:"attributes"`        // node.attr settings

	Indices          CommonStats      `json:"indices"` // over the node's shards
	OS               OS               `json:"os"`      // the host's figures, not the process's
	Process          Process          `json:"process"`
	JVM              JVM              `json:"jvm"`
	ThreadPool       ThreadPools      `json:"thread_pool"` // by name
	FS               FS               `json:"fs"`          // data paths
	Transport        Transport        `json:"transport"`   // node to node
	HTTP             HTTP             `json:"http"`        // client to node
	Breakers         Breakers         `json:"breakers"`    // by name
	Script           Script           `json:"script"`
	Discovery        Discovery        `json:"discovery"`
	Ingest           Ingest           `json:"ingest"`            // since Elasticsearch 5.0
	IndexingPressure IndexingPressure `json:"indexing_pressure"` // since Elasticsearch 7.9

	AdaptiveSelection AdaptiveSelection `json:"adaptive_selection"` // by id of the other node; since Elasticsearch 6.1

	// Present has a bit for each section the answer carried.
	Present NodeSections `json:"-"`
}

// Clone returns a copy that shares no memory with n, to be kept past the step
// of the walk that n belongs to.
func (n *Node) Clone() *Node {
	c := *n
	c.IPs = slices.Clone(n.IPs)
	c.Roles = slices.Clone(n.Roles)
	c.Attributes = slices.Clone(n.Attributes)
	c.JVM.Mem.Pools = slices.Clone(n.JVM.Mem.Pools)
	c.JVM.GC.Collectors = slices.Clone(n.JVM.GC.Collectors)
	c.JVM.BufferPools = slices.Clone(n.JVM.BufferPools)
	c.ThreadPool = slices.Clone(n.ThreadPool)
	c.FS.Data = slices.Clone(n.FS.Data)
	c.FS.IOStats.Devices = slices.Clone(n.FS.IOStats.Devices)
	c.Breakers = slices.Clone(n.Breakers)
	c.Ingest.Pipelines = n.Ingest.Pipelines.clone()
	c.AdaptiveSelection = slices.Clone(n.AdaptiveSelection)
	return &c
}

// reset makes n the zero Node, but keeps the memory of its slices, which the
// next node of an answer fills again.
func (n *Node) reset() {
	*n = Node{
		IPs:        reuse(n.IPs),
		Roles:      emptied(n.Roles),
		Attributes: reuse(n.Attributes),
		JVM: JVM{
			Mem:         JVMMem{Pools: reuse(n.JVM.Mem.Pools)},
			GC:          GC{Collectors: reuse(n.JVM.GC.Collectors)},
			BufferPools: reuse(n.JVM.BufferPools),
		},
		ThreadPool: reuse(n.ThreadPool),
		FS:         FS{Data: emptied(n.FS.Data), IOStats: IOStats{Devices: emptied(n.FS.IOStats.Devices)}},
		Breakers:   reuse(n.Breakers),
		Ingest:     Ingest{Pipelines: n.Ingest.Pipelines.reuse()},

		AdaptiveSelection: reuse(n.AdaptiveSelection),
	}
}

// maxReuse is how many elements a slice may have and still be used again. Real
// nodes have a hundred thread pools at most; more is not to be held on to.
const maxReuse = 1024

// reuse returns s without its elements, for [unmarshalSet] to fill again.
func reuse[E any](s []E) []E {
	if cap(s) > maxReuse {
		return nil
	}
	return s[:0]
}

// emptied is reuse for a JSON decoder: it clears the elements, since a decoder
// that appends to a slice decodes over what an element held before.
func emptied[E any](s []E) []E {
	s = reuse(s)
	clear(s[:cap(s)])
	return s
}

// intern replaces strings that refer to the window. The sets of a node have
// made their own.
func (n *Node) intern(id []byte, names *names) {
	n.ID = names.one(id)
	for _, p := range []*string{
		&n.Name, &n.TransportAddress, &n.Host,
		&n.OS.Cgroup.CPUAcct.ControlGroup, &n.OS.Cgroup.CPU.ControlGroup, &n.OS.Cgroup.Memory.ControlGroup,
	} {
		*p = names.own(*p)
	}
	for i := range n.Roles {
		n.Roles[i] = names.own(n.Roles[i])
	}
	for i := range n.FS.Data {
		d := &n.FS.Data[i]
		d.Path, d.Mount, d.Type = names.own(d.Path), names.own(d.Mount), names.own(d.Type)
	}
	for i := range n.FS.IOStats.Devices {
		d := &n.FS.IOStats.Devices[i]
		d.DeviceName = names.own(d.DeviceName)
	}
	n.firstIP()
}

func (n *Node) firstIP() {
	if len(n.IPs) > 0 {
		n.IP = n.IPs[0]
	}
}

// OS is what the operating system says of the host. Nodes that share a host
// send the same figures.
type OS struct {
	Timestamp   int64       `json:"timestamp"`    // milliseconds since the epoch
	CPU         OSCPU       `json:"cpu"`          // since Elasticsearch 5.0
	CPUPercent  int64       `json:"cpu_percent"`  // percent, -1 unknown; Elasticsearch 2 only
	LoadAverage LoadAverage `json:"load_average"` // until Elasticsearch 2
	Mem         OSMem       `json:"mem"`
	Swap        OSSwap      `json:"swap"`
	Cgroup      Cgroup      `json:"cgroup"` // Linux only; since Elasticsearch 5.1
}

// OSCPU is the host's use of its processors.
type OSCPU struct {
	Percent     int64       `json:"percent"`      // percent of all processors, -1 unknown
	LoadAverage LoadAverage `json:"load_average"` // absent where the system has none
}

// OSMem is the host's memory. Used and free may be negative, where a container's
// figures mix with the host's (https://github.com/elastic/elasticsearch/issues/42157).
type OSMem struct {
	TotalInBytes         int64 `json:"total_in_bytes"`          // bytes
	AdjustedTotalInBytes int64 `json:"adjusted_total_in_bytes"` // bytes the node was told to count with, else TotalInBytes; since Elasticsearch 7.16
	FreeInBytes          int64 `json:"free_in_bytes"`           // bytes, the page cache not counted as free
	UsedInBytes          int64 `json:"used_in_bytes"`           // bytes
	FreePercent          int64 `json:"free_percent"`            // percent
	UsedPercent          int64 `json:"used_percent"`            // percent
}

// OSSwap is the host's swap space.
type OSSwap struct {
	TotalInBytes int64 `json:"total_in_bytes"` // bytes
	FreeInBytes  int64 `json:"free_in_bytes"`  // bytes
	UsedInBytes  int64 `json:"used_in_bytes"`  // bytes
}

// Cgroup is the control group that the node's process runs in.
type Cgroup struct {
	CPUAcct CgroupCPUAcct `json:"cpuacct"`
	CPU     CgroupCPU     `json:"cpu"`
	Memory  CgroupMemory  `json:"memory"` // since Elasticsearch 6.1
}

// CgroupCPUAcct is the processor time of the control group.
type CgroupCPUAcct struct {
	ControlGroup string `json:"control_group"` // path
	// UsageNanos is in nanoseconds; on cgroup v2 before Elasticsearch 8.9 it
	// is really in microseconds (https://github.com/elastic/elasticsearch/issues/96089).
	// Unsigned: values past the largest int64 have been sent
	// (https://github.com/elastic/elasticsearch/issues/112274).
	UsageNanos uint64 `json:"usage_nanos"`
}

// CgroupCPU is the processor quota of the control group.
type CgroupCPU struct {
	ControlGroup    string        `json:"control_group"`     // path
	CfsPeriodMicros int64         `json:"cfs_period_micros"` // microseconds
	CfsQuotaMicros  int64         `json:"cfs_quota_micros"`  // microseconds a period, -1 no quota
	Stat            CgroupCPUStat `json:"stat"`
}

// CgroupCPUStat counts how often the quota held the control group back.
// Unsigned, as [CgroupCPUAcct].UsageNanos is.
type CgroupCPUStat struct {
	NumberOfElapsedPeriods uint64 `json:"number_of_elapsed_periods"` // periods
	NumberOfTimesThrottled uint64 `json:"number_of_times_throttled"` // periods that hit the quota
	TimeThrottledNanos     uint64 `json:"time_throttled_nanos"`      // nanoseconds; see UsageNanos
}

// CgroupMemory is the memory of the control group.
type CgroupMemory struct {
	ControlGroup string      `json:"control_group"`  // path
	LimitInBytes CgroupBytes `json:"limit_in_bytes"` // see CgroupBytes.Limit
	UsageInBytes CgroupBytes `json:"usage_in_bytes"` // bytes, page cache included
}

// Process is the node's process.
type Process struct {
	Timestamp           int64      `json:"timestamp"`             // milliseconds since the epoch
	OpenFileDescriptors int64      `json:"open_file_descriptors"` // -1 unknown
	MaxFileDescriptors  int64      `json:"max_file_descriptors"`  // -1 unknown
	CPU                 ProcessCPU `json:"cpu"`
	Mem                 ProcessMem `json:"mem"`
}

// ProcessCPU is the process's use of the processors.
type ProcessCPU struct {
	Percent       int64 `json:"percent"`         // percent of all processors, -1 unknown
	TotalInMillis int64 `json:"total_in_millis"` // milliseconds since start, -1 unknown
}

// ProcessMem is the process's memory.
type ProcessMem struct {
	TotalVirtualInBytes int64 `json:"total_virtual_in_bytes"` // bytes of address space
}

// JVM is the node's Java virtual machine.
type JVM struct {
	Timestamp      int64       `json:"timestamp"`        // milliseconds since the epoch
	UptimeInMillis int64       `json:"uptime_in_millis"` // milliseconds; falls when the node restarts
	Mem            JVMMem      `json:"mem"`
	Threads        JVMThreads  `json:"threads"`
	GC             GC          `json:"gc"`
	BufferPools    BufferPools `json:"buffer_pools"`
	Classes        JVMClasses  `json:"classes"`
}

// JVMMem is the memory of the virtual machine.
type JVMMem struct {
	HeapUsedInBytes         int64       `json:"heap_used_in_bytes"`          // bytes now: garbage included
	HeapUsedPercent         int64       `json:"heap_used_percent"`           // percent of HeapMaxInBytes
	HeapCommittedInBytes    int64       `json:"heap_committed_in_bytes"`     // bytes
	HeapMaxInBytes          int64       `json:"heap_max_in_bytes"`           // bytes
	NonHeapUsedInBytes      int64       `json:"non_heap_used_in_bytes"`      // bytes
	NonHeapCommittedInBytes int64       `json:"non_heap_committed_in_bytes"` // bytes
	Pools                   MemoryPools `json:"pools"`                       // by name, which depends on the collector
}

// JVMThreads counts threads.
type JVMThreads struct {
	Count     int64 `json:"count"`      // now
	PeakCount int64 `json:"peak_count"` // most at once since start
}

// GC is the garbage collection of the virtual machine.
type GC struct {
	Collectors Collectors `json:"collectors"` // by name
}

// JVMClasses counts classes.
type JVMClasses struct {
	CurrentLoadedCount int64 `json:"current_loaded_count"` // now
	TotalLoadedCount   int64 `json:"total_loaded_count"`   // since start
	TotalUnloadedCount int64 `json:"total_unloaded_count"` // since start
}

// FS is the file systems that hold the node's data. Sizes may be negative or
// near the largest int64: network file systems send such
// (https://github.com/elastic/elasticsearch/issues/25018).
type FS struct {
	Timestamp int64    `json:"timestamp"` // milliseconds since the epoch
	Total     FSTotal  `json:"total"`     // over all data paths
	Data      []FSData `json:"data"`      // one for each data path
	IOStats   IOStats  `json:"io_stats"`  // Linux only; absent or empty in many containers
}

// FSTotal is the space of all data paths together.
type FSTotal struct {
	TotalInBytes         int64 `json:"total_in_bytes"`          // bytes
	FreeInBytes          int64 `json:"free_in_bytes"`           // bytes
	AvailableInBytes     int64 `json:"available_in_bytes"`      // bytes free to this process
	CacheReservedInBytes int64 `json:"cache_reserved_in_bytes"` // bytes for remote files; OpenSearch only
}

// FSData is the space of one data path.
type FSData struct {
	Path                             string `json:"path"`                                   // directory
	Mount                            string `json:"mount"`                                  // mount point and device
	Type                             string `json:"type"`                                   // of the file system
	TotalInBytes                     int64  `json:"total_in_bytes"`                         // bytes
	FreeInBytes                      int64  `json:"free_in_bytes"`                          // bytes
	AvailableInBytes                 int64  `json:"available_in_bytes"`                     // bytes free to this process
	CacheReservedInBytes             int64  `json:"cache_reserved_in_bytes"`                // bytes for remote files; OpenSearch only
	LowWatermarkFreeSpaceInBytes     int64  `json:"low_watermark_free_space_in_bytes"`      // bytes; since Elasticsearch 8
	HighWatermarkFreeSpaceInBytes    int64  `json:"high_watermark_free_space_in_bytes"`     // bytes; since Elasticsearch 8
	FloodStageFreeSpaceInBytes       int64  `json:"flood_stage_free_space_in_bytes"`        // bytes; since Elasticsearch 8
	FrozenFloodStageFreeSpaceInBytes int64  `json:"frozen_flood_stage_free_space_in_bytes"` // bytes; since Elasticsearch 8
}

// IOStats is the input and output of the devices that hold data. In a
// container they are the host's
// (https://github.com/elastic/elasticsearch/issues/112743).
type IOStats struct {
	Devices []Device `json:"devices"`
	Total   DiskIO   `json:"total"` // over all devices: see NodeSectionIOStats
}

// Device is a block device.
type Device struct {
	DeviceName string `json:"device_name"`
	DiskIO
}

// DiskIO counts a block device's operations since the host started. The
// kernel's counters wrap, some of them at 32 bits.
type DiskIO struct {
	Operations      int64 `json:"operations"`        // ReadOperations + WriteOperations
	ReadOperations  int64 `json:"read_operations"`   // completed reads
	WriteOperations int64 `json:"write_operations"`  // completed writes
	ReadKilobytes   int64 `json:"read_kilobytes"`    // kibibytes read
	WriteKilobytes  int64 `json:"write_kilobytes"`   // kibibytes written
	IOTimeInMillis  int64 `json:"io_time_in_millis"` // milliseconds busy; since Elasticsearch 7.14
	ReadTime        int64 `json:"read_time"`         // milliseconds, summed over reads; OpenSearch only
	WriteTime       int64 `json:"write_time"`        // milliseconds, summed over writes; OpenSearch only
	QueueSize       int64 `json:"queue_size"`        // milliseconds, weighted by requests in flight; OpenSearch only
}

// Transport counts the traffic between nodes.
type Transport struct {
	ServerOpen               int64 `json:"server_open"`                // connections open now
	TotalOutboundConnections int64 `json:"total_outbound_connections"` // opened since start; since Elasticsearch 7
	RxCount                  int64 `json:"rx_count"`                   // messages received
	RxSizeInBytes            int64 `json:"rx_size_in_bytes"`           // bytes received
	TxCount                  int64 `json:"tx_count"`                   // messages sent
	TxSizeInBytes            int64 `json:"tx_size_in_bytes"`           // bytes sent
}

// HTTP counts connections of clients.
type HTTP struct {
	CurrentOpen int64 `json:"current_open"` // open now
	TotalOpened int64 `json:"total_opened"` // since start
}

// Script counts compilations of scripts.
type Script struct {
	Compilations              int64 `json:"compilations"`                // since start
	CacheEvictions            int64 `json:"cache_evictions"`             // since start
	CompilationLimitTriggered int64 `json:"compilation_limit_triggered"` // since start; since Elasticsearch 7
}

// Discovery is the node's part in the cluster's state.
type Discovery struct {
	ClusterStateQueue      ClusterStateQueue      `json:"cluster_state_queue"`      // absent where there is none
	PublishedClusterStates PublishedClusterStates `json:"published_cluster_states"` // since Elasticsearch 7
}

// ClusterStateQueue counts cluster states that wait to be applied.
type ClusterStateQueue struct {
	Total     int64 `json:"total"`
	Pending   int64 `json:"pending"`
	Committed int64 `json:"committed"`
}

// PublishedClusterStates counts cluster states received, by form.
type PublishedClusterStates struct {
	FullStates        int64 `json:"full_states"`
	IncompatibleDiffs int64 `json:"incompatible_diffs"`
	CompatibleDiffs   int64 `json:"compatible_diffs"`
}

// IndexingPressure is the memory that indexing requests hold.
type IndexingPressure struct {
	Memory IndexingPressureMemory `json:"memory"`
}

// IndexingPressureMemory is what requests hold now and held since start.
type IndexingPressureMemory struct {
	Current      IndexingPressureCurrent `json:"current"`
	Total        IndexingPressureTotal   `json:"total"`
	LimitInBytes int64                   `json:"limit_in_bytes"` // bytes; since Elasticsearch 7.10
}

// IndexingPressureCurrent is the memory held now, by stage.
type IndexingPressureCurrent struct {
	CombinedCoordinatingAndPrimaryInBytes int64 `json:"combined_coordinating_and_primary_in_bytes"` // bytes
	CoordinatingInBytes                   int64 `json:"coordinating_in_bytes"`                      // bytes
	PrimaryInBytes                        int64 `json:"primary_in_bytes"`                           // bytes
	ReplicaInBytes                        int64 `json:"replica_in_bytes"`                           // bytes
	AllInBytes                            int64 `json:"all_in_bytes"`                               // bytes
}

// IndexingPressureTotal is the memory held since start, summed over requests,
// and the requests refused for want of it.
type IndexingPressureTotal struct {
	CombinedCoordinatingAndPrimaryInBytes int64 `json:"combined_coordinating_and_primary_in_bytes"` // bytes
	CoordinatingInBytes                   int64 `json:"coordinating_in_bytes"`                      // bytes
	PrimaryInBytes                        int64 `json:"primary_in_bytes"`                           // bytes
	ReplicaInBytes                        int64 `json:"replica_in_bytes"`                           // bytes
	AllInBytes                            int64 `json:"all_in_bytes"`                               // bytes
	CoordinatingRejections                int64 `json:"coordinating_rejections"`                    // requests
	PrimaryRejections                     int64 `json:"primary_rejections"`                         // requests
	ReplicaRejections                     int64 `json:"replica_rejections"`                         // requests
	PrimaryDocumentRejections             int64 `json:"primary_document_rejections"`                // documents; appeared between Elasticsearch 7.17 and 8.19
	LargeOperationRejections              int64 `json:"large_operation_rejections"`                 // requests; appeared between Elasticsearch 8.19 and 9.2
}
