package uplink

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/transport"
	"tcode/sync/wire"
)

func newID() string { return uuid.NewString() }

// HTTP statuses with a meaning here.
const (
	statusBadRequest   = 400
	statusUnauthorized = 401
	statusForbidden    = 403
	statusTooLarge     = 413
)

// httpDate is the form of a date in a header.
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

// errAgain tells flush to continue immediately, in smaller batches.
var errAgain = errors.New("batch too large or poisoned")

// flush sends batches until no scan is due, and then the clock events that the
// gateway does not have.
func (u *Uplink) flush(ctx context.Context, rep *Report) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		online, err := u.cfg.Online(ctx)
		if err != nil {
			return err
		}
		if online.IsZero() {
			return ErrNoTrust
		}
		now := u.cfg.Now()
		leased, err := u.cfg.Outbox.Lease(ctx, u.cfg.NewID(), now, outbox.Limits{Items: u.limit})
		if err != nil {
			return err
		}
		if len(leased.Batch.Items) == 0 {
			return u.tell(ctx, online, rep)
		}
		leased.Batch.ScannerID, leased.Batch.SentAt = u.scannerID, wire.TruncateMillis(now)
		if err := u.spaced(ctx, leased, rep); err != nil {
			return err
		}
		rep.Batches++
		rep.Sent += len(leased.Batch.Items)
		err = u.batch(ctx, leased, online, rep)
		if err != nil && !errors.Is(err, errAgain) {
			u.cfg.Warn(ctx, "sync batch", "err", err, "items", len(leased.Batch.Items))
			return err
		}
	}
}

// spaced waits so that two requests for the same scans are [MinBackoff] apart, whatever
// the outbox returns. If a person stops it, it returns the batch to the queue.
func (u *Uplink) spaced(ctx context.Context, l outbox.Leased, rep *Report) error {
	digest := wire.DigestOf(l.Batch.ScannerID, l.Digests)
	if wait := MinBackoff - u.cfg.Now().Sub(u.lastAt); digest == u.last && wait > 0 {
		if err := u.cfg.Sleep(ctx, min(wait, MinBackoff)); err != nil {
			return errors.Join(err, u.putBack(context.WithoutCancel(ctx), l, outbox.Release, 0, rep))
		}
	}
	u.last, u.lastAt = digest, u.cfg.Now()
	return nil
}

// answered is the answer to a batch, from any sender.
type answered struct {
	status     int
	ours       bool // has our batch id
	retryAfter time.Duration
	body       []byte // complete
	err        error  // no answer, or an incomplete one
	asked      offline.Boot
}

// batch sends one batch and settles it.
func (u *Uplink) batch(ctx context.Context, l outbox.Leased, online trust.VerifierKey, rep *Report) error {
	body, err := l.Batch.EncodeWith(l.Encoded)
	if err != nil {
		return u.unsendable(ctx, l, err, rep)
	}
	asked := u.bootNow()
	a := u.send(ctx, l.Batch, body)
	a.asked = asked
	if ctx.Err() != nil {
		// A person has stopped it: the outcome is unknown, but there is no failure.
		return errors.Join(ctx.Err(), u.putBack(context.WithoutCancel(ctx), l, outbox.Release, 0, rep))
	}
	n := len(l.Batch.Items)
	switch {
	case a.err == nil && a.ours && a.status/100 == 2:
		return u.reply(ctx, l, a, online, rep)
	case a.err == nil && a.ours && (a.status == statusUnauthorized || a.status == statusForbidden):
		code, message := errorBody(a.body)
		u.failures++
		return errors.Join(&RefusedError{a.status, code, message}, u.putBack(ctx, l, outbox.Release, 0, rep))
	case a.err == nil && (a.status == statusTooLarge || a.ours && a.status == statusBadRequest):
		u.limit = max(1, n/2)
		if n > 1 {
			return errors.Join(errAgain, u.putBack(ctx, l, outbox.Release, 0, rep))
		}
		if a.ours {
			return errors.Join(errAgain, u.refused(ctx, l, a, rep))
		}
	}
	u.failures++
	wait := min(a.retryAfter, MaxRetryAfter)
	err = u.putBack(ctx, l, outbox.Retry, wait, rep)
	if wait > 0 && err == nil {
		err = u.cfg.Outbox.Pause(ctx, u.cfg.Now().Add(wait))
	}
	reason := a.err
	if reason == nil {
		reason = fmt.Errorf("HTTP status %d", a.status)
		if !a.ours {
			reason = fmt.Errorf("%w without our batch id", reason)
		}
	}
	return errors.Join(fmt.Errorf("%w: %w", ErrUnreachable, reason), err)
}

// send posts the batch, signed and gzipped. raw is its body.
func (u *Uplink) send(ctx context.Context, b wire.Batch, raw []byte) (a answered) {
	ctx, cancel := context.WithTimeout(ctx, u.cfg.Timeout)
	defer cancel()
	req, err := u.request(b, raw)
	if err != nil {
		return answered{err: err}
	}
	res, err := u.cfg.Transport.Do(ctx, req)
	if errors.Is(err, transport.ErrTooLarge) {
		err = wire.ErrTooLarge
	}
	return answered{
		status: res.Status, ours: res.Get(wire.HeaderBatchID) == b.ID,
		retryAfter: retryAfter(res.Get("Retry-After"), u.cfg.Now()), body: res.Body, err: err,
	}
}

func (u *Uplink) request(b wire.Batch, raw []byte) (r transport.Request, err error) {
	deviceKey, signature, err := wire.SignBatch(b, u.cfg.Key)
	if err != nil {
		return r, err
	}
	var body bytes.Buffer
	u.zip.Reset(&body)
	if _, err := u.zip.Write(raw); err != nil {
		return r, err
	}
	if err := u.zip.Close(); err != nil {
		return r, err
	}
	r = transport.Request{Method: "POST", URL: u.base + wire.Path, Body: body.Bytes(), MaxBody: wire.MaxReplyBytes, Header: map[string]string{
		"Content-Type":            "application/json",
		"Content-Encoding":        "gzip",
		"Accept":                  "application/json",
		"User-Agent":              u.cfg.UserAgent,
		wire.HeaderBatchID:        b.ID,
		wire.HeaderDeviceKey:      deviceKey,
		wire.HeaderBatchSignature: signature,
	}}
	if u.cfg.APIKey != "" {
		r.Header["x-api-key"] = u.cfg.APIKey
	}
	return r, nil
}

// reply settles a batch by the gateway's per-item results.
func (u *Uplink) reply(ctx context.Context, l outbox.Leased, a answered, online trust.VerifierKey, rep *Report) error {
	reply, err := wire.DecodeReply(a.body)
	if err == nil && reply.BatchID != l.Batch.ID {
		err = fmt.Errorf("%w: it is for another batch", wire.ErrReply)
	}
	if err != nil {
		u.failures++
		return errors.Join(fmt.Errorf("%w: %w", ErrUnreachable, err), u.putBack(ctx, l, outbox.Retry, 0, rep))
	}
	receipt, receiptErr := openReceipt(l.Batch, reply, online)
	s := outbox.Settlement{
		BatchID: l.Batch.ID, At: u.cfg.Now(), ReceivedAt: reply.ReceivedAt, Receipt: receipt,
	}
	for _, it := range l.Batch.Items {
		s.Answers = append(s.Answers, u.answer(it.ScanID, l.Attempts[it.ScanID], reply, receipt != nil, a.retryAfter))
	}
	if err := u.cfg.Outbox.Settle(ctx, s); err != nil {
		return err
	}
	rep.count(s.Answers)
	if receipt != nil {
		if err := u.prove(ctx, a.asked, online, receipt.Receipt); err != nil {
			u.cfg.Warn(ctx, "keep proof of time", "err", err)
		}
	}
	if receiptErr != nil {
		u.failures++
		return fmt.Errorf("%w: %w", ErrReceipt, receiptErr)
	}
	u.failures = 0
	u.limit = min(u.limit*2, u.cfg.MaxItems)
	return nil
}

// openReceipt verifies the receipt for the items that the gateway holds
// according to the reply. It returns nil, nil if the reply moves no scan out of
// the queue, so that there is nothing to prove.
func openReceipt(b wire.Batch, reply wire.Reply, online trust.VerifierKey) (*outbox.Receipt, error) {
	decides := func(r wire.ItemResult) bool { return r.Result != wire.Retry }
	if !slices.ContainsFunc(reply.Results, decides) && len(b.Clock) == 0 {
		return nil, nil
	}
	v, err := online.NoteVerifier()
	if err != nil {
		return nil, err
	}
	r, err := wire.OpenReceipt(reply.Receipt, v)
	if err != nil {
		return nil, err
	}
	if err := r.Match(b, reply.Results); err != nil {
		return nil, err
	}
	answers, _ := b.AppendResults(nil, reply.Results)
	return &outbox.Receipt{Receipt: r, Note: reply.Receipt, Answers: answers}, nil
}

// answer converts the gateway's result for one scan to an event. A scan whose
// result has no receipt, or that the reply does not mention, is sent again.
func (u *Uplink) answer(scanID string, attempts int, reply wire.Reply, receipt bool, after time.Duration) outbox.Answer {
	a := outbox.Answer{ScanID: scanID, Event: outbox.Retry}
	r, ok := reply.Result(scanID)
	switch {
	case !ok:
		a.Code = "not_answered"
	case r.Result != wire.Retry && !receipt:
		a.Code = "receipt_invalid"
	default:
		r.Changed = r.Verdict != r.VerdictAtScan // the reply's own member is not signed
		a.Event, a.Code, a.Message, a.Result = outbox.EventOf(r.Result), r.Code, r.Message, r
	}
	if a.Event == outbox.Retry {
		a.NextAt = u.cfg.Now().Add(max(u.backoff(attempts), min(after, MaxRetryAfter)))
	}
	return a
}

// putBack settles every scan of the batch with e.
func (u *Uplink) putBack(ctx context.Context, l outbox.Leased, e outbox.Event, wait time.Duration, rep *Report) error {
	now := u.cfg.Now()
	s := outbox.Settlement{BatchID: l.Batch.ID, At: now}
	for _, it := range l.Batch.Items {
		a := outbox.Answer{ScanID: it.ScanID, Event: e}
		if e == outbox.Retry {
			a.NextAt = now.Add(max(u.backoff(l.Attempts[it.ScanID]), wait))
			a.Code = "no_answer"
		}
		s.Answers = append(s.Answers, a)
	}
	rep.count(s.Answers)
	return u.cfg.Outbox.Settle(ctx, s)
}

// refused puts the only scan of a batch back that the gateway refused as a whole. Such
// an answer is not signed, so the scan stays and waits, but does not delay any other.
func (u *Uplink) refused(ctx context.Context, l outbox.Leased, a answered, rep *Report) error {
	code, message := errorBody(a.body)
	if code == "" {
		code = "http_" + strconv.Itoa(a.status)
	}
	id, now := l.Batch.Items[0].ScanID, u.cfg.Now()
	s := outbox.Settlement{BatchID: l.Batch.ID, At: now, Answers: []outbox.Answer{
		{ScanID: id, Event: outbox.Retry, NextAt: now.Add(u.backoff(l.Attempts[id])), Code: code, Message: message},
	}}
	rep.Refused++
	rep.count(s.Answers)
	return u.cfg.Outbox.Settle(ctx, s)
}

func (r *Report) count(answers []outbox.Answer) {
	for _, a := range answers {
		switch a.Event {
		case outbox.Accepted, outbox.Duplicate, outbox.Conflict:
			r.Done++
			if a.Event == outbox.Duplicate {
				r.Duplicate++
			}
			if a.Event == outbox.Conflict {
				r.Conflict++
			}
			if a.Result.Changed {
				r.Changed++
			}
		case outbox.Rejected:
			r.Dead++
		default:
			r.Retry++
		}
	}
}

// errorBody reads code and message of the gateway's error body; both are empty when it is something else. They are for people only.
func errorBody(body []byte) (code, message string) {
	var e struct{ Code, Message string }
	if json.Unmarshal(body, &e) != nil {
		return "", ""
	}
	return clip(e.Code, 64), clip(e.Message, 500)
}

// clip returns at most n bytes of valid text.
func clip(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}

// retryAfter reads RFC 9110 section 10.2.3, seconds or a date; it returns 0 for
// anything else.
func retryAfter(s string, now time.Time) time.Duration {
	if s == "" {
		return 0
	}
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, MaxRetryAfter)
	}
	for _, form := range []string{httpDate, time.RFC850, time.ANSIC} { // RFC 9110 section 5.6.7
		if at, err := time.Parse(form, s); err == nil {
			return min(max(at.Sub(now), 0), MaxRetryAfter)
		}
	}
	return 0
}
