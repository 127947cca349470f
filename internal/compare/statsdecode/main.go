// The command statsdecode decodes the same answers with this library's
// statsdecode and with its peers, in turn, and prints what they take as a table
// in Markdown. Run it in the folder of this module:
//
//	go run ./statsdecode
//
// What it says of peers holds for answers of this kind alone.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"
)

var (
	dir    = flag.String("answers", "../../statsdecode/testdata/recorded/elasticsearch-9.2.2", "folder of the recorded answers to make larger ones of")
	rounds = flag.Int("rounds", 11, "rounds in which each contender has its turn")
	large  = flag.Bool("large", false, "also an answer of 100,000 indices: takes 3 GiB of memory")
	only   = flag.String("only", "", "only contenders whose names contain this, and statsdecode")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	fmt.Printf("%s, %d cores, %s/%s, %s, %s, `go run ./statsdecode` in internal/compare, medians of %d interleaved rounds.\n",
		processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), time.Now().Format(time.DateOnly), *rounds)
	type run struct {
		w    workload
		size int
	}
	indices := statsWorkload("index stats", "stats")
	runs := []run{
		{indices, 1}, {indices, 100}, {indices, 1000},
		{statsWorkload("index stats with level=shards", "stats-shards"), 100},
		{nodesWorkload(), 100},
	}
	if *large {
		runs = append(runs, run{indices, 100_000})
	}
	for _, r := range runs {
		answer, err := larger(*dir, r.w.file, r.w.path, r.size)
		if err != nil {
			return err
		}
		fmt.Printf("\n%s, %d entries, %.2f MB:\n\n", r.w.name, r.size, float64(len(answer))/1e6)
		fmt.Println("| decoder | into | MB/s | statsdecode is | B/op | allocs/op | peak live heap |")
		fmt.Println("|---|---|--:|--:|--:|--:|--:|")
		lines, err := measure(&r.w, answer, r.size)
		if err != nil {
			return err
		}
		for _, l := range lines {
			fmt.Printf("| %s | %s | %.0f | %.2fx | %d | %d | %s |\n", l.name, l.what, l.speed, l.ratio, l.bytes, l.allocs, size(l.peak))
		}
	}
	return nil
}

// line is what one contender took.
type line struct {
	contender
	speed         float64 // MB/s
	ratio         float64 // its time in that of statsdecode in the same round
	bytes, allocs uint64  // an answer
	peak          uint64  // bytes live at once
	times         []float64
}

// measure lets the contenders decode the answer in turn.
func measure(w *workload, answer []byte, entries int) ([]line, error) {
	var lines []line
	for _, c := range w.contenders() {
		if c.decode == nil || c.dom && entries > 10_000 || lines != nil && !strings.Contains(c.name, *only) {
			continue
		}
		lines = append(lines, line{contender: c})
	}
	want, _, err := lines[0].decode(answer)
	if err != nil || want.entries != entries || want.sum == 0 {
		return nil, fmt.Errorf("%s: %+v, %w; want %d entries", lines[0].name, want, err, entries)
	}
	for i := range lines { // each decodes it twice before it counts
		l := &lines[i]
		for range 2 {
			switch got, _, err := l.decode(answer); {
			case err != nil:
				return nil, fmt.Errorf("%s: %w", l.name, err)
			case got != want:
				return nil, fmt.Errorf("%s: %w: %+v, want %+v", l.name, errDiffers, got, want)
			}
		}
		l.bytes, l.allocs = allocated(func() { _, _, _ = l.decode(answer) })
		l.peak = peak(func() any { _, held, _ := l.decode(answer); return held })
	}
	repeat := max(1, 1_000_000/len(answer))
	for range *rounds {
		for i := range lines {
			l := &lines[i]
			runtime.GC()
			start := time.Now()
			for range repeat {
				_, _, _ = l.decode(answer)
			}
			l.times = append(l.times, time.Since(start).Seconds()/float64(repeat))
		}
	}
	for i := range lines {
		l := &lines[i]
		ratios := make([]float64, len(l.times))
		for j, t := range l.times {
			ratios[j] = t / lines[0].times[j]
		}
		l.ratio = median(ratios)
		l.speed = float64(len(answer)) / 1e6 / median(l.times)
	}
	return lines, nil
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

// allocated returns what one call of f allocates, the least of three: a
// goroutine that was moved to another processor finds that one's pools empty.
func allocated(f func()) (bytes, allocs uint64) {
	bytes, allocs = math.MaxUint64, math.MaxUint64
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		bytes, allocs = min(bytes, after.TotalAlloc-before.TotalAlloc), min(allocs, after.Mallocs-before.Mallocs)
	}
	return bytes, allocs
}

// peak returns the largest live heap while f runs, above that before: as a
// collector found it that runs whenever the heap has grown by a twentieth, and
// at the end, with what f returns still held. The pools of all contenders are
// emptied before.
func peak(f func() any) uint64 {
	for range 3 {
		runtime.GC()
	}
	base := live()
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	var most uint64
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(200 * time.Microsecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				most = max(most, live())
			}
		}
	})
	held := f()
	close(done)
	wg.Wait()
	runtime.GC()
	most = max(most, live())
	runtime.KeepAlive(held)
	return most - min(most, base)
}

// live returns the bytes that the last collection found in use.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func size(bytes uint64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 10<<20:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// processor returns the processor's name, where the system tells.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		if _, name, ok := strings.Cut(s.Text(), ": "); ok && strings.HasPrefix(s.Text(), "model name") {
			return name
		}
	}
	return runtime.GOARCH
}
