//go:build !js

package feed_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/statuslist"
	"tcode/offline/trust/trusttest"
	"tcode/sync/feed"
	"tcode/sync/transport"
	"tcode/sync/transport/nethttp"
	"tcode/sync/transport/transporttest"
)

// cutWorld returns a server whose documents are of each kind, and the number of those that an enrolment fetches.
func cutWorld(t *testing.T) (s *server, documents int) {
	t.Helper()
	a := trusttest.New(t, "a")
	a.Rotate("")
	a.Shards[1] = &statuslist.Shard{}
	a.Shards[1].Set(9, statuslist.Suspended)
	a.List = statuslist.NewSurvivors([]statuslist.Mark{{4}, {5}})
	s = serve(t, a)
	p := &prefix{next: s, number: -1}
	if _, err := feedOf(t, diskBook(t, new(journal.Disk)), p, s.url).Enrol(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if p.answered < 7 { // two roots, timestamp, bundle, status, pack, list
		t.Fatalf("an enrolment fetches %d documents", p.answered)
	}
	return s, p.answered
}

// prefix is a transport that loses the end of one answer of status 200, and reports no fault.
type prefix struct {
	next     http.Handler
	number   int // of the answer, from 1
	at       int // bytes of it that arrive
	answered int
	whole    []byte
}

func (p *prefix) Do(ctx context.Context, r transport.Request) (transport.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, http.NoBody)
	if err != nil {
		return transport.Response{}, err
	}
	rec := httptest.NewRecorder()
	p.next.ServeHTTP(rec, req)
	res := transport.Response{Status: rec.Code, Body: rec.Body.Bytes()}
	if rec.Code != http.StatusOK {
		return res, nil
	}
	if p.answered++; p.answered == p.number {
		p.whole = res.Body
		res.Body = bytes.Clone(res.Body[:min(p.at, len(res.Body))])
		if p.at == 0 {
			res.Body = nil // as from fetch
		}
	}
	return res, nil
}

// TestEveryCut cuts each document of an enrolment and of a refresh at many places, without a fault of the transport: none is
// taken.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	for _, packs := range []bool{true, false} { // a mirror has no packs/: shards come one by one
		s, documents := cutWorld(t)
		hide := func() {
			for name := range s.objects {
				if strings.HasPrefix(name, "packs/") && !packs {
					delete(s.objects, name)
					documents += 2 // pack and two shards instead
				}
			}
		}
		hide()
		everyCut(t, s, new(journal.Disk), documents, true)

		disk := new(journal.Disk)
		b := diskBook(t, disk)
		if _, err := feedOf(t, b, &prefix{next: s}, s.url).Enrol(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		b.Close()
		s.Rotate("")
		s.Shards[0].Set(7, statuslist.Revoked)
		s.List = statuslist.NewSurvivors([]statuslist.Mark{{4}, {5}, {6}})
		s.publish(11, 1)
		hide()
		everyCut(t, s, disk, 6, false)
	}
}

// everyCut cuts each of the documents that a device with this disk fetches.
func everyCut(t *testing.T, s *server, disk *journal.Disk, documents int, enrol bool) {
	t.Helper()
	start := disk.Records()
	for number := 1; number <= documents; number++ {
		for at, step := 0, 1; ; at += step {
			disk.Set(start)
			b := diskBook(t, disk)
			p := &prefix{next: s, number: number, at: at}
			f := feedOf(t, b, p, s.url)
			run := f.Refresh
			if enrol {
				run = func(ctx context.Context) (feed.Report, error) { return f.Enrol(ctx, nil) }
			}
			_, err := run(t.Context())
			b.Close()
			if p.whole == nil {
				t.Fatalf("document %d of %d was not fetched: %v", number, documents, err)
			}
			if at >= len(p.whole) {
				if err != nil {
					t.Errorf("document %d, whole: %v", number, err)
				}
				break
			}
			if err == nil {
				t.Errorf("document %d is taken with %d bytes of %d: %q", number, at, len(p.whole), p.whole)
			}
			// The begin and the end byte by byte, the middle in steps.
			step = 1
			if rest := len(p.whole) - at; at > 2 && rest > 20 {
				step = min(31, rest-16)
			}
		}
	}
}

// TestCut: over net/http.
func TestCut(t *testing.T) {
	t.Parallel()
	s, documents := cutWorld(t)
	srv := httptest.NewServer(transporttest.Cut(s))
	defer srv.Close()
	refusesCuts(t, nethttp.New(nil), srv.URL, documents)
}
