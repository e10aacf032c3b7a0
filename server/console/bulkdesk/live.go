package bulkdesk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/bulk"
)

// The times of a stream. An event without news says that the line still works. A stream
// ends after streamLife, and the page attaches again: its request is checked as any other.
const (
	pollEvery   = time.Second
	newsWithin  = 5 * time.Second
	checkWithin = 10 * time.Second
	streamLife  = 10 * time.Minute
	fullWait    = 30 * time.Second // before a page tries again that got no stream
)

// state is the whole state of a job, as an event and as the first page have it. The texts
// are in the language of the page, by the part of the screen that shows them.
type state struct {
	Status string            `json:"status"`
	Over   bool              `json:"over"`
	Done   int               `json:"done"` // rows with an outcome
	Total  int               `json:"total"`
	Texts  map[string]string `json:"texts"`
}

// stateOf returns the state of a job.
func stateOf(j bulk.Job, now time.Time, w *words) state {
	p := j.Progress(now)
	s := state{Status: string(j.Status), Over: j.Status.Over(), Done: p.Counts.Processed(), Total: p.Counts.Total, Texts: map[string]string{
		"state": w.States[j.Status], "percent": strconv.Itoa(int(p.Percent)) + " %", "rows": fmt.Sprintf(w.RowsOf, p.Counts.Processed(), p.Counts.Total),
		"made": strconv.Itoa(p.Counts.Succeeded), "failed": strconv.Itoa(p.Counts.Failed), "left": "–", "rate": "–", "says": w.Says[string(j.Status)],
	}}
	if p.Rate > 0 {
		s.Texts["rate"] = strconv.FormatFloat(p.Rate, 'f', 1, 64)
	}
	if p.ETA >= 0 {
		s.Texts["left"] = w.lasting(p.ETA)
	}
	return s
}

// lasting returns a duration in words.
func (w *words) lasting(d time.Duration) string {
	minutes, seconds := int(d/time.Minute), int(d%time.Minute/time.Second)
	if minutes == 0 {
		return fmt.Sprintf(w.Seconds, seconds)
	}
	return fmt.Sprintf(w.Minutes, minutes) + " " + fmt.Sprintf(w.Seconds, seconds)
}

// events sends the state of a job now, whenever it changes, and at least every newsWithin,
// until the job is over.
func (d *desk) events(w http.ResponseWriter, r *http.Request, v account.Visit) {
	id := frame.Identity(r, v)
	j, err := d.c.Bulk.Find(r.Context(), id, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	leave, ok := d.streams.enter(v.Tenant.Reference, v.User.ID)
	if !ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(fullWait.Seconds())))
		d.Message(w, r, http.StatusTooManyRequests, func(t *frame.Words) frame.Note { return lexicon.Of(t.Language).TooManyStreams }, false)
		return
	}
	defer leave()
	out := newStream(w)
	words := lexicon.In(d.Page(r, nil))
	every := time.NewTicker(pollEvery)
	defer every.Stop()
	begun := time.Now()
	for checked := begun; ; {
		if err := out.send(stateOf(j, d.Now(), words)); err != nil || j.Status.Over() {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-every.C:
		}
		if d.c.Draining() || time.Since(begun) > streamLife {
			return
		}
		if time.Since(checked) > checkWithin {
			if checked = time.Now(); !d.Lasts(r, v, account.See) {
				return
			}
		}
		if j, err = d.c.Bulk.Find(r.Context(), id, j.ID); err != nil {
			return // the page attaches again, and learns why
		}
	}
}

// A stream sends events.
type stream struct {
	w    http.ResponseWriter
	c    *http.ResponseController
	last []byte    // the last event
	at   time.Time // when it was sent
}

// newStream begins the answer.
func newStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no") // proxies pass each event on
	w.WriteHeader(http.StatusOK)
	return &stream{w: gate.Paced(w), c: http.NewResponseController(w)}
}

// send sends a state, unless the page has it and heard of the gateway shortly before.
func (s *stream) send(now state) error {
	raw, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if bytes.Equal(raw, s.last) && time.Since(s.at) < newsWithin {
		return nil
	}
	s.last, s.at = raw, time.Now()
	// The time-out for reading a request must not end an answer that lasts.
	_ = s.c.SetReadDeadline(s.at.Add(4 * newsWithin))
	if _, err := fmt.Fprintf(s.w, "data: %s\n\n", raw); err != nil {
		return err
	}
	return s.c.Flush()
}
