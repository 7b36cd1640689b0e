package main

import (
	"context"
	"sync"
	"time"
)

// sendAll runs every stream until ctx ends and returns when the last request has its result.
func sendAll(ctx context.Context, streams []*streamConfig, tally *tally) {
	var running sync.WaitGroup
	for _, stream := range streams {
		running.Add(1)
		go func() {
			defer running.Done()
			sendStream(ctx, stream, tally, &running)
		}()
	}
	running.Wait()
}

// maxCatchUp limits what a prober that did not run sends at once: a flood of late requests would measure itself.
const maxCatchUp = time.Second

// sendStream sends at a fixed rate, whatever the results: request n is due n intervals after the start. Requests that could not be sent in time,
// because this process did not run, are sent at once. Those that are later than maxCatchUp are skipped and counted.
func sendStream(ctx context.Context, stream *streamConfig, tally *tally, running *sync.WaitGroup) {
	clients := newClients(stream)
	start := time.Now()
	interval := float64(time.Second) / stream.RatePerSecond
	timer := time.NewTimer(0)
	defer timer.Stop()
	for n := 0; ; n++ {
		due := start.Add(time.Duration(float64(n) * interval))
		if pause := time.Until(due); pause > 0 {
			timer.Reset(pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
		} else if ctx.Err() != nil {
			return
		} else if missed := int(float64(-pause-maxCatchUp) / interval); missed > 0 {
			tally.skip(stream, missed)
			n += missed
			due = due.Add(time.Duration(float64(missed) * interval))
		}
		tally.sent(stream, time.Since(due))
		running.Add(1)
		go func() {
			defer running.Done()
			tally.add(send(stream, n, clients))
		}()
	}
}
