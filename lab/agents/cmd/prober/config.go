package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
)

// streamConfig is one kind of traffic. Kinds:
//
//	connect    a new connection for every request
//	keepalive  a number of clients that keep their connections open and reuse them
//	long       a new connection and a request that the server answers after SleepMs
//	stream     a new connection and an answer that goes on for DurationMs
type streamConfig struct {
	Name            string   `json:"name"`
	Kind            string   `json:"kind"`
	URLs            []string `json:"urls"`
	RatePerSecond   float64  `json:"ratePerSecond"`
	TimeoutMs       int      `json:"timeoutMs"`
	SleepMs         int      `json:"sleepMs"`
	DurationMs      int      `json:"durationMs"`
	Clients         int      `json:"clients"`
	SourceAddresses []string `json:"sourceAddresses"`

	targets []target
	sources []*net.TCPAddr
}

// target is a URL that is parsed once, so that a request needs no parsing.
type target struct {
	url, address string
	request      map[bool][]byte // by "keep the connection"
}

func readConfig(name string, stdin io.Reader) ([]*streamConfig, error) {
	source, err := openConfig(name, stdin)
	if err != nil {
		return nil, err
	}
	var config struct {
		Streams []*streamConfig `json:"streams"`
	}
	decoder := json.NewDecoder(source)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&config); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if len(config.Streams) == 0 {
		return nil, fmt.Errorf("configuration: no streams")
	}
	for _, stream := range config.Streams {
		if err := stream.prepare(); err != nil {
			return nil, fmt.Errorf("stream %q: %w", stream.Name, err)
		}
	}
	return config.Streams, nil
}

func openConfig(name string, stdin io.Reader) (io.Reader, error) {
	if name == "-" {
		return stdin, nil
	}
	if variable, ok := strings.CutPrefix(name, "env:"); ok {
		return strings.NewReader(os.Getenv(variable)), nil
	}
	return os.Open(name)
}

func (s *streamConfig) prepare() error {
	query := url.Values{}
	switch s.Kind {
	case "connect":
	case "keepalive":
		if s.Clients <= 0 {
			s.Clients = 10
		}
	case "long":
		if s.SleepMs <= 0 {
			s.SleepMs = 3000
		}
		query.Set("sleep", s.sleep().String())
	case "stream":
		if s.DurationMs <= 0 {
			s.DurationMs = 20_000
		}
		query.Set("for", (time.Duration(s.DurationMs) * time.Millisecond).String())
	default:
		return fmt.Errorf("unknown kind %q", s.Kind)
	}
	if s.RatePerSecond <= 0 || len(s.URLs) == 0 {
		return fmt.Errorf("needs urls and a ratePerSecond above zero")
	}
	if s.TimeoutMs <= 0 {
		s.TimeoutMs = 5000
	}
	for _, text := range s.URLs {
		t, err := newTarget(text, query)
		if err != nil {
			return err
		}
		s.targets = append(s.targets, t)
	}
	for _, text := range s.SourceAddresses {
		ip := net.ParseIP(text)
		if ip == nil {
			return fmt.Errorf("source address %q is not an IP address", text)
		}
		s.sources = append(s.sources, &net.TCPAddr{IP: ip})
	}
	return nil
}

func (s *streamConfig) timeout() time.Duration { return time.Duration(s.TimeoutMs) * time.Millisecond }
func (s *streamConfig) sleep() time.Duration   { return time.Duration(s.SleepMs) * time.Millisecond }

// source spreads requests over the client addresses, independently of how they are spread over targets.
func (s *streamConfig) source(n int) *net.TCPAddr {
	if len(s.sources) == 0 {
		return nil
	}
	return s.sources[n/len(s.targets)%len(s.sources)]
}

func newTarget(text string, query url.Values) (target, error) {
	u, err := url.Parse(text)
	if err != nil {
		return target{}, err
	}
	if u.Scheme != "http" || u.Host == "" {
		return target{}, fmt.Errorf("%q is not an http URL", text)
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	if len(query) > 0 {
		u.RawQuery = query.Encode()
	}
	request := func(connection string) []byte {
		return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: nodeferry-prober\r\nConnection: %s\r\n\r\n",
			u.RequestURI(), u.Host, connection)
	}
	return target{
		url:     text,
		address: net.JoinHostPort(u.Hostname(), port),
		request: map[bool][]byte{true: request("keep-alive"), false: request("close")},
	}, nil
}
