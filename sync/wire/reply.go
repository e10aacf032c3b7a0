package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"tcode/sync/wire/strictjson"
)

// ErrReply means that an answer is not a reply to a batch.
var ErrReply = errors.New("not a sync reply")

// These are the members of a reply; a newer gateway may send others, which are skipped.
var (
	replyMembers  = []string{"batchId", "receivedAt", "receipt", "results"}
	resultMembers = []string{"scanId", "result", "code", "message", "verdict", "verdictAtScan", "changed", "reference", "status"}
)

// MarshalJSON writes all members, null for absent ones, and times as in a
// request: whole milliseconds in UTC.
func (r Reply) MarshalJSON() ([]byte, error) {
	type plain Reply // without this method
	if r.Results == nil {
		r.Results = []ItemResult{}
	}
	return json.Marshal(struct {
		plain
		ReceivedAt string  `json:"receivedAt"`
		Receipt    *string `json:"receipt"`
	}{plain(r), formatTime(r.ReceivedAt), orNull(r.Receipt)})
}

// MarshalJSON writes all members, null for absent ones.
func (r ItemResult) MarshalJSON() ([]byte, error) {
	type plain ItemResult // without this method
	return json.Marshal(struct {
		plain
		Code          *string `json:"code"`
		Message       *string `json:"message"`
		Verdict       *string `json:"verdict"`
		VerdictAtScan *string `json:"verdictAtScan"`
		Reference     *string `json:"reference"`
		Status        *string `json:"status"`
	}{plain(r), orNull(r.Code), orNull(r.Message), orNull(r.Verdict), orNull(r.VerdictAtScan), orNull(r.Reference), orNull(r.Status)})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Encode writes the answer's body, the reply below data.
func (r Reply) Encode() ([]byte, error) {
	return json.Marshal(struct {
		Data Reply `json:"data"`
	}{r})
}

// DecodeReply reads the body of a 2xx answer, {"data": reply}. It is strict
// like [DecodeBatch]: it refuses a reply that answers one scan twice, or with
// an unknown word. The error wraps [ErrReply] and, for a place in the body, is
// a *FieldError too.
func DecodeReply(raw []byte) (Reply, error) {
	if len(raw) > MaxReplyBytes {
		return Reply{}, fmt.Errorf("%w: %w", ErrReply, ErrTooLarge)
	}
	v, err := parse(raw)
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrReply, err)
	}
	r, err := decodeReply(v)
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrReply, err)
	}
	return r, nil
}

func decodeReply(v strictjson.Node) (Reply, error) {
	ignored := newNotes()
	top := openObject(v, "", []string{"data"}, ignored)
	data, ok := top.get("data", strictjson.Object)
	if !ok {
		top.fail("data", ErrMissing, "")
		return Reply{}, top.err
	}
	f := openObject(data, "data", replyMembers, ignored)
	r := Reply{
		BatchID:    f.required("batchId", MaxIDLen),
		ReceivedAt: f.time("receivedAt"),
		Receipt:    f.str("receipt", MaxReceiptBytes),
	}
	list, ok := f.get("results", strictjson.Array)
	if !ok {
		f.fail("results", ErrMissing, "")
	}
	if len(list.Items) > MaxItems {
		f.fail("results", ErrTooLarge, "at most "+strconv.Itoa(MaxItems))
	}
	if f.err != nil {
		return r, f.err
	}
	seen := make(map[string]bool, len(list.Items))
	r.Results = make([]ItemResult, len(list.Items))
	for i, e := range list.Items {
		path := strictjson.Index("data.results", i)
		x, err := decodeResult(e, path, ignored)
		if err != nil {
			return r, err
		}
		if seen[x.ScanID] {
			return r, &FieldError{path + ".scanId", "", ErrDuplicate}
		}
		seen[x.ScanID], r.Results[i] = true, x
	}
	return r, nil
}

func decodeResult(v strictjson.Node, path string, ignored *notes) (ItemResult, error) {
	const most = 1000 // characters of any text in a result
	f := openObject(v, path, resultMembers, ignored)
	r := ItemResult{
		ScanID: f.required("scanId", MaxIDLen), Result: ItemOutcome(f.required("result", MaxIDLen)),
		Code: f.str("code", most), Message: f.str("message", most),
		Verdict: f.str("verdict", most), VerdictAtScan: f.str("verdictAtScan", most),
		Reference: f.str("reference", most), Status: f.str("status", most),
	}
	if changed, ok := f.get("changed", strictjson.Bool); ok {
		r.Changed = changed.True
	}
	if !r.Result.known() {
		f.fail("result", ErrValue, "")
	}
	return r, f.err
}

// TruncateMillis returns now in the precision of the wire: whole milliseconds in UTC.
func TruncateMillis(now time.Time) time.Time { return now.UTC().Truncate(time.Millisecond) }
