package attack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"tcode/sync/wire"
)

// A hold is a connection of which a stranger keeps as much busy as it can.
type hold struct {
	name string
	send string
	read bool // slowly
}

// request is the begin of a request with a body.
func request(path string, length, sent int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, length, strings.Repeat("[", sent))
}

// lines returns the begin of a header of about 64 KiB with as many names as possible.
func lines(path string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: x\r\n", path)
	for i := 0; b.Len() < 60<<10; i++ {
		fmt.Fprintf(&b, "%x:\n", i)
	}
	return b.String()
}

var holds = []hold{
	{name: "hold nothing"},
	{name: "hold a header", send: "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 60<<10)},
	{name: "hold many headers", send: lines("/")},
	{name: "hold a batch", send: request(wire.Path, wire.MaxBodyBytes, wire.MaxBodyBytes-1)},
	{name: "hold a body", send: request("/v1/tcode/verify", 64<<10, 64<<10-1)},
	{name: "hold a form", send: strings.Replace(request("/console/signin", 60<<10, 60<<10-1),
		"json", "x-www-form-urlencoded", 1)},
	{name: "read a page slowly", send: strings.Repeat("GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n", 20), read: true},
	{name: "read the app slowly", send: strings.Repeat("GET /scan/ HTTP/1.1\r\nHost: x\r\n\r\n", 20), read: true},
}

// hold keeps one connection until the gateway closes it or ctx ends. It returns 1 if the
// connection was made.
func (c *strangers) hold(ctx context.Context, at string, h hold) int {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(at)}, Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		return 0
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()
	if _, err := io.WriteString(conn, h.send); err != nil {
		return 1
	}
	buffer := make([]byte, 512)
	for {
		if _, err := conn.Read(buffer); err != nil {
			return 1
		}
		if h.read {
			pause(ctx, time.Second)
		}
	}
}

func asJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func jsonInto(raw []byte, v any) error { return json.Unmarshal(raw, v) }
