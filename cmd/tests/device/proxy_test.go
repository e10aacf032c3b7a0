package device_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"tcode/sync/wire"
)

// A badProxy is between scanners and a gateway. It cuts, delays, repeats
// and forges requests to sync and their answers, until it is healed.
type badProxy struct {
	target string // host:port of the gateway
	healed atomic.Bool
	late   sync.WaitGroup // requests that are delivered after their client has gone

	mu    sync.Mutex // guards the fields below
	asked int        // requests to sync
	done  int        // faults
	rng   *rand.Rand
	did   map[string]int
	old   []wire.Reply // earlier answers, with their receipts
}

// keptReplies is the number of earlier answers that a badProxy keeps.
const keptReplies = 50

func newBadProxy(target string) *badProxy {
	return &badProxy{target: target, rng: rand.New(rand.NewPCG(3, 4)), did: map[string]int{}}
}

// A fault writes the answer to a request, or ends its connection.
type fault struct {
	name string
	do   func(p *badProxy, rw http.ResponseWriter, r *http.Request, body []byte)
}

var faults = []fault{
	{"request cut", func(p *badProxy, _ http.ResponseWriter, r *http.Request, body []byte) {
		p.sendPart(r, body, p.draw(len(body)))
		panic(http.ErrAbortHandler)
	}},
	{"reply lost", func(p *badProxy, _ http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		panic(http.ErrAbortHandler)
	}},
	{"reply cut", func(p *badProxy, rw http.ResponseWriter, r *http.Request, body []byte) {
		a := p.forward(r, body)
		rw.Header().Set("Content-Length", strconv.Itoa(len(a.body)+1))
		a.body = a.body[:p.draw(len(a.body)+1)]
		a.write(rw)
		panic(http.ErrAbortHandler)
	}},
	{"delayed", func(p *badProxy, rw http.ResponseWriter, r *http.Request, body []byte) {
		time.Sleep(time.Duration(p.draw(300)) * time.Millisecond)
		p.forward(r, body).write(rw)
	}},
	{"delivered after the client has gone", func(p *badProxy, _ http.ResponseWriter, r *http.Request, body []byte) {
		wait := time.Duration(p.draw(2000)) * time.Millisecond
		p.late.Go(func() {
			time.Sleep(wait)
			p.forward(r, body)
		})
		panic(http.ErrAbortHandler)
	}},
	{"doubled", func(p *badProxy, rw http.ResponseWriter, r *http.Request, body []byte) {
		p.late.Go(func() { p.forward(r, body) })
		p.forward(r, body).write(rw)
	}},
	{"rejected by a forger", func(_ *badProxy, rw http.ResponseWriter, r *http.Request, body []byte) {
		forgedReply(r, body, wire.Rejected, "").write(rw)
	}},
	{"refused by a forger", func(_ *badProxy, rw http.ResponseWriter, r *http.Request, _ []byte) {
		reject(rw, r)
	}},
	{"accepted by a forger with another batch's receipt", func(p *badProxy, rw http.ResponseWriter, r *http.Request, body []byte) {
		forgedReply(r, body, wire.Accepted, p.earlier().Receipt).write(rw)
	}},
	{"reply of another batch", func(p *badProxy, rw http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		reply := p.earlier()
		reply.BatchID = r.Header.Get(wire.HeaderBatchID)
		answerOf(r, reply).write(rw)
	}},
	{"verdicts changed under the receipt", changed(func(it *wire.ItemResult) { it.Verdict = "revoked" })},
	{"results changed under the receipt", changed(func(it *wire.ItemResult) { it.Result = wire.Rejected })},
	{"half of the results missing", func(p *badProxy, rw http.ResponseWriter, r *http.Request, body []byte) {
		p.edit(r, body, func(reply *wire.Reply) { reply.Results = reply.Results[:len(reply.Results)/2] }).write(rw)
	}},
	{"asked to wait", func(_ *badProxy, rw http.ResponseWriter, _ *http.Request, _ []byte) {
		rw.Header().Set("Retry-After", "1")
		rw.WriteHeader(http.StatusServiceUnavailable)
	}},
	{"page of a portal", func(_ *badProxy, rw http.ResponseWriter, _ *http.Request, _ []byte) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(rw, "<html>sign in</html>")
	}},
}

func changed(change func(*wire.ItemResult)) func(*badProxy, http.ResponseWriter, *http.Request, []byte) {
	return func(p *badProxy, rw http.ResponseWriter, r *http.Request, body []byte) {
		p.edit(r, body, func(reply *wire.Reply) {
			for i := range reply.Results {
				change(&reply.Results[i])
			}
		}).write(rw)
	}
}

// ServeHTTP passes every fifth request to sync unchanged, and all other
// requests.
func (p *badProxy) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if r.URL.Path == wire.Path && !p.healed.Load() {
		if fault := p.next(); fault.do != nil {
			fault.do(p, rw, r, body)
			return
		}
	}
	p.forward(r, body).write(rw)
}

func (p *badProxy) draw(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rng.IntN(n)
}

// next returns the faults in turn, and none for every fifth request.
func (p *badProxy) next() (f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked++; p.asked%5 != 0 {
		f = faults[p.done%len(faults)]
		p.done++
		p.did[f.name]++
	}
	return f
}

// kinds returns the number of different faults so far.
func (p *badProxy) kinds() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.did)
}

func (p *badProxy) earlier() (r wire.Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.old) > 0 {
		r = p.old[p.rng.IntN(len(p.old))]
	}
	return r
}

// A relayed is an answer on its way to the client.
type relayed struct {
	status int
	header http.Header
	body   []byte
}

func (a relayed) write(rw http.ResponseWriter) {
	for _, name := range []string{"Content-Type", "Retry-After", wire.HeaderBatchID} {
		if v := a.header.Get(name); v != "" {
			rw.Header().Set(name, v)
		}
	}
	rw.WriteHeader(a.status)
	_, _ = rw.Write(a.body)
}

// forward sends the request to the gateway and keeps its answer.
func (p *badProxy) forward(r *http.Request, body []byte) relayed {
	out, err := http.NewRequest(r.Method, "http://"+p.target+r.URL.RequestURI(), bytes.NewReader(body)) //nolint:noctx // outlives its client
	if err != nil {
		return relayed{status: http.StatusBadGateway}
	}
	out.Header = r.Header.Clone()
	res, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return relayed{status: http.StatusBadGateway}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return relayed{status: http.StatusBadGateway}
	}
	if reply, err := wire.DecodeReply(raw); err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.old = append(p.old, reply); len(p.old) > keptReplies {
			p.old = p.old[1:]
		}
	}
	return relayed{res.StatusCode, res.Header, raw}
}

// sendPart sends the head of a request and n bytes of its body, and hangs up.
func (p *badProxy) sendPart(r *http.Request, body []byte, n int) {
	conn, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", r.Method, r.URL.RequestURI(), p.target, len(body))
	_ = r.Header.Write(conn)
	_, _ = conn.Write(append([]byte("\r\n"), body[:n]...))
}

// edit forwards the request and changes the gateway's answer.
func (p *badProxy) edit(r *http.Request, body []byte, change func(*wire.Reply)) relayed {
	a := p.forward(r, body)
	reply, err := wire.DecodeReply(a.body)
	if err != nil {
		return a
	}
	change(&reply)
	return answerOf(r, reply)
}

func answerOf(r *http.Request, reply wire.Reply) relayed {
	raw, err := reply.Encode()
	if err != nil {
		return relayed{status: http.StatusBadGateway}
	}
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set(wire.HeaderBatchID, r.Header.Get(wire.HeaderBatchID))
	return relayed{http.StatusOK, h, raw}
}

// forgedReply gives every scan of the request one result. The gateway never
// receives the request.
func forgedReply(r *http.Request, body []byte, result wire.ItemOutcome, receipt string) relayed {
	raw := body
	if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
		raw, _ = io.ReadAll(z)
	}
	b, _ := wire.DecodeBatch(raw)
	reply := wire.Reply{BatchID: b.ID, ReceivedAt: wire.TruncateMillis(time.Now()), Receipt: receipt}
	for _, it := range b.Items {
		res := wire.ItemResult{ScanID: it.ScanID, Result: result, Verdict: "valid", VerdictAtScan: "valid"}
		if result == wire.Rejected {
			res.Code, res.Verdict, res.VerdictAtScan = "FORGED", "", ""
		}
		reply.Results = append(reply.Results, res)
	}
	return answerOf(r, reply)
}
