package main

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// An outage must not fill the disk: so many incidents are written at once, and so many more after each tick. Others are counted in the ticks.
const (
	incidentsAtOnce  = 5000
	incidentsPerTick = 10
)

// counts are totals since the start.
type counts struct {
	Kind    string `json:"kind"`
	Sent    int    `json:"sent"`
	OK      int    `json:"ok"`
	Lost    int    `json:"lost"`
	Cut     int    `json:"cut"`
	Slow    int    `json:"slow"`
	Starved int    `json:"starved"`
	Retried int    `json:"retried"`
	Skipped int    `json:"skipped"`
	// InFlight have been sent and have no result yet; in the summary they never got one.
	InFlight int `json:"inFlight"`
	// Connect times in ms: in a tick those of the requests that ended since the last one, in the summary those of all.
	P50ConnectMs float64 `json:"p50ConnectMs"`
	P99ConnectMs float64 `json:"p99ConnectMs"`
}

// report is a tick or the summary. Times are ms since the Unix epoch.
type report struct {
	Type    string             `json:"type"`
	AtMs    int64              `json:"atMs"`
	StartMs int64              `json:"startMs"`
	Streams map[string]*counts `json:"streams"`
	// Nodes is the number of responses by node: in a tick since the last one, in the summary since the start.
	Nodes map[string]int `json:"nodes"`
	Pods  map[string]int `json:"pods"`
	// LateMs is how far behind schedule the latest request was sent: it shows how far this host can be trusted.
	LateMs           float64 `json:"lateMs"`
	IncidentsLeftOff int     `json:"incidentsLeftOff"`
}

// requestLine is an incident, or one request in the log of all requests.
type requestLine struct {
	Type        string  `json:"type"`
	Seq         int     `json:"seq"`
	Stream      string  `json:"stream"`
	AtMs        int64   `json:"atMs"`
	EndMs       int64   `json:"endMs"`
	URL         string  `json:"url"`
	Result      string  `json:"result"`
	Slow        bool    `json:"slow"`
	Error       string  `json:"error,omitempty"`
	Pod         string  `json:"pod,omitempty"`
	Node        string  `json:"node,omitempty"`
	Local       string  `json:"local,omitempty"`
	ConnectMs   float64 `json:"connectMs"`
	TotalMs     float64 `json:"totalMs"`
	Retransmits int     `json:"retransmits"`
	Reused      bool    `json:"reused"`
	Retried     bool    `json:"retried"`
}

type streamTally struct {
	counts
	sinceTick, sinceStart histogram
}

type tally struct {
	mutex       sync.Mutex
	start       time.Time
	out         *json.Encoder
	each        *json.Encoder
	streams     map[string]*streamTally
	nodes, pods map[string]int // since the last tick
	allNodes    map[string]int
	allPods     map[string]int
	late        time.Duration
	latest      time.Duration
	// room is how many more incidents may be written now; leftOff is how many were not.
	room, leftOff int
	failed        error
	closed        bool
}

func newTally(streams []*streamConfig, out *json.Encoder, each io.Writer) *tally {
	t := &tally{
		start: time.Now(), out: out, room: incidentsAtOnce, streams: map[string]*streamTally{},
		nodes: map[string]int{}, pods: map[string]int{}, allNodes: map[string]int{}, allPods: map[string]int{},
	}
	if each != nil {
		t.each = json.NewEncoder(each)
	}
	for _, stream := range streams {
		t.streams[stream.Name] = &streamTally{counts: counts{Kind: stream.Kind}}
	}
	return t
}

func (t *tally) sent(stream *streamConfig, late time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	s := t.streams[stream.Name]
	s.Sent++
	s.InFlight++
	t.late = max(t.late, late)
	t.latest = max(t.latest, late)
}

// skip counts requests that were never sent, because this process did not run when they were due.
func (t *tally) skip(stream *streamConfig, requests int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.streams[stream.Name].Skipped += requests
}

func (t *tally) add(r *result) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.closed {
		return
	}
	s := t.streams[r.stream.Name]
	s.InFlight--
	switch r.outcome() {
	case "ok":
		s.OK++
		t.nodes[r.node]++
		t.pods[r.pod]++
		t.allNodes[r.node]++
		t.allPods[r.pod]++
	case "cut":
		s.Cut++
	case "lost":
		s.Lost++
	}
	if r.slow() {
		s.Slow++
	}
	if r.starved() {
		s.Starved++
	}
	if r.retried {
		s.Retried++
	}
	if r.connected && !r.reused {
		s.sinceTick.add(r.connect)
		s.sinceStart.add(r.connect)
	}
	if r.err != nil || r.slow() {
		if t.room > 0 {
			t.room--
			t.write(t.out, line("incident", r))
		} else {
			t.leftOff++
		}
	}
	if t.each != nil {
		t.write(t.each, line("request", r))
	}
}

func (t *tally) tick() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	tick := t.report("tick", t.nodes, t.pods, t.late)
	for name, s := range t.streams {
		c := s.counts
		c.P50ConnectMs, c.P99ConnectMs = s.sinceTick.quantile(0.5), s.sinceTick.quantile(0.99)
		s.sinceTick = histogram{}
		tick.Streams[name] = &c
	}
	t.write(t.out, tick)
	t.room = min(incidentsAtOnce, t.room+incidentsPerTick)
	t.nodes, t.pods, t.late = map[string]int{}, map[string]int{}, 0
}

// summary writes the last line and takes no more results; it returns the first error of any write.
func (t *tally) summary() error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.closed = true
	summary := t.report("summary", t.allNodes, t.allPods, t.latest)
	for name, s := range t.streams {
		c := s.counts
		c.P50ConnectMs, c.P99ConnectMs = s.sinceStart.quantile(0.5), s.sinceStart.quantile(0.99)
		summary.Streams[name] = &c
	}
	t.write(t.out, summary)
	return t.failed
}

func (t *tally) report(kind string, nodes, pods map[string]int, late time.Duration) *report {
	return &report{
		Type: kind, AtMs: time.Now().UnixMilli(), StartMs: t.start.UnixMilli(), Streams: map[string]*counts{},
		Nodes: nodes, Pods: pods, LateMs: ms(late), IncidentsLeftOff: t.leftOff,
	}
}

func (t *tally) write(to *json.Encoder, value any) {
	if err := to.Encode(value); err != nil && t.failed == nil {
		t.failed = err
	}
}

func line(kind string, r *result) *requestLine {
	l := &requestLine{
		Type: kind, Seq: r.seq, Stream: r.stream.Name, AtMs: r.start.UnixMilli(), EndMs: r.start.Add(r.total).UnixMilli(),
		URL: r.url, Result: r.outcome(), Slow: r.slow(), Pod: r.pod, Node: r.node, Local: r.local,
		ConnectMs: ms(r.connect), TotalMs: ms(r.total), Retransmits: r.retransmits, Reused: r.reused, Retried: r.retried,
	}
	if r.err != nil {
		l.Error = r.err.Error()
	}
	return l
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
