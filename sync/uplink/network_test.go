package uplink_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// The network panics with a crash to end the program between two durable steps.
type crash struct{}

var errNet = errors.New("connection reset")

// A network is an http.RoundTripper that fails in every known way.
type network struct {
	g      *gateway
	rng    *rand.Rand
	clock  *clock
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
	case 18: // a forged answer with our batch id and no signature
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
	case 2: // request duplicated on the way
		n.deliver(req, body)
	case 3:
		return n.foreign(req, http.StatusServiceUnavailable, "Retry-After", strconv.Itoa(n.rng.IntN(120))), nil
	case 4:
		return n.foreign(req, http.StatusTooManyRequests, "Retry-After", n.clock.now().Add(time.Minute).UTC().Format(http.TimeFormat)), nil
	case 5: // reply cut off at any byte
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
	case 13: // the device dies after the effect, before recording it
		n.deliver(req, body)
		panic(crash{})
	case 14: // results of another batch's scans inserted
		return n.edit(req, body, func(r *wire.Reply) {
			r.Results = append(r.Results, wire.ItemResult{ScanID: "stranger", Result: wire.Accepted})
		}), nil
	case 15: // receipt lost on the way
		return n.edit(req, body, func(r *wire.Reply) { r.Receipt = "" }), nil
	}
	return n.deliver(req, body), nil
}

// latency may outlast the client's timeout.
func (n *network) latency(req *http.Request) error {
	if n.rng.IntN(20) == 0 {
		if err := n.clock.sleep(req.Context(), uplink.DefaultTimeout); err != nil {
			return err
		}
		return context.DeadlineExceeded
	}
	return n.clock.sleep(req.Context(), time.Duration(n.rng.IntN(100))*time.Millisecond)
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

// edit changes the reply on its way from the gateway.
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
	status, reply := http.StatusOK, wire.Reply{BatchID: b.ID, ReceivedAt: n.clock.now()}
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

// foreign returns an answer of another server.
func (n *network) foreign(req *http.Request, status int, name, value string) *http.Response {
	res := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<html>sign in</html>"))}
	res.Header.Set(name, value)
	return n.echo(req, res)
}

// echo implements the mutation forgedEcho: answers of other servers then have
// our batch id.
func (n *network) echo(req *http.Request, res *http.Response) *http.Response {
	if n.g.bug == forgedEcho {
		if res.Header = res.Header.Clone(); res.Header != nil {
			res.Header.Set(wire.HeaderBatchID, req.Header.Get(wire.HeaderBatchID))
		}
	}
	return res
}
