package main

import (
	"context"
	"sync/atomic"
	"time"
)

// checkEvery is how often the clock checks whether this process runs.
const checkEvery = 20 * time.Millisecond

// clock counts the time for which this process ran. When other processes or a hypervisor take the processor away, the clock stops too. Otherwise a
// response that arrived long ago, but could not be read, would be counted as lost because the wall clock had expired.
type clock struct{ ran atomic.Int64 }

// awake is the clock of this process.
var awake clock

func (c *clock) now() time.Duration { return time.Duration(c.ran.Load()) }

// keep runs until ctx ends. When more than two intervals have passed between two checks, this process did not run.
func (c *clock) keep(ctx context.Context) {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-ticker.C:
			now := time.Now()
			c.ran.Add(int64(min(now.Sub(last), 2*checkEvery)))
			last = now
		case <-ctx.Done():
			return
		}
	}
}

// patience is how long to wait for something, in time during which this process runs.
type patience struct {
	limit time.Duration
	begun time.Duration
}

func beginWaiting(limit time.Duration) patience { return patience{limit: limit, begun: awake.now()} }

func (p patience) left() time.Duration { return p.limit - (awake.now() - p.begun) }

// whenOver calls expired once the patience is over, unless ctx has ended before.
func (p patience) whenOver(ctx context.Context, expired func()) {
	left := p.left()
	if left <= 0 {
		expired()
		return
	}
	timer := time.AfterFunc(left, func() { p.whenOver(ctx, expired) })
	context.AfterFunc(ctx, func() { timer.Stop() })
}
