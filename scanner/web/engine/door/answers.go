package door

import (
	"context"
	"encoding/json"
	"runtime"
	"time"

	"tcode/offline/payload"
	"tcode/scanner/filekind"
	"tcode/scanner/gray"
	"tcode/scanner/web/engine"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// answer answers one request.
func (d *Door) answer(ctx context.Context, r request, data []byte) (any, error) {
	switch r.Op {
	case "start":
		return d.start(ctx, r)
	case "close":
		return struct{}{}, d.Close()
	case "kind":
		kind := filekind.Of(data)
		return map[string]any{"kind": kind, "picture": engine.IsPicture(kind)}, nil
	case "memory":
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return map[string]any{"heapBytes": m.HeapInuse, "sysBytes": m.Sys}, nil
	}
	p, err := d.open()
	if err != nil {
		return nil, err
	}
	if p.guest && !guestOps[r.Op] {
		return nil, errGuest
	}
	switch r.Op {
	case "frame":
		return p.frame(ctx, r, data)
	case "file", "still", "typed", "rejudge":
		leave, err := d.queue()
		if err != nil {
			return nil, err
		}
		defer leave()
		return p.document(ctx, r, data)
	case "counts":
		return p.counts(ctx)
	case "history":
		return p.history(ctx, r.filter)
	case "entry":
		return p.entry(ctx, r.ScanID)
	case "annotate":
		return p.annotate(ctx, r.ScanID, r.Remark)
	case "exportHistory":
		return p.exportHistory(ctx, r.Format, r.State)
	case "sync", "sendNow":
		return p.sync(ctx, r)
	case "refresh":
		report, err := p.link.Refresh(ctx)
		return viewOf(report), err
	case "readCode":
		return p.readCode(ctx, r.Text)
	case "enrol":
		return p.enrol(ctx, r)
	case "importTrust":
		return p.importTrust(ctx, r.Fingerprint, data)
	case "exportTrust":
		return p.exportTrust(ctx)
	case "trust":
		return p.trustNow(ctx)
	case "settings":
		return p.change(ctx, r.Set)
	case "confirmTime":
		return p.confirmTime(ctx, r.At, r.Despite)
	case "forget":
		return p.forget(ctx, r.Confirm)
	}
	return nil, &Failure{Code: "request", Message: "unknown op " + r.Op}
}

// A Look is the result of one frame.
type Look struct {
	engine.Look
	Enrolment *Code `json:"enrolment,omitempty"`
}

func (p *phone) frame(ctx context.Context, r request, data []byte) (any, error) {
	where, err := r.Context.wire()
	if err != nil {
		return nil, err
	}
	if r.Width <= 0 || r.Height <= 0 || r.Width > len(data) || len(data) != r.Width*r.Height {
		return nil, engine.ErrFrame
	}
	look, err := p.engine.Frame(ctx, &gray.Image{Width: r.Width, Height: r.Height, Stride: r.Width, Pix: data}, r.Series, where)
	if err != nil {
		return nil, err
	}
	p.stored(ctx, look.Answer)
	result := Look{Look: look}
	if look.Foreign != "" {
		// Any Data Matrix may be before the camera: one that is no enrolment code is no error.
		result.Enrolment, _ = p.readCode(ctx, look.Foreign)
	}
	return result, nil
}

// A Judged is the result about one document.
type Judged struct {
	Answer *engine.Answer `json:"answer,omitempty"`
	Ms     int64          `json:"ms"`
}

func (p *phone) document(ctx context.Context, r request, data []byte) (any, error) {
	start := time.Now()
	where, err := r.Context.wire()
	if err != nil {
		return nil, err
	}
	var a engine.Answer
	switch r.Op {
	case "file":
		a, err = p.engine.File(ctx, r.Name, data, where)
	case "still":
		a, err = p.still(ctx, r, data, where)
	case "typed":
		if result, err := p.typedOther(ctx, r.Text); result != nil || err != nil {
			return result, err
		}
		a, err = p.engine.Typed(ctx, r.Text, where)
	default:
		return p.rejudge(ctx, r.ScanID)
	}
	if err != nil {
		return nil, err
	}
	p.stored(ctx, &a)
	return Judged{&a, time.Since(start).Milliseconds()}, nil
}

// still judges a picture that the worker holds, with the bytes of its file; nil: it has none.
func (p *phone) still(ctx context.Context, r request, file []byte, where wire.Context) (engine.Answer, error) {
	if p.door.cfg.Picture == nil || r.Source != engine.SourcePhoto && r.Source != engine.SourceFile {
		return engine.Answer{}, &Failure{Code: "request", Message: "no picture, or no source of it"}
	}
	decode := func(ctx context.Context) (engine.Decoded, error) { return p.door.cfg.Picture(ctx, r.ID) }
	return p.engine.Still(ctx, engine.Still{Name: r.Name, Source: r.Source, File: file, Size: r.Size, Decode: decode}, where)
}

// maxTyped is the largest text, in bytes.
const maxTyped = 8192

// A Typed is the result about a text that is not of a TCode.
type Typed struct {
	Reference string  `json:"reference,omitempty"`
	Entries   []Entry `json:"entries,omitempty"` // of this device, with that reference
	Enrolment *Code   `json:"enrolment,omitempty"`
}

// typedOther answers a reference or an enrolment code; otherwise the result is nil.
func (p *phone) typedOther(ctx context.Context, text string) (any, error) {
	if len(text) > maxTyped {
		return nil, &Failure{Code: "too_large", Message: "a text has at most 8,192 characters"}
	}
	if code, err := p.readCode(ctx, text); err == nil {
		return Typed{Enrolment: code}, nil
	}
	prefix, reference, err := payload.ReadReference(text)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // it may be the text of a TCode
	}
	typed := Typed{Reference: reference.Shown(prefix), Entries: []Entry{}}
	err = p.each(ctx, filter{Search: typed.Reference}, func(_ outbox.Entry, e Entry) bool {
		if e.Reference == typed.Reference {
			typed.Entries = append(typed.Entries, e)
		}
		return len(typed.Entries) < fewEntries
	})
	return typed, err
}

func (p *phone) rejudge(ctx context.Context, scanID string) (any, error) {
	row, err := p.row(ctx, scanID)
	if err != nil {
		return nil, err
	}
	kept, ok := p.kept(scanID)
	a, err := p.engine.Rejudge(ctx, row, ok && (kept.Headline == "valid" || kept.Headline == "stale"))
	if err != nil {
		return nil, err
	}
	return Judged{Answer: &a}, nil
}

// stored keeps an answer as it is shown, and lets its scans be sent. The scans are durable already, so a failure here
// costs a screen of the history.
func (p *phone) stored(ctx context.Context, a *engine.Answer) {
	if a == nil {
		return
	}
	var ids []string
	for _, f := range a.Findings {
		if f.ScanID != "" {
			ids = append(ids, f.ScanID)
		}
	}
	if len(ids) == 0 {
		return
	}
	if raw, err := json.Marshal(a); err == nil {
		_ = p.notes.KeepAnswer(ctx, ids, raw)
	}
	p.tellCounts()
	p.link.More()
}
