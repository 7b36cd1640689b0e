package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
)

// slowAfter is below the kernel's first SYN retransmission (1 s) and far above any healthy connect.
const slowAfter = 900 * time.Millisecond

// result is the result of one request.
type result struct {
	stream         *streamConfig
	seq            int
	url            string
	start          time.Time
	connect, total time.Duration
	connectAwake   time.Duration // of the time to connect, what this process ran
	connected      bool
	reused         bool // sent over a connection that had served before
	retried        bool // the reused connection had been closed, so a fresh one was taken
	retransmits    int  // SYNs sent again while connecting
	answered       bool // at least one byte came back
	pod, node      string
	local          string
	err            error
}

// outcome is ok, lost (failed before the first byte of the response) or cut (broken after it).
func (r *result) outcome() string {
	switch {
	case r.err == nil:
		return "ok"
	case r.answered:
		return "cut"
	default:
		return "lost"
	}
}

// slow: the connection was established, but only after a SYN had been dropped and sent again.
func (r *result) slow() bool { return r.connected && r.connectAwake > slowAfter && r.retransmits > 0 }

// starved: the connect took as long, but nothing was sent again, or this process did not run meanwhile: the host was busy, not the network.
func (r *result) starved() bool { return r.connected && r.connect > slowAfter && !r.slow() }

// connection is a TCP connection that records whether a response has begun and limits every read.
type connection struct {
	net.Conn
	reader  *bufio.Reader
	wait    time.Duration
	gotByte bool
}

func (c *connection) Read(p []byte) (int, error) {
	waiting := beginWaiting(c.wait)
	for {
		if err := c.SetReadDeadline(time.Now().Add(waiting.left())); err != nil {
			return 0, err
		}
		n, err := c.Conn.Read(p)
		if n > 0 {
			c.gotByte = true
		}
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && waiting.left() > 0 {
			continue
		}
		return n, err
	}
}

// client keeps idle connections, as an HTTP client's pool does: a request uses an idle one or opens another.
type client struct {
	mutex sync.Mutex
	idle  []*connection
}

func newClients(stream *streamConfig) []*client {
	clients := make([]*client, stream.Clients)
	for i := range clients {
		clients[i] = &client{}
	}
	return clients
}

func (c *client) take() *connection {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	last := len(c.idle) - 1
	if last < 0 {
		return nil
	}
	taken := c.idle[last]
	c.idle = c.idle[:last]
	return taken
}

func (c *client) put(conn *connection) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.idle = append(c.idle, conn)
}

// send carries out request n of the stream.
func send(stream *streamConfig, n int, clients []*client) *result {
	r := &result{stream: stream, seq: n, start: time.Now()}
	if len(clients) == 0 {
		t := stream.targets[n%len(stream.targets)]
		exchangeFresh(r, t, stream.source(n), false, nil)
	} else {
		// A client keeps to one target and one address, so that its open connections can be reused.
		i := n % len(clients)
		t := stream.targets[i%len(stream.targets)]
		exchangeReusing(r, t, stream.source(i), clients[i])
	}
	r.total = time.Since(r.start)
	return r
}

func exchangeReusing(r *result, t target, source *net.TCPAddr, pool *client) {
	if conn := pool.take(); conn != nil {
		r.reused, r.connected = true, true
		exchange(r, t, conn, true, pool)
		if !closedWhileIdle(r) {
			return
		}
		r.retried, r.reused, r.connected, r.err = true, false, false, nil
	}
	exchangeFresh(r, t, source, true, pool)
}

// closedWhileIdle: the server had closed the connection before it saw this request. HTTP clients then send it again over a new connection (RFC 9112
// §9.3.1). A timeout is not such a case.
func closedWhileIdle(r *result) bool {
	return r.err != nil && !r.answered && !errors.Is(r.err, os.ErrDeadlineExceeded)
}

func exchangeFresh(r *result, t target, source *net.TCPAddr, keep bool, pool *client) {
	r.url = t.url
	begin, waiting := time.Now(), beginWaiting(r.stream.timeout())
	conn, local, err := dial(t.address, source, waiting)
	r.local = local
	r.connect, r.connectAwake = time.Since(begin), waiting.limit-waiting.left()
	if err != nil {
		r.err = err
		return
	}
	r.connected = true
	r.retransmits = retransmits(conn)
	wrapped := &connection{Conn: conn}
	wrapped.reader = bufio.NewReaderSize(wrapped, 1024)
	exchange(r, t, wrapped, keep, pool)
}

// dial connects. It also says from which address and port it tried: a connection that was never established is looked for by its port, and what a port
// has met stays with it (conntrack). Of a socket that could not connect the kernel still knows the port, so a second descriptor keeps it until it is read.
func dial(address string, source *net.TCPAddr, waiting patience) (net.Conn, string, error) {
	twin := -1
	// KeepAlive < 0: no TCP keep-alive probes, because requests are short and the system calls cost more.
	dialer := net.Dialer{KeepAlive: -1, Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		if err := raw.Control(func(fd uintptr) {
			if failed = choosePortOnConnect(int(fd)); failed == nil {
				twin, failed = syscall.Dup(int(fd))
			}
		}); err != nil {
			return err
		}
		return failed
	}}
	if source != nil {
		dialer.LocalAddr = source
	}
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	waiting.whenOver(ctx, func() { end(os.ErrDeadlineExceeded) })
	conn, err := dialer.DialContext(ctx, "tcp4", address)
	if twin >= 0 {
		defer syscall.Close(twin)
	}
	if err == nil {
		return conn, conn.LocalAddr().String(), nil
	}
	local := localAddress(twin)
	if errors.Is(context.Cause(ctx), os.ErrDeadlineExceeded) {
		err = fmt.Errorf("dial %s->%s: %w", local, address, os.ErrDeadlineExceeded)
	}
	return nil, local, err
}

// exchange sends the request over conn, reads the whole response, and returns the connection to its pool or closes it.
func exchange(r *result, t target, conn *connection, keep bool, pool *client) {
	r.url, r.local = t.url, conn.LocalAddr().String()
	conn.gotByte = false
	again, err := roundTrip(r, t, conn, keep)
	r.answered = conn.gotByte
	if r.err = err; err == nil && again {
		pool.put(conn)
		return
	}
	conn.Close()
}

func roundTrip(r *result, t target, conn *connection, keep bool) (again bool, err error) {
	timeout := r.stream.timeout()
	// A request fits into the socket's buffer, so writing it does not block.
	if _, err := conn.Write(t.request[keep]); err != nil {
		return false, err
	}
	conn.wait = timeout + r.stream.sleep()
	response, err := http.ReadResponse(conn.reader, nil)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	conn.wait = timeout
	r.pod, r.node = response.Header.Get("X-Pod"), response.Header.Get("X-Node")
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return false, err
	}
	if response.StatusCode != http.StatusOK {
		return false, fmt.Errorf("status %d", response.StatusCode)
	}
	return keep && !response.Close, nil
}

// choosePortOnConnect lets the kernel take any port that is free towards this destination, instead of one
// that is free for the whole source address (ip(7), IP_BIND_ADDRESS_NO_PORT).
func choosePortOnConnect(fd int) error {
	const ipBindAddressNoPort = 24
	return syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, ipBindAddressNoPort, 1)
}

// localAddress is the address and port of a socket, or nothing where it has none.
func localAddress(fd int) string {
	name, err := syscall.Getsockname(fd)
	own, ok := name.(*syscall.SockaddrInet4)
	if err != nil || !ok {
		return ""
	}
	return netip.AddrPortFrom(netip.AddrFrom4(own.Addr), uint16(own.Port)).String()
}
