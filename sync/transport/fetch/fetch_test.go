//go:build js

package fetch_test

//race:off its tests run in a browser

import (
	"errors"
	"os"
	"testing"
	"time"

	"tcode/sync/transport"
	"tcode/sync/transport/fetch"
	"tcode/sync/transport/transporttest"
)

func server() transporttest.Server {
	return transporttest.Server{URL: os.Getenv("SERVER"), Refused: os.Getenv("REFUSED"), Untrusted: os.Getenv("UNTRUSTED"), Blind: true}
}

func TestConformance(t *testing.T) {
	transporttest.Run(t, fetch.New(0), server())
}

// TestLimit: the client's own limit ends a request whose context has none.
func TestLimit(t *testing.T) {
	for path, answered := range map[string]bool{"/t/hang": false, "/t/body?n=-1&piece=1&ms=20": true} {
		_, err := fetch.New(500*time.Millisecond).Do(t.Context(), transport.Request{Method: "GET", URL: server().URL + path, MaxBody: 1 << 20})
		if e, ok := errors.AsType[*transport.Error](err); !ok || e.Reason != transport.ErrTimeout || e.Answered != answered {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAddress(t *testing.T) {
	_, err := fetch.New(0).Do(t.Context(), transport.Request{Method: "GET", URL: "http://[/"})
	if !errors.Is(err, transport.ErrRequest) {
		t.Errorf("%v, want ErrRequest", err)
	}
}
