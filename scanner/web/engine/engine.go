// Package engine is the scanner without a terminal and without processes: pictures and files
// go in, answers come out. A worker of the browser runs it as WebAssembly (folder wasm), and a
// native shell can bind it by package door, whose example is one. Call [New], then [Engine.Frame], [Engine.Still] and [Engine.File].
//
//	frame ─▶ viewfinder ───────┐
//	picture, decoded ─▶ still ─┤
//	PDF ─▶ marks in its bytes, ┼─▶ answer.Reading ─▶ answer.Record (durable) ─▶ Answer
//	  or pages of pictures ────┘         ▲
//	                trustbook.Book ─▶ answer.Judge
//
// The rules of an answer are those of package answer, which the scanner on the command line
// uses too. PROTOCOL.md describes the messages between page and worker.
package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tcode/offline"
	"tcode/offline/jsontext"
	"tcode/offline/trustbook"
	"tcode/scanner/answer"
	"tcode/scanner/pageimage"
	"tcode/sync/devicetime"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// Scans is where an engine keeps its scans: an outbox.
type Scans interface {
	devicetime.History
	// Record stores scans in one commit and fills their ids. They are durable when it returns nil.
	Record(ctx context.Context, scans ...*outbox.Scan) error
}

// Config describes an [Engine].
type Config struct {
	Trust *trustbook.Book // required
	// Scans keeps the scans. nil: nothing is kept, and every answer says so.
	Scans  Scans
	Policy offline.Policy      // at first; see [Engine.SetPolicy]
	Now    func() time.Time    // nil: time.Now
	Boot   func() offline.Boot // nil: there is no boot-time clock
	// FrameBudget bounds the search of one frame; 0: as package viewfinder has it.
	FrameBudget time.Duration
	// Decode decodes JPEG pictures in PDFs, for [Engine.File]. nil: pages with such pictures are not read.
	Decode pageimage.Decode
}

// An Engine answers about pictures and files. It is safe for concurrent use; it reads one
// document at a time.
type Engine struct {
	cfg  Config
	turn sync.Mutex // one document is read at a time

	mu     sync.Mutex
	policy offline.Policy

	frame frames
}

// An Answer is the answer about one document.
type Answer struct {
	Findings []answer.Finding `json:"findings"`
	JSON     string           `json:"json"` // the findings as `tcode-scan verify --json` prints them
	Screens  []answer.Screen  `json:"screens"`
	Undrawn  []string         `json:"undrawn,omitempty"` // questions that only drawing could answer
	Source   string           `json:"source"`
	At       time.Time        `json:"at"`
	Again    bool             `json:"again,omitempty"` // of a scan that was judged before
}

// New returns an engine over open stores.
func New(cfg Config) (*Engine, error) {
	if cfg.Trust == nil {
		return nil, errors.New("engine: no trust state")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Boot == nil {
		cfg.Boot = func() offline.Boot { return offline.Boot{} }
	}
	e := &Engine{cfg: cfg, policy: cfg.Policy}
	e.frame.finder.Budget = cfg.FrameBudget
	return e, nil
}

// noScans is the history of an engine that keeps nothing.
type noScans struct{}

func (noScans) NewestScan(context.Context) (time.Time, error) { return time.Time{}, nil }

func (noScans) Correct(_ context.Context, e outbox.ClockEvent) (outbox.ClockEvent, bool, error) {
	return e, false, nil
}

func (noScans) ClockEvents(context.Context, int) ([]outbox.ClockEvent, error) { return nil, nil }

// Policy returns the present policy.
func (e *Engine) Policy() offline.Policy {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.policy
}

// SetPolicy changes the policy of later answers.
func (e *Engine) SetPolicy(p offline.Policy) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.policy = p
}

// Clock returns the clock of the device, for statements about its time.
func (e *Engine) Clock() devicetime.Clock {
	c := devicetime.Clock{Book: e.cfg.Trust, History: noScans{}, Policy: e.Policy(), Now: e.cfg.Now, Boot: e.cfg.Boot}
	if e.cfg.Scans != nil {
		c.History = e.cfg.Scans
	}
	return c
}

// judge returns the judge of one document with the present trust state and clock.
func (e *Engine) judge(ctx context.Context) (*answer.Judge, error) {
	snapshot, err := e.cfg.Trust.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("read trust state: %w", err)
	}
	clock, err := e.Clock().Reading(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	return answer.NewJudge(snapshot, e.Policy(), clock), nil
}

// conclude makes the answer of a reading. Its scans are durable when it returns.
func (e *Engine) conclude(ctx context.Context, r *answer.Reading, source string, where wire.Context) (Answer, error) {
	findings, err := r.Findings(ctx, answer.Drawing{})
	if err != nil {
		return Answer{}, err
	}
	if e.cfg.Scans != nil {
		store := answer.Store{Remember: e.cfg.Trust.Remember, Record: e.cfg.Scans.Record}
		if err := answer.Record(ctx, store, findings, e.cfg.Now(), where); err != nil {
			return Answer{}, err
		}
	}
	a, err := e.answerOf(findings, source)
	if err != nil {
		return Answer{}, err
	}
	if r.Doubted() {
		a.Undrawn = append(a.Undrawn, "restamp")
	}
	return a, nil
}

// answerOf puts findings into an answer.
func (e *Engine) answerOf(findings []answer.Finding, source string) (Answer, error) {
	a := Answer{Findings: findings, Source: source, At: e.cfg.Now().UTC().Truncate(time.Millisecond)}
	var lines bytes.Buffer
	out := jsontext.Encoder(&lines)
	for i := range findings {
		findings[i].NotKept = e.cfg.Scans == nil
		if err := out.Encode(findings[i]); err != nil {
			return Answer{}, err
		}
		a.Screens = append(a.Screens, findings[i].Screen(a.At))
	}
	a.JSON = lines.String()
	return a, nil
}
