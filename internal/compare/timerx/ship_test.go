package timerx_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

const (
	topic       = "ship"
	maxMessages = 100
)

// 100,000 messages, none lost, none twice, in order: in bursts whose rest has to
// wait for its linger, and at last with a linger of an hour, so that the rest
// goes by the close or not at all.
func TestShip(t *testing.T) {
	const total, last = 100_000, 1_007

	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic))
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(broker.ListenAddrs()...),
		kgo.MaxVersions(kversion.V3_0_0()), // topics by name
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	// Each burst waits until the broker has all of it.
	p := &producer{client: client, topic: topic, maxMessages: maxMessages, linger: 2 * time.Millisecond}
	acks := make(chan int, total)
	p.acked = func(n int) { acks <- n }
	p.start()
	rnd := rand.New(rand.NewPCG(2355, 0))
	bursts, tails := 0, 0
	for sent := 0; sent < total-last; bursts++ {
		burst := min(1+rnd.IntN(2000), total-last-sent)
		for range burst {
			p.input <- strconv.AppendInt(nil, int64(sent), 10)
			sent++
		}
		if burst%maxMessages != 0 {
			tails++
		}
		for unacked := burst; unacked > 0; {
			unacked -= <-acks
		}
	}
	close(p.input)
	<-p.done
	t.Logf("%d bursts: %d batches were full, %d by linger, %d on close", bursts, p.full, p.lingered, p.closed)
	if p.err != nil {
		t.Fatal(p.err)
	}
	if p.lingered < tails || p.full == 0 || p.closed != 0 {
		t.Errorf("%d bursts that were no whole batches; want as many batches by linger, and none on close", tails)
	}

	p = &producer{client: client, topic: topic, maxMessages: maxMessages, linger: time.Hour}
	shipped := 0
	p.acked = func(n int) { shipped += n }
	p.start()
	for i := range last {
		p.input <- strconv.AppendInt(nil, int64(total-last+i), 10)
	}
	close(p.input)
	<-p.done
	t.Logf("with a linger of an hour: %d batches were full, %d by linger, %d on close", p.full, p.lingered, p.closed)
	if p.err != nil {
		t.Fatal(p.err)
	}
	if p.full != last/maxMessages || p.lingered != 0 || p.closed != 1 || shipped != last {
		t.Errorf("%d of %d messages shipped in %d batches, the last of which %d on close", shipped, last, p.full+p.closed, p.closed)
	}

	// What the broker has is every number once, in order.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	next, end := 0, int64(0)
	for next < total {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d messages: %v", next, err)
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) { end = p.HighWatermark })
		fetches.EachRecord(func(r *kgo.Record) {
			if got, err := strconv.Atoi(string(r.Value)); err != nil || got != next || r.Offset != int64(next) {
				t.Fatalf("message at offset %d is %q, want %d", r.Offset, r.Value, next)
			}
			next++
		})
	}
	if end != total {
		t.Errorf("the broker has %d messages, want %d", end, total)
	}
}
