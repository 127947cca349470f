package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A test that needs a process runs this binary as the program.
const asProgram = "CLUSTERWATCH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	m.Run()
}

// A pager that is paused must not keep the program alive.
func TestSecondInterruptKills(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sending an interrupt")
	}
	// So many indices make a report larger than any pipe.
	var settings strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&settings, `,"index-%d":{"settings":{"index":{"uuid":"u%d"}}}`, i, i)
	}
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.RequestURI() != settingsPath {
			return false
		}
		_, _ = io.WriteString(w, "{"+settings.String()[1:]+"}")
		return true
	})
	s.Start()
	cmd := exec.Command(os.Args[0], "-url", s.URL, "-interval", "1ms", "-json")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	defer time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() }).Stop()
	// One byte has come: the program is in the midst of a write that cannot end.
	if _, err := io.ReadFull(stdout, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	go func() {
		for cmd.Process.Signal(os.Interrupt) == nil { // until it is gone
			select {
			case <-ended:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	// Not Wait, which would close the pipe: the write would fail, and the program end.
	state, err := cmd.Process.Wait()
	close(ended)
	if err != nil || state.String() != "signal: interrupt" {
		t.Errorf("the program ended with %v, %v, want it ended by the interrupt", state, err)
	}
}
