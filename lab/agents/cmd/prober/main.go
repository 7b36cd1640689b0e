// Command prober sends traffic at a fixed rate and reports the result of every request.
//
// It is an open loop: a request is sent when it is due, whether or not earlier ones were answered, so that waiting
// clients do not hide an outage. It writes JSON lines: a tick every 500 ms, an incident for each request that was
// lost, cut or slow, and a summary at the end.
//
// It stops after -max, on SIGTERM, and, if its configuration came over stdin, when stdin closes. Then it sends no new
// requests, gives those in flight -grace to finish, and writes the summary.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

const tickEvery = 500 * time.Millisecond

func main() {
	config := flag.String("config", "-", "configuration file; - reads it from stdin; env:NAME from a variable")
	out := flag.String("out", "", "append the JSON lines to this file instead of stdout")
	requests := flag.String("requests", "", "also append one JSON line for every request to this file")
	limit := flag.Duration("max", 30*time.Minute, "stop after this long")
	grace := flag.Duration("grace", 25*time.Second, "how long requests in flight may take after the end")
	flag.Parse()

	// One processor is enough for some hundred requests a second and leaves the others to what is measured.
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	debug.SetGCPercent(400)
	if err := run(*config, *out, *requests, *limit, *grace); err != nil {
		fmt.Fprintln(os.Stderr, "prober:", err)
		os.Exit(1)
	}
}

func run(configName, outName, requestsName string, limit, grace time.Duration) error {
	stdin := bufio.NewReader(os.Stdin)
	streams, err := readConfig(configName, stdin)
	if err != nil {
		return err
	}
	out, err := appendTo(outName, os.Stdout)
	if err != nil {
		return err
	}
	var each io.Writer
	if requestsName != "" {
		file, err := appendTo(requestsName, nil)
		if err != nil {
			return err
		}
		buffered := bufio.NewWriterSize(file, 64<<10)
		defer buffered.Flush()
		each = buffered
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if configName == "-" {
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			cancel()
		}()
	}

	go awake.keep(context.Background())
	tally := newTally(streams, json.NewEncoder(out), each)
	finished := make(chan struct{})
	go func() {
		sendAll(ctx, streams, tally)
		close(finished)
	}()
	expired := afterEnd(ctx, grace)
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			tally.tick()
		case <-finished:
			return tally.summary()
		case <-expired:
			return tally.summary()
		}
	}
}

func afterEnd(ctx context.Context, grace time.Duration) <-chan struct{} {
	done := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, func() { close(done) }) })
	return done
}

func appendTo(name string, otherwise *os.File) (*os.File, error) {
	if name == "" {
		return otherwise, nil
	}
	return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}
