package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// pollsOf hands out the demo's polls, grown on from one to the next, and fails
// where fail says so.
func pollsOf(fail map[int]error) func(context.Context) (*snapshot, error) {
	i := -1
	return func(context.Context) (*snapshot, error) {
		i++
		if err := fail[i]; err != nil {
			return &snapshot{at: time.Now()}, err
		}
		s := demoPoll(i > 0)
		s.at, s.counted = time.Now(), time.Now()
		for _, n := range s.nodes {
			n.Timestamp = int64(i) * minute
			n.JVM.UptimeInMillis = n.Timestamp
			n.JVM.GC.Collectors[0].CollectionTimeInMillis = int64(i) * 300
			n.Indices.Search = statsdecode.Search{QueryTotal: int64(i) * 400, QueryTimeInMillis: int64(i) * 24_800}
			n.FS.IOStats.Total.ReadOperations = int64(i) * 400_000
			n.FS.IOStats.Total.ReadKilobytes = int64(i) * 1_600_000
			n.FS.IOStats.Total.IOTimeInMillis = int64(i) * 33_000
		}
		return s, nil
	}
}

func newWatch(out *strings.Builder) *watch {
	c := new(config)
	c.flags()
	return &watch{limits: c.limits, out: printer{w: out}, source: "test"}
}

func TestWatchReportsFromOnePollMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		polls := 0
		next := pollsOf(nil)
		start := time.Now()
		err := newWatch(&out).run(t.Context(), func(ctx context.Context) (*snapshot, error) {
			polls++
			return next(ctx)
		}, time.Minute, 3)
		if err != nil || polls != 4 || time.Since(start) != 3*time.Minute {
			t.Errorf("%d polls in %v, error %v, want 4 in 3m and none", polls, time.Since(start), err)
		}
		if n := strings.Count(out.String(), "I/O bound: yes\n"); n != 3 {
			t.Errorf("%d reports of yes, want 3:\n%s", n, out.String())
		}
	})
}

func TestWatchGoesOnAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := newWatch(&out)
		failed := errors.New("GET /_cluster/health: connection refused")
		if err := w.run(t.Context(), pollsOf(map[int]error{1: failed, 2: failed}), time.Minute, 3); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "I/O bound: cannot tell\n"); n != 2 {
			t.Errorf("%d reports that cannot tell, want 2:\n%s", n, out.String())
		}
		// The third is compared with the first: three minutes.
		wantLines(t, out.String(), "missed: "+failed.Error(), "I/O bound: yes",
			"es-1           400  62 ms      -   18.0    55.0   0.5         6,667             5.0         0    yes")
		if !strings.Contains(out.String(), ", over 180 s\n") {
			t.Errorf("no report over 180 s in:\n%s", out.String())
		}
	})
}

func TestWatchFirstPollMustSucceed(t *testing.T) {
	var out strings.Builder
	failed := errors.New("refused")
	err := newWatch(&out).run(t.Context(), pollsOf(map[int]error{0: failed}), time.Minute, 3)
	if !errors.Is(err, failed) || out.Len() > 0 {
		t.Errorf("run = %v, output %q, want the error and no output", err, out.String())
	}
}

func TestWatchEndsWhenInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithTimeout(t.Context(), 150*time.Second)
		defer interrupt()
		var out strings.Builder
		start := time.Now()
		err := newWatch(&out).run(ctx, pollsOf(nil), time.Minute, 0)
		if err != nil || time.Since(start) != 150*time.Second {
			t.Errorf("run = %v after %v, want nil after 150s", err, time.Since(start))
		}
		if n := strings.Count(out.String(), "I/O bound: "); n != 2 {
			t.Errorf("%d reports, want 2", n)
		}
	})
}

// The correlation is printed from the fifth interval on.
func TestWatchCorrelation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		next := pollsOf(nil)
		i := int64(0)
		err := newWatch(&out).run(t.Context(), func(ctx context.Context) (*snapshot, error) {
			s, err := next(ctx)
			for _, n := range s.nodes { // both rates grow alike
				n.Indices.Search.QueryTotal += 10 * i * i
				n.Indices.Search.QueryTimeInMillis *= 2
				n.FS.IOStats.Total.ReadOperations += 10_000 * i * i
			}
			i++
			return s, err
		}, time.Minute, 6)
		if err != nil {
			t.Fatal(err)
		}
		reports := strings.Split(out.String(), "I/O bound: yes\n")
		if len(reports) != 7 {
			t.Fatalf("%d reports, want 6:\n%s", len(reports)-1, out.String())
		}
		for i, r := range reports[1:] {
			if got, want := strings.Contains(r, "disk reads follow the search rate with a correlation of 1.00 so far"), i >= 4; got != want {
				t.Errorf("report %d prints the correlation: %v, want %v", i+1, got, want)
			}
		}
	})
}
