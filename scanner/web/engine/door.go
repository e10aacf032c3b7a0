package engine

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"time"

	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/scanner/gray"
	"tcode/sync/wire"
)

// A Door takes the requests of a page as texts and bytes, and answers in texts. It is safe for
// concurrent use.
type Door struct{ engine *Engine }

// NewDoor returns the door of an engine.
func NewDoor(e *Engine) *Door { return &Door{e} }

// A request has the members of all requests that the door takes.
type request struct {
	ID            int64  `json:"id"`
	Op            string `json:"op"`
	Width, Height int    // px of a frame, whose bytes are gray
	Series        bool   `json:"series"`
	Name          string `json:"name"`
	Fingerprint   string `json:"fingerprint"`
	Context       place  `json:"context"`
}

type place struct {
	Location  string   `json:"location"`
	Note      string   `json:"note"`
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
}

// A Failure is the error of a reply. Code is one of PROTOCOL.md.
type Failure struct {
	Code        string `json:"code"`
	Message     string `json:"message"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

func (f *Failure) Error() string { return f.Message }

// Ask answers one request: JSON as in PROTOCOL.md, with the bytes of its frame or file in data.
func (d *Door) Ask(ctx context.Context, message, data []byte) []byte {
	var r request
	var result any
	err := json.Unmarshal(message, &r)
	if err != nil {
		err = &Failure{Code: "request", Message: err.Error()}
	} else {
		result, err = d.answer(ctx, r, data)
	}
	reply := map[string]any{"id": r.ID, "ok": err == nil, "result": result}
	if err != nil {
		delete(reply, "result")
		reply["error"] = failureOf(err)
	}
	raw, err := json.Marshal(reply)
	if err != nil {
		raw, _ = json.Marshal(map[string]any{"id": r.ID, "ok": false, "error": Failure{Code: "internal", Message: err.Error()}})
	}
	return raw
}

func (d *Door) answer(ctx context.Context, r request, data []byte) (any, error) {
	start := time.Now()
	where, err := r.Context.wire()
	if err != nil {
		return nil, err
	}
	switch r.Op {
	case "start":
		return map[string]any{"engine": map[string]any{"go": runtime.Version()}, "keeps": d.engine.cfg.Scans != nil}, nil
	case "frame":
		if r.Width <= 0 || r.Height <= 0 || r.Width > mostSide || r.Height > mostSide || len(data) != r.Width*r.Height {
			return nil, ErrFrame
		}
		return d.engine.Frame(ctx, &gray.Image{Width: r.Width, Height: r.Height, Stride: r.Width, Pix: data}, r.Series, where)
	case "file":
		a, err := d.engine.File(ctx, r.Name, data, where)
		return map[string]any{"answer": a, "ms": time.Since(start).Milliseconds()}, err
	case "importTrust":
		return d.engine.importTrust(ctx, r.Fingerprint, data)
	case "memory":
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return map[string]any{"heapBytes": m.HeapInuse, "sysBytes": m.Sys}, nil
	}
	return nil, &Failure{Code: "request", Message: "unknown op " + r.Op}
}

// wire checks the context of a scan.
func (c place) wire() (wire.Context, error) {
	w := wire.Context{Location: c.Location, Note: c.Note}
	if len([]rune(c.Location)) > wire.MaxLocationLen || len([]rune(c.Note)) > wire.MaxNoteLen {
		return w, &Failure{Code: "request", Message: "location or note is too long"}
	}
	if c.Latitude == nil || c.Longitude == nil {
		return w, nil
	}
	if math.Abs(*c.Latitude) > 90 || math.Abs(*c.Longitude) > 180 {
		return w, &Failure{Code: "request", Message: "no such place"}
	}
	w.Coordinates, w.LatitudeE6, w.LongitudeE6 = true, int32(math.Round(*c.Latitude*1e6)), int32(math.Round(*c.Longitude*1e6))
	return w, nil
}

// failureOf puts an error in the codes of PROTOCOL.md.
func failureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	for _, c := range []struct {
		is   error
		code string
	}{
		{ErrBusy, "busy"},
		{ErrFrame, "request"},
		{ErrTooLarge, "too_large"},
		{ErrPicture, "document"},
		{trustbook.ErrNotEnrolled, "not_enrolled"},
		{trustbook.ErrOtherRoot, "other_root"},
		{trust.ErrFingerprint, "fingerprint"},
		{trustbook.ErrExport, "refused"},
		{trustbook.ErrState, "damaged"},
	} {
		if errors.Is(err, c.is) {
			return &Failure{Code: c.code, Message: err.Error()}
		}
	}
	if _, ok := errors.AsType[*trust.DocumentError](err); ok {
		return &Failure{Code: "refused", Message: err.Error()}
	}
	return &Failure{Code: "internal", Message: err.Error()}
}
