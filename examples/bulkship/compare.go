package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// envChild makes this program a part of a comparison: its value is which. The
// parts are processes of their own, so that neither memory nor collections of
// one are another's.
const envChild = "BULKSHIP_CHILD"

const (
	childSink    = "sink"
	childUsual   = "usual"
	childLibrary = "library"
)

// compareRounds is how often each way has its turn. Medians are shown.
const compareRounds = 3

// cost is what shipping cost one process.
type cost struct {
	Documents int64
	Seconds   float64
	CPU       float64 // seconds, by the system's account
	Mallocs   uint64
	Bytes     uint64 // allocated
	HeapHigh  uint64 // bytes, the most of heap objects at once
	GCs       uint32
}

// runCompare ships the same documents the usual way and with the library, in
// turn, and prints what they cost.
func (c *config) runCompare(stdout io.Writer) error {
	costs := make(map[string][]cost)
	for range compareRounds {
		for _, way := range []string{childUsual, childLibrary} {
			spent, err := c.measure(way)
			if err != nil {
				return fmt.Errorf("%s: %w", way, err)
			}
			if spent.Documents != int64(c.generate) {
				return fmt.Errorf("%s: %d documents were created, want %d", way, spent.Documents, c.generate)
			}
			costs[way] = append(costs[way], spent)
		}
	}
	_, err := io.WriteString(stdout, comparison(c.generate, costs[childUsual], costs[childLibrary]))
	return err
}

// comparison is the table: medians, and the ratio of these.
func comparison(documents int, usual, library []cost) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d documents, %s, %s/%s, %d processors, medians of %d rounds:\n\n",
		documents, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), len(usual))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "\tusual\tlowalloc\tusual/lowalloc\t")
	for _, row := range []struct {
		name  string
		value func(cost) float64
		unit  float64
		form  string
	}{
		{"seconds", func(c cost) float64 { return c.Seconds }, 1, "%.2f"},
		{"CPU seconds", func(c cost) float64 { return c.CPU }, 1, "%.2f"},
		{"allocations", func(c cost) float64 { return float64(c.Mallocs) }, 1, "%.0f"},
		{"MB allocated", func(c cost) float64 { return float64(c.Bytes) }, 1e6, "%.1f"},
		{"MB of heap at most", func(c cost) float64 { return float64(c.HeapHigh) }, 1e6, "%.1f"},
		{"garbage collections", func(c cost) float64 { return float64(c.GCs) }, 1, "%.0f"},
	} {
		u, l := median(usual, row.value), median(library, row.value)
		_, _ = fmt.Fprintf(w, "%s\t"+row.form+"\t"+row.form+"\t%.1f\t\n", row.name, u/row.unit, l/row.unit, u/l)
	}
	_ = w.Flush()
	return b.String()
}

func median(costs []cost, value func(cost) float64) float64 {
	var values []float64
	for _, c := range costs {
		values = append(values, value(c))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// measure ships one way, to a sink in a process of its own.
func (c *config) measure(way string) (spent cost, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	sink, err := c.child(ctx, childSink)
	if err != nil {
		return spent, err
	}
	stdin, err := sink.StdinPipe() // the sink ends when this does, also by the end of this process
	if err != nil {
		return spent, err
	}
	stdout, err := sink.StdoutPipe()
	if err != nil {
		return spent, err
	}
	if err := sink.Start(); err != nil {
		return spent, err
	}
	defer func() {
		_ = stdin.Close()
		err = errors.Join(err, sink.Wait())
	}()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return spent, fmt.Errorf("sink: %w", err)
	}

	shipping, err := c.child(ctx, way, "-url", strings.TrimSpace(address))
	if err != nil {
		return spent, err
	}
	out, err := shipping.Output()
	if err != nil {
		return spent, err
	}
	if err := json.Unmarshal(out, &spent); err != nil {
		return spent, err
	}
	spent.CPU = (shipping.ProcessState.UserTime() + shipping.ProcessState.SystemTime()).Seconds()
	return spent, nil
}

// child is this program again, as one part.
func (c *config) child(ctx context.Context, part string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args = append(args, "-generate", strconv.Itoa(c.generate), "-index", c.index, "-docs", strconv.Itoa(c.docs), "-bytes", strconv.Itoa(c.bytes),
		"-linger", c.linger.String(), "-in-flight", strconv.Itoa(c.inFlight), "-timeout", c.timeout.String())
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), envChild+"="+part)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// runChild is one part: a sink until standard input ends, or one way to ship.
func (c *config) runChild(part string, stdin io.Reader, stdout io.Writer) error {
	if part == childSink {
		address, stop, err := serveSink()
		if err != nil {
			return err
		}
		defer stop()
		if _, err := fmt.Fprintln(stdout, address); err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, stdin)
		return err
	}
	counts := new(counts)
	p := startProgress(counts, io.Discard)
	begin := time.Now()
	var err error
	if ctx := context.Background(); part == childUsual {
		err = c.shipUsual(ctx, counts)
	} else {
		err = c.ship(ctx, func(error) {}, ctx, c.inputs(nil), counts)
	}
	took := time.Since(begin)
	p.stop()
	if err != nil {
		return err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return json.NewEncoder(stdout).Encode(cost{
		Documents: counts.created.Load(), Seconds: took.Seconds(),
		Mallocs: m.Mallocs, Bytes: m.TotalAlloc, HeapHigh: p.heap.high, GCs: m.NumGC,
	})
}
