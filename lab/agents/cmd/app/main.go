// Command app is the web server that the lab's pods run.
//
// It behaves as most servers in production do: it serves until SIGTERM, then closes its listener and its idle
// connections at once and finishes the requests in flight. It has no lame-duck period and no preStop hook, so new
// connections that arrive after SIGTERM are lost. With SHUTDOWN_GRACE_PERIOD it serves on for that long, but tells
// at once that it is not ready, as ingress-nginx does with its option of that name (kubernetes/ingress-nginx
// internal/ingress/controller/checker.go).
//
// With -wait-shutdown it is the preStop hook of that server, like the program of that name in the image of ingress-nginx
// (kubernetes/ingress-nginx cmd/waitshutdown/main.go): it sends SIGTERM to the server and waits until it has ended.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// finishWithin is how long requests in flight may take after SIGTERM; it is below the kubelet's default termination grace period of 30 s.
const finishWithin = 28 * time.Second

// dialTimeout is how long a request that is sent from a pod may take.
const dialTimeout = 3 * time.Second

// chunkEvery is the interval between the chunks of /stream.
const chunkEvery = 200 * time.Millisecond

type identity struct{ pod, node string }

func main() {
	listen := flag.String("listen", ":8080", "address to listen on")
	stopServer := flag.Bool("wait-shutdown", false, "stop the server of this container and wait until it has ended")
	flag.Parse()
	if *stopServer {
		waitShutdown()
		return
	}

	maxAge, err := durationEnv("MAX_CONNECTION_AGE", 15*time.Second)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	lameDuck, err := durationEnv("SHUTDOWN_GRACE_PERIOD", 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := &http.Server{
		Handler:     recycled(maxAge, routes(whoAmI())),
		ConnContext: rememberAccept,
		IdleTimeout: maxAge,
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	select {
	case err := <-failed:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case <-stop:
	}
	shuttingDown.Store(true)
	time.Sleep(lameDuck)
	ctx, cancel := context.WithTimeout(context.Background(), finishWithin)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "requests were still running:", err)
		os.Exit(1)
	}
}

// waitShutdown stops the first process of the container. It ends with it, since all others are killed then (pid_namespaces(7)).
func waitShutdown() {
	if err := syscall.Kill(1, syscall.SIGTERM); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for syscall.Kill(1, 0) == nil {
		time.Sleep(time.Second)
	}
}

func routes(me identity) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", ready)
	mux.HandleFunc("/clientip", func(w http.ResponseWriter, r *http.Request) { sign(w, me); fmt.Fprint(w, r.RemoteAddr) })
	mux.HandleFunc("/dial", dial)
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) { stream(w, r, me) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { answer(w, r, me) })
	return mux
}

// shuttingDown is true from SIGTERM on.
var shuttingDown atomic.Bool

// ready fails while the file UNREADY_FILE exists: a readiness probe that fails although the server could serve, as it does when a database behind it
// is down. It also fails from SIGTERM on.
func ready(w http.ResponseWriter, _ *http.Request) {
	if shuttingDown.Load() {
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	if file := os.Getenv("UNREADY_FILE"); file != "" {
		if _, err := os.Stat(file); err == nil {
			http.Error(w, file+" exists", http.StatusServiceUnavailable)
			return
		}
	}
	fmt.Fprintln(w, "ok")
}

// answer says who served the request, after ?sleep= if given.
func answer(w http.ResponseWriter, r *http.Request, me identity) {
	pause, ok := durationQuery(w, r, "sleep")
	if !ok {
		return
	}
	if pause > 0 && !wait(r.Context(), pause) {
		return
	}
	sign(w, me)
	fmt.Fprintln(w, me.pod, me.node)
}

// dial passes on what ?url= answers, so that a request can be sent from a pod (netexec of kubernetes test/images/agnhost has the same two paths).
func dial(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Timeout: dialTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(r.URL.Query().Get("url"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	w.Header().Set("X-Pod", response.Header.Get("X-Pod"))
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body)
}

// stream writes a chunk every 200 ms for ?for= and ends the response properly, so that a client can distinguish a finished stream from a broken one.
func stream(w http.ResponseWriter, r *http.Request, me identity) {
	length, ok := durationQuery(w, r, "for")
	if !ok {
		return
	}
	sign(w, me)
	out := http.NewResponseController(w)
	for end := time.Now().Add(length); ; {
		if _, err := fmt.Fprintln(w, me.pod, me.node); err != nil {
			return
		}
		if err := out.Flush(); err != nil {
			return
		}
		if !time.Now().Before(end) || !wait(r.Context(), chunkEvery) {
			return
		}
	}
}

func sign(w http.ResponseWriter, me identity) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("X-Pod", me.pod)
	w.Header().Set("X-Node", me.node)
}

type acceptedAt struct{}

func rememberAccept(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, acceptedAt{}, time.Now())
}

// recycled closes a connection with the first response after it has reached maxAge, as nginx does with keepalive_time and gRPC with
// MAX_CONNECTION_AGE.
func recycled(maxAge time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at, ok := r.Context().Value(acceptedAt{}).(time.Time); ok && time.Since(at) >= maxAge {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

func whoAmI() identity {
	pod := os.Getenv("POD_NAME")
	if pod == "" {
		pod, _ = os.Hostname()
	}
	node := os.Getenv("NODE_NAME")
	if node == "" {
		node = "-"
	}
	return identity{pod: pod, node: node}
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func durationQuery(w http.ResponseWriter, r *http.Request, name string) (time.Duration, bool) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, true
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return 0, false
	}
	return d, true
}

func durationEnv(name string, otherwise time.Duration) (time.Duration, error) {
	text := os.Getenv(name)
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}
