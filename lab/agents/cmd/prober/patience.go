package main

import (
	"context"
	"sync/atomic"
	"time"
)

// lookEvery is how often the clock looks whether this process runs.
const lookEvery = 20 * time.Millisecond

// clock counts the time for which this process ran. On a machine that is taken away from it, by other processes or by a
// hypervisor, it stands still too: an answer may have arrived long ago that there was no time to read, and a request given
// up by the wall clock would be counted as lost that was not.
type clock struct{ ran atomic.Int64 }

// awake is the clock of this process.
var awake clock

func (c *clock) now() time.Duration { return time.Duration(c.ran.Load()) }

// keep goes on until ctx ends. Whoever looks that often and finds that more than two looks have passed did not run.
func (c *clock) keep(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-ticker.C:
			now := time.Now()
			c.ran.Add(int64(min(now.Sub(last), 2*lookEvery)))
			last = now
		case <-ctx.Done():
			return
		}
	}
}

// patience is how long to wait for something, in time that this process runs.
type patience struct {
	limit time.Duration
	begun time.Duration
}

func beginWaiting(limit time.Duration) patience { return patience{limit: limit, begun: awake.now()} }

func (p patience) left() time.Duration { return p.limit - (awake.now() - p.begun) }

// whenOver calls giveUp once the patience is over, unless ctx has ended before.
func (p patience) whenOver(ctx context.Context, giveUp func()) {
	left := p.left()
	if left <= 0 {
		giveUp()
		return
	}
	timer := time.AfterFunc(left, func() { p.whenOver(ctx, giveUp) })
	context.AfterFunc(ctx, func() { timer.Stop() })
}
