package main

import (
	"math"
	"time"
)

// histogram counts durations in buckets that grow by 5 %: constant memory, quantiles within 5 %.
type histogram struct {
	total   int
	buckets [320]int
}

const (
	smallest = 10 * time.Microsecond
	growth   = 1.05
)

func (h *histogram) add(d time.Duration) {
	i := 0
	if d > smallest {
		i = int(math.Ceil(math.Log(float64(d)/float64(smallest)) / math.Log(growth)))
	}
	h.buckets[min(i, len(h.buckets)-1)]++
	h.total++
}

// quantile returns the upper bound, in ms, of the bucket that the quantile falls into; 0 if the histogram is empty.
func (h *histogram) quantile(q float64) float64 {
	if h.total == 0 {
		return 0
	}
	rank := int(math.Ceil(q * float64(h.total)))
	seen := 0
	for i, n := range h.buckets {
		if seen += n; seen >= rank {
			bound := float64(smallest) * math.Pow(growth, float64(i))
			return math.Round(bound/float64(time.Microsecond)) / 1000
		}
	}
	return 0
}
