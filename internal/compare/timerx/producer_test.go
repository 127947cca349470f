// Package timerx_test holds package timerx to the work of a real producer, with
// a real client and a broker in the same process.
package timerx_test

import (
	"context"
	"hash/crc32"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lowalloc/lowalloc/timerx"
)

// A producer ships messages to one partition, in batches: when one is full, when
// its first message has waited for linger, and on close.
//
// It is the brokerProducer of https://github.com/IBM/sarama, built on a Timer.
// There one batch accumulates while another waits for a bridge goroutine, which
// sends one at a time, and a timer made for every batch sets a flag when it has
// fired, since the batch may have nowhere to go yet. Here the Timer holds its
// tick until the loop can use it.
type producer struct {
	client      *kgo.Client
	topic       string
	maxMessages int
	linger      time.Duration

	input chan []byte // closed by the user
	done  chan struct{}

	timer        timerx.Timer
	accumulating [][]byte
	flushing     [][]byte // waits for the bridge; nil is none
	spare        [][]byte

	output    chan [][]byte
	responses chan response

	acked func(n int) // called by the loop
	err   error       // of the first batch that failed; the user's when done is closed

	full, lingered, closed int // batches, by what made them go
}

type response struct {
	batch [][]byte
	err   error
}

func (p *producer) start() {
	p.input = make(chan []byte)
	p.done = make(chan struct{})
	p.output = make(chan [][]byte)
	p.responses = make(chan response, 1)
	go p.bridge()
	go p.run()
}

func (p *producer) run() {
	defer close(p.done)
	for {
		input, output, tick := p.input, p.output, p.timer.C()
		if p.flushing == nil {
			output = nil
		} else {
			tick = nil
			if len(p.accumulating) == p.maxMessages {
				input = nil
			}
		}
		select {
		case message, ok := <-input:
			if !ok {
				p.shutdown()
				return
			}
			p.accumulating = append(p.accumulating, message)
			p.timer.Arm(p.linger)
		case <-tick:
			p.lingered++
			p.rollOver()
		case output <- p.flushing:
			p.flushing = nil
		case r := <-p.responses:
			p.handle(r)
		}
		if len(p.accumulating) == p.maxMessages && p.flushing == nil {
			p.full++
			p.rollOver()
		}
	}
}

func (p *producer) rollOver() {
	p.timer.Stop()
	p.flushing, p.accumulating, p.spare = p.accumulating, p.spare[:0], nil
}

func (p *producer) handle(r response) {
	if r.err != nil && p.err == nil {
		p.err = r.err
	}
	p.acked(len(r.batch))
	p.spare = r.batch
}

func (p *producer) shutdown() {
	for p.flushing != nil || len(p.accumulating) > 0 {
		if p.flushing == nil {
			p.closed++
			p.rollOver()
		}
		select {
		case p.output <- p.flushing:
			p.flushing = nil
		case r := <-p.responses:
			p.handle(r)
		}
	}
	p.timer.Stop()
	close(p.output)
	for r := range p.responses {
		p.handle(r)
	}
}

func (p *producer) bridge() {
	defer close(p.responses)
	for batch := range p.output {
		p.responses <- response{batch, p.send(batch)}
	}
}

func (p *producer) send(batch [][]byte) error {
	partition := kmsg.NewProduceRequestTopicPartition()
	partition.Records = encode(batch)
	topic := kmsg.NewProduceRequestTopic()
	topic.Topic = p.topic
	topic.Partitions = append(topic.Partitions, partition)
	req := kmsg.NewPtrProduceRequest()
	req.Acks = -1
	req.TimeoutMillis = 10_000
	req.Topics = append(req.Topics, topic)

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	resp, err := req.RequestWith(ctx, p.client)
	if err != nil {
		return err
	}
	for _, t := range resp.Topics {
		for _, part := range t.Partitions {
			if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}

// encode writes messages as a record batch of format 2.
func encode(messages [][]byte) []byte {
	now := time.Now().UnixMilli()
	batch := kmsg.NewRecordBatch()
	batch.PartitionLeaderEpoch = -1
	batch.Magic = 2
	batch.LastOffsetDelta = int32(len(messages) - 1)
	batch.FirstTimestamp, batch.MaxTimestamp = now, now
	batch.ProducerID, batch.ProducerEpoch, batch.FirstSequence = -1, -1, -1
	batch.NumRecords = int32(len(messages))
	for i, message := range messages {
		record := kmsg.NewRecord()
		record.OffsetDelta = int32(i)
		record.Value = message
		record.Length = int32(len(record.AppendTo(nil)) - 1) // without itself, so far a byte
		batch.Records = record.AppendTo(batch.Records)
	}
	const afterLength, beforeCRC, afterCRC = 12, 17, 21
	batch.Length = int32(len(batch.AppendTo(nil)) - afterLength)
	batch.CRC = int32(crc32.Checksum(batch.AppendTo(nil)[afterCRC:], crc32.MakeTable(crc32.Castagnoli)))
	return batch.AppendTo(nil)
}
