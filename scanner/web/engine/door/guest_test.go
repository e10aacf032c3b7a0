package door_test

import (
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/scanner/web/engine/door"
	"tcode/sync/transport"
)

// notedTransport reaches no network, and notes all requests.
type notedTransport struct{ asked []string }

func (n *notedTransport) Do(_ context.Context, r transport.Request) (transport.Response, error) {
	n.asked = append(n.asked, r.Method+" "+r.URL)
	return transport.Response{}, errors.New("no network")
}

// TestGuest: a guest judges documents, opens no store of the device, makes no device key, and can neither keep nor
// send anything.
func TestGuest(t *testing.T) {
	t.Parallel()
	letter, err := os.ReadFile("testdata/stamped.pdf")
	if err != nil {
		t.Fatal(err)
	}
	forbidden := errors.New("a guest opens no store")
	opener := func(context.Context) (journal.Journal, error) { t.Error(forbidden); return nil, forbidden }
	network := new(notedTransport)
	d := door.New(door.Config{
		Trust: opener, Scans: opener, Notes: opener, Take: func() { t.Error("another window was asked") }, Transport: network,
		Key: func(context.Context) (crypto.Signer, string, error) {
			t.Error("a device key was made")
			return nil, "", forbidden
		},
		Now: func() time.Time { return time.Date(2026, 11, 25, 15, 0, 0, 0, time.UTC) },
	})
	asked := func(request string, data []byte) (r struct {
		OK     bool
		Result struct {
			Key    string
			Keeps  bool
			Answer struct {
				Findings []struct{ ScanID, Verdict string }
			}
		}
		Error struct{ Code, Message string }
	},
	) {
		t.Helper()
		reply, _ := d.Ask(t.Context(), []byte(request), data)
		if err := json.Unmarshal(reply, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := asked(`{"id":1,"op":"start","guest":true}`, nil); !r.OK || r.Result.Key != "none" || r.Result.Keeps {
		t.Fatalf("start: %+v", r)
	}
	if r := asked(`{"id":2,"op":"file","name":"letter.pdf"}`, letter); len(r.Result.Answer.Findings) != 1 || r.Result.Answer.Findings[0].ScanID != "" || r.Result.Answer.Findings[0].Verdict != "unverified" {
		t.Errorf("file: %+v", r)
	}
	for _, op := range strings.Fields("frame rejudge counts history entry annotate exportHistory sync sendNow readCode importTrust exportTrust settings confirmTime forget nothing") {
		if r := asked(`{"id":3,"op":"`+op+`"}`, nil); r.OK || r.Error.Code != "request" {
			t.Errorf("%s: %+v", op, r)
		}
	}
	if len(network.asked) != 0 {
		t.Errorf("a guest that has no root has sent %q", network.asked)
	}
	if r := asked(`{"id":4,"op":"enrol","gateway":"https://gateway.example","fingerprint":"25699bc9fbd8868dc7c350c110ef9d1c7b20002f6dd5c63e214df1c57eb98b03"}`, nil); r.OK {
		t.Errorf("enrolled without a network: %+v", r)
	}
	for _, request := range network.asked {
		if !strings.HasPrefix(request, "GET https://gateway.example/v1/reference-data/trust-store/") {
			t.Errorf("a guest has sent %s", request)
		}
	}
	if r := asked(`{"id":5,"op":"close"}`, nil); !r.OK || len(network.asked) == 0 {
		t.Errorf("close: %+v after %q", r, network.asked)
	}
}
