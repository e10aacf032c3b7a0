package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A load is the requests for one server, repeated.
type load struct {
	requests [][]byte // whole HTTP requests, in turn
	want     []byte   // part of every answer of 200; empty: 204 will do
}

// A sample is the cost of a load on a server.
type sample struct {
	took      time.Duration
	cpu       time.Duration
	latencies []time.Duration
}

// ask sends requests over conns connections concurrently, each waiting for its answer,
// until d is over. It begins at request number from.
func (p *process) ask(ctx context.Context, l load, conns, from int, d time.Duration) (s sample, err error) {
	before, err := p.cpu()
	if err != nil {
		return s, err
	}
	begin := time.Now()
	latencies, errs := make([][]time.Duration, conns), make([]error, conns)
	var group sync.WaitGroup
	for c := range conns {
		group.Go(func() { latencies[c], errs[c] = p.connection(ctx, l, from+c, conns, begin.Add(d)) })
	}
	group.Wait()
	s.took = time.Since(begin)
	s.latencies = slices.Concat(latencies...)
	p.asked += len(s.latencies)
	after, err := p.cpu()
	s.cpu = after - before
	if err := errors.Join(append(errs, err)...); err != nil {
		return s, fmt.Errorf("%s: %w", p.name, err)
	}
	return s, nil
}

// connection sends every step-th request, at least one, until the deadline.
func (p *process) connection(ctx context.Context, l load, from, step int, until time.Time) (latencies []time.Duration, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	var body bytes.Buffer
	for i := from; ; i += step {
		begin := time.Now()
		if i >= from+step && !begin.Before(until) || ctx.Err() != nil {
			return latencies, ctx.Err()
		}
		if _, err := conn.Write(l.requests[i%len(l.requests)]); err != nil {
			return nil, err
		}
		if err := answer(in, &body, l.want); err != nil {
			return nil, err
		}
		latencies = append(latencies, time.Since(begin))
	}
}

// answer reads an answer into body. It returns an error unless the status is 200 and the body holds want, or want is
// empty and the status 204.
func answer(in *bufio.Reader, body *bytes.Buffer, want []byte) error {
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body.Reset()
	if _, err := io.Copy(body, res.Body); err != nil {
		return err
	}
	if res.StatusCode == http.StatusNoContent && len(want) == 0 {
		return nil
	}
	if res.StatusCode != http.StatusOK || !bytes.Contains(body.Bytes(), want) {
		return fmt.Errorf("answered %s: %.200s", res.Status, body)
	}
	return nil
}

// get and post return complete requests.
func get(path string, header ...string) []byte { return request("GET", path, nil, header...) }

func post(path string, body []byte, header ...string) []byte {
	return request("POST", path, body, append([]string{"Content-Type: application/json"}, header...)...)
}

func request(method, path string, body []byte, header ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: bench\r\n", method, path)
	for _, line := range header {
		fmt.Fprintf(&b, "%s\r\n", line)
	}
	if body != nil {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}
