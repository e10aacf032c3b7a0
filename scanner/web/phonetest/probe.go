package phonetest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

//go:embed probe-worker.js
var probeWorker string

//go:embed probe-page.js
var probePage string

// A Probe notes on one time line when the scans of the app become durable, when replies with verdicts leave the engine, and when a
// verdict appears in the page. Call [Phone.Probe] before [Phone.On], and serve the app through [Probed].
type Probe struct{ p *Phone }

// Modes of a probe. The faults are those that a checker of the time line must find.
const (
	Plain         = ""
	Slow          = "slow"           // each commit takes 300 ms longer, in both copies
	EarlyDatabase = "early database" // a fault: the engine hears of a transaction before it is complete
	EarlyLog      = "early log"      // a fault: flush returns before it has begun
	EarlyPage     = "early page"     // a fault: the page shows a verdict before it asks for one
)

// A Look is one document for the app.
type Look struct {
	Kind  string `json:"kind"` // file, still (a photo of the phone's own camera) or typed
	Name  string `json:"name"`
	Text  string `json:"text"`  // of typed
	Bytes []byte `json:"bytes"` // of the others
}

// An Event is one moment on the time line.
type Event struct {
	At   float64 // ms since 1970
	What string  // see [Late]; and held: a transaction is complete, and the engine has not heard of it
	IDs  []string
	Text string
}

// Probed returns a handler that passes requests to the server of an app, and puts the worker's half of a probe before its engine.
func Probed(server string) (http.Handler, error) { return Before(server, probeWorker) }

// Probe puts the page's half of a probe before the scripts of each page.
func (p *Phone) Probe() *Probe {
	p.scripts = append(p.scripts, probePage)
	return &Probe{p}
}

// Looks has documents judged one after another, by the app's own functions, and returns what happened meanwhile and the headlines on the
// screen.
func (b *Probe) Looks(mode string, looks ...Look) (events []Event, headlines []string) {
	b.p.t.Helper()
	setMode := func(mode string) {
		b.p.t.Helper()
		Eval[bool](b.p, "tcodeProbe.mode("+Quoted(mode)+")")
	}
	setMode(mode)
	Eval[[]Event](b.p, "tcodeProbe.take()")
	for _, l := range looks {
		raw, err := json.Marshal(struct {
			Look
			Mode string `json:"mode"`
		}{l, mode})
		if err != nil {
			b.p.t.Fatal(err)
		}
		headlines = append(headlines, Eval[string](b.p, "tcodeProbe.look("+string(raw)+")"))
	}
	setMode(Plain)
	events = Eval[[]Event](b.p, "tcodeProbe.take()")
	slices.SortStableFunc(events, func(a, b Event) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
	return events, headlines
}

// Late returns what is wrong with the time line of a number of looks, a text for each wrong one. In each look this order is right:
//
//	look ─▶ flush: the log has the scan ─▶ complete: the database has it ─▶ reply: leaves the worker ─▶ verdict ─▶ shown
func Late(events []Event, looks int) (wrong []string) {
	number := 0
	for i, e := range events {
		if e.What != "look" {
			continue
		}
		number++
		end := len(events)
		if n := slices.IndexFunc(events[i+1:], func(e Event) bool { return e.What == "look" }); n >= 0 {
			end = i + 1 + n
		}
		if all := lateIn(events[i+1:end], events[i+1:]); len(all) > 0 {
			wrong = append(wrong, fmt.Sprintf("look %d (%s): %s", number, e.Text, strings.Join(all, ", ")))
		}
	}
	if number != looks {
		wrong = append(wrong, fmt.Sprintf("%d looks, want %d", number, looks))
	}
	return wrong
}

// lateIn is Late for one look, with its events and all from its begin on: late commits are among the others.
func lateIn(events, after []Event) (wrong []string) {
	first := func(events []Event, what, id string) int {
		return slices.IndexFunc(events, func(e Event) bool { return e.What == what && (id == "" || slices.Contains(e.IDs, id)) })
	}
	reply, verdict := first(events, "reply", ""), first(events, "verdict", "")
	if reply < 0 || verdict < 0 || len(events[reply].IDs) == 0 {
		return []string{"no reply with a scan, or no verdict"}
	}
	if verdict < reply {
		wrong = append(wrong, fmt.Sprintf("%s appears %.1f ms before the reply", events[verdict].Text, events[reply].At-events[verdict].At))
	}
	for _, id := range events[reply].IDs {
		for _, copied := range []string{"flush", "complete"} {
			at := first(after, copied, id)
			switch {
			case id == "" || at < 0:
				wrong = append(wrong, fmt.Sprintf("no %s of scan %q", copied, id))
			case at > reply:
				wrong = append(wrong, fmt.Sprintf("the reply leaves %.1f ms before %s", after[at].At-events[reply].At, copied))
			case at > verdict:
				wrong = append(wrong, fmt.Sprintf("%s appears %.1f ms before %s", events[verdict].Text, after[at].At-events[verdict].At, copied))
			}
		}
	}
	return wrong
}
