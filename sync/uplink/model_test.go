package uplink_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tcode/sync/outbox"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// scriptsEnv is how many scripts to play; 20,000 is a night's run.
const scriptsEnv = "TCODE_MODEL_SCRIPTS"

// crash is thrown by the network to end the program between two durable steps.
type crash struct{}

var errNet = errors.New("connection reset")

// network is an http.RoundTripper that goes wrong in every way we know.
type network struct {
	g      *gateway
	rng    *rand.Rand
	healed bool
	old    []*http.Response // earlier replies, to arrive for later requests
}

func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if n.healed {
		return n.deliver(req, body), nil
	}
	if err := n.latency(req); err != nil {
		return nil, err
	}
	switch n.rng.IntN(20) {
	case 18: // a forged word of the gateway's, with our batch id and no signature
		return n.forged(req, body), nil
	case 19: // one verdict, or one result, changed on the way
		return n.edit(req, body, func(r *wire.Reply) {
			if len(r.Results) > 0 {
				r.Results[0].Verdict, r.Results[0].Result = "revoked", wire.Rejected
			}
		}), nil
	case 0: // request lost
		return nil, errNet
	case 1: // applied, reply lost
		n.deliver(req, body)
		return nil, errNet
	case 2: // request doubled on the way
		n.deliver(req, body)
	case 3:
		return n.foreign(req, http.StatusServiceUnavailable, "Retry-After", strconv.Itoa(n.rng.IntN(120))), nil
	case 4:
		return n.foreign(req, http.StatusTooManyRequests, "Retry-After", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)), nil
	case 5: // reply cut off by the byte
		res := n.deliver(req, body)
		raw, _ := io.ReadAll(res.Body)
		res.Body = io.NopCloser(bytes.NewReader(raw[:n.rng.IntN(len(raw)+1)]))
		return res, nil
	case 6: // reply with some results missing, receipt for all
		return n.edit(req, body, func(r *wire.Reply) { r.Results = r.Results[:n.rng.IntN(len(r.Results)+1)] }), nil
	case 7: // results in another order
		return n.edit(req, body, func(r *wire.Reply) {
			n.rng.Shuffle(len(r.Results), func(i, j int) { r.Results[i], r.Results[j] = r.Results[j], r.Results[i] })
		}), nil
	case 8: // an older reply arrives for this request
		if len(n.old) > 0 {
			n.deliver(req, body)
			return n.echo(req, n.old[n.rng.IntN(len(n.old))]), nil
		}
	case 9: // half of the batch is committed, then the gateway dies
		if b, err := readBatch(rebuilt(req, body)); err == nil {
			n.g.take(b, n.rng.IntN(len(b.Items)+1))
		}
		return nil, errNet
	case 10: // captive portal
		return n.foreign(req, http.StatusOK, "Content-Type", "text/html"), nil
	case 11: // a proxy refuses, for itself or permanently
		return n.foreign(req, []int{400, 401, 403, 404, 413, 302}[n.rng.IntN(6)], "Location", "http://login.example/"), nil
	case 12: // the device dies with the batch leased
		panic(crash{})
	case 13: // the device dies after the effect, before it is noted
		n.deliver(req, body)
		panic(crash{})
	case 14: // results of another batch's scans put in
		return n.edit(req, body, func(r *wire.Reply) {
			r.Results = append(r.Results, wire.ItemResult{ScanID: "stranger", Result: wire.Accepted})
		}), nil
	case 15: // receipt lost on the way
		return n.edit(req, body, func(r *wire.Reply) { r.Receipt = "" }), nil
	}
	return n.deliver(req, body), nil
}

// latency may outlast the client's time-out.
func (n *network) latency(req *http.Request) error {
	d := time.Duration(n.rng.IntN(100)) * time.Millisecond
	if n.rng.IntN(20) == 0 {
		d = 2 * uplink.DefaultTimeout
	}
	select {
	case <-req.Context().Done():
		return req.Context().Err()
	case <-time.After(d):
		return nil
	}
}

func rebuilt(req *http.Request, body []byte) *http.Request {
	r := req.Clone(context.Background())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

// deliver gives the request to the gateway.
func (n *network) deliver(req *http.Request, body []byte) *http.Response {
	rec := httptest.NewRecorder()
	n.g.ServeHTTP(rec, rebuilt(req, body))
	raw := rec.Body.Bytes()
	keep := rec.Result()
	keep.Body = io.NopCloser(bytes.NewReader(raw))
	n.old = append(n.old, keep)
	res := *keep
	res.Header = keep.Header.Clone()
	res.Body = io.NopCloser(bytes.NewReader(raw))
	return &res
}

// edit changes the reply behind the gateway's back.
func (n *network) edit(req *http.Request, body []byte, change func(*wire.Reply)) *http.Response {
	res := n.deliver(req, body)
	raw, _ := io.ReadAll(res.Body)
	if r, err := wire.DecodeReply(raw); err == nil {
		change(&r)
		raw, _ = r.Encode()
	}
	res.Body = io.NopCloser(bytes.NewReader(raw))
	return res
}

// forged rejects every scan of the request, or the request.
func (n *network) forged(req *http.Request, body []byte) *http.Response {
	b, err := readBatch(rebuilt(req, body))
	status, reply := http.StatusOK, wire.Reply{BatchID: b.ID, ReceivedAt: time.Now()}
	if err != nil || n.rng.IntN(2) == 0 {
		status = http.StatusBadRequest
	}
	for _, it := range b.Items {
		reply.Results = append(reply.Results, wire.ItemResult{ScanID: it.ScanID, Result: wire.Rejected, Code: "FORGED"})
	}
	raw, _ := reply.Encode()
	res := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(raw))}
	res.Header.Set(wire.HeaderBatchID, req.Header.Get(wire.HeaderBatchID))
	return res
}

// foreign is an answer of somebody in between.
func (n *network) foreign(req *http.Request, status int, name, value string) *http.Response {
	res := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<html>sign in</html>"))}
	res.Header.Set(name, value)
	return n.echo(req, res)
}

// echo is where the forged-echo mutation sits: what others answer then looks
// like ours.
func (n *network) echo(req *http.Request, res *http.Response) *http.Response {
	if n.g.bug == forgedEcho {
		if res.Header = res.Header.Clone(); res.Header != nil {
			res.Header.Set(wire.HeaderBatchID, req.Header.Get(wire.HeaderBatchID))
		}
	}
	return res
}

// world is one device, its gateway and the network between.
type world struct {
	rng    *rand.Rand
	path   string
	net    *network
	o      *outbox.Outbox
	u      *uplink.Uplink
	scans  map[string]string // scan id -> kind
	items  int
	poison int // scans whose batch is refused: they wait for ever
	events map[string]bool
}

func (w *world) start(t *testing.T) {
	var err error
	if w.o, err = outbox.Open(t.Context(), w.path); err != nil {
		t.Fatal(err)
	}
	w.u, err = uplink.New(uplink.Config{
		Outbox: w.o, Gateway: "http://gate.example/v1", Key: deviceKey, Online: online(onlineKey),
		Client: &http.Client{Transport: w.net}, MaxItems: w.items,
		Rand:  rand.New(rand.NewPCG(w.rng.Uint64(), 1)),
		NewID: func() string { return fmt.Sprintf("b-%x", w.rng.Uint64()) },
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) record(t *testing.T) {
	var batch []*outbox.Scan
	var kinds []string
	for range 1 + w.rng.IntN(4) {
		k := []string{"ok", "ok", "ok", "ok", "ok", "bad", "poison"}[w.rng.IntN(7)]
		// The same paper is scanned again and again.
		batch = append(batch, scan(fmt.Sprintf("%s %d", k, w.rng.IntN(5)), time.Now()))
		kinds = append(kinds, k)
	}
	if err := w.o.Record(t.Context(), batch...); err != nil {
		t.Fatal(err)
	}
	for i, s := range batch {
		w.scans[s.ScanID] = kinds[i]
		if kinds[i] == "poison" {
			w.poison++
		}
	}
}

// flush sends; a crash ends the program and starts it again.
func (w *world) flush(t *testing.T) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case crash:
			if err := w.o.Close(); err != nil {
				t.Fatal(err)
			}
			w.start(t)
		default:
			panic(r)
		}
	}()
	_, err := w.u.Flush(t.Context())
	if _, refused := errors.AsType[*uplink.RefusedError](err); err != nil && !refused &&
		!errors.Is(err, uplink.ErrUnreachable) && !errors.Is(err, uplink.ErrReceipt) {
		t.Fatalf("Flush = %v", err)
	}
}

// play runs one script and returns what went wrong, if anything.
func play(t *testing.T, dir string, seed uint64, bug mutation) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	g := newGateway(t)
	g.bug = bug
	w := &world{
		rng: rng, path: filepath.Join(dir, fmt.Sprintf("%s-%d.db", strings.ReplaceAll(string(bug), " ", "_"), seed)),
		net: &network{g: g, rng: rng}, scans: map[string]string{}, events: map[string]bool{}, items: 1 + rng.IntN(8),
	}
	w.start(t)
	defer func() { w.o.Close() }()
	for range 20 {
		switch rng.IntN(5) {
		case 0, 1:
			w.record(t)
		case 2:
			w.confirm(t)
			time.Sleep(time.Duration(rng.IntN(600)) * time.Second)
		default:
			w.flush(t)
		}
	}
	// The faults stop, time passes: everything must drain.
	w.net.healed = true
	for range 200 {
		w.flush(t)
		c, err := w.o.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		untold, err := w.o.Untold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c.Queued+c.Inflight == w.poison && len(untold) == 0 {
			break
		}
		time.Sleep(time.Minute)
	}
	return w.judge(t)
}

// judge checks the promises.
func (w *world) judge(t *testing.T) string {
	all, err := w.o.History(t.Context(), outbox.Filter{Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(w.scans) {
		return fmt.Sprintf("%d rows for %d scans", len(all), len(w.scans))
	}
	for _, e := range all {
		id, effects := e.Scan.ScanID, w.net.g.effects[e.Scan.ScanID]
		k, known := w.scans[id]
		switch {
		case !known:
			return fmt.Sprintf("row %s was never scanned", id)
		case k == "ok" && effects != 1:
			return fmt.Sprintf("scan %s has %d effects and is %s", id, effects, e.State)
		case k == "ok" && (e.State != outbox.Done || e.ReceiptID == 0 || e.Result.Verdict != "valid"):
			return fmt.Sprintf("scan %s is %s, receipt %d", id, e.State, e.ReceiptID)
		case k == "poison" && (effects != 0 || e.State != outbox.Queued || e.Code == ""):
			return fmt.Sprintf("poison scan %s has %d effects and is %s", id, effects, e.State)
		case k == "bad" && (effects != 0 || e.State != outbox.Dead || e.Code == ""):
			return fmt.Sprintf("%s scan %s has %d effects and is %s", k, id, effects, e.State)
		}
	}
	for id := range w.net.g.effects {
		if _, known := w.scans[id]; !known {
			return fmt.Sprintf("effect without a scan: %s", id)
		}
	}
	return w.judgeClock(t)
}

// modelDir is in memory where there is such a place: the scripts make thousands
// of durable commits.
func modelDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "tcode-model-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func scripts(t *testing.T) int {
	if s := os.Getenv(scriptsEnv); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if testing.Short() {
		return 20
	}
	return 40
}

// TestExactlyOnce plays random scripts of scans, waiting, sending, every fault
// of the network and crashes of the device. Each good scan has exactly one
// effect and is done; each bad one is dead with none; nothing is lost.
func TestExactlyOnce(t *testing.T) {
	dir := modelDir(t)
	for seed := range scripts(t) {
		synctest.Test(t, func(t *testing.T) {
			// On every other network strangers echo the batch id: that decides nothing.
			bug := []mutation{"", forgedEcho}[seed%2]
			if msg := play(t, dir, uint64(seed), bug); msg != "" {
				t.Fatalf("script %d: %s", seed, msg)
			}
		})
	}
}

// TestModelNotices is the control: a gateway or network that is wrong on
// purpose must be found out, or TestExactlyOnce proves nothing.
func TestModelNotices(t *testing.T) {
	dir := modelDir(t)
	for _, bug := range []mutation{noDedupe, dedupeByPayload, ackBeforeCommit} {
		t.Run(string(bug), func(t *testing.T) {
			const most = 200 // scripts
			for seed := range most {
				var msg string
				synctest.Test(t, func(t *testing.T) { msg = play(t, dir, uint64(seed), bug) })
				if msg != "" {
					t.Logf("script %d: %s", seed, msg)
					return
				}
			}
			t.Errorf("not noticed in %d scripts", most)
		})
	}
}
