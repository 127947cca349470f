package timerx_test

import (
	"github.com/lowalloc/lowalloc/timerx"
	"testing"
	"time"
)

func BenchmarkQuick(b *testing.B) {
	b.Run("arm/armed", func(b *testing.B) {
		var t timerx.Timer
		t.Arm(time.Hour)
		for b.Loop() {
			t.Arm(time.Hour)
		}
	})
	b.Run("armstop", func(b *testing.B) {
		var t timerx.Timer
		for b.Loop() {
			t.Arm(time.Hour)
			t.Stop()
		}
	})
	b.Run("touch", func(b *testing.B) {
		var t timerx.Timer
		for b.Loop() {
			t.Touch(time.Hour)
		}
	})
	b.Run("touchMax", func(b *testing.B) {
		t := timerx.Timer{MaxWait: 2 * time.Hour}
		for b.Loop() {
			t.Touch(time.Hour)
		}
	})
	b.Run("reset", func(b *testing.B) {
		var t timerx.Timer
		for b.Loop() {
			t.Reset(time.Hour)
		}
	})
	b.Run("std/reset", func(b *testing.B) {
		t := time.NewTimer(time.Hour)
		for b.Loop() {
			t.Reset(time.Hour)
		}
	})
	b.Run("std/resetstop", func(b *testing.B) {
		t := time.NewTimer(time.Hour)
		for b.Loop() {
			t.Reset(time.Hour)
			t.Stop()
		}
	})
	b.Run("af/reset", func(b *testing.B) {
		t := time.AfterFunc(time.Hour, func() {})
		for b.Loop() {
			t.Reset(time.Hour)
		}
	})
	b.Run("af/resetstop", func(b *testing.B) {
		t := time.AfterFunc(time.Hour, func() {})
		for b.Loop() {
			t.Reset(time.Hour)
			t.Stop()
		}
	})
}
