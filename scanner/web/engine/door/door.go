package door

import (
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"tcode/offline/contain"
	"tcode/offline/host/journal"
	"tcode/scanner/pageimage"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/keep"
	"tcode/sync/transport"
)

// mostWaiting is the number of documents that wait for their turn.
const mostWaiting = 8

// Config describes a [Door].
type Config struct {
	// Trust, Scans and Notes open the journals of the device; required.
	Trust, Scans, Notes keep.Opener
	// Take asks another window to close the journals. nil: there are no others.
	Take func()
	// Key returns the device's Ed25519 key, and makes it at the first start; kind is "webcrypto" or "sealed". Required.
	Key func(context.Context) (key crypto.Signer, kind string, err error)
	// Transport reaches the gateway. nil: there is no network.
	Transport transport.Transport
	// Origin is the only one that the transport reaches, such as https://gateway.example. Empty: it reaches all.
	Origin string
	// Storage describes how the stores are kept, for [State]. nil: nothing is known.
	Storage func() any
	// Decode decodes JPEG pictures in PDFs. nil: pages with such pictures are not read.
	Decode pageimage.Decode
	// Picture decodes the picture of the request with this id; required for stills.
	Picture func(ctx context.Context, id int64) (engine.Decoded, error)
	Event   func(message []byte) // nil: nothing listens
	Now     func() time.Time     // nil: time.Now
	Version string               // of the engine
}

// A Door answers requests. It is safe for concurrent use.
type Door struct {
	cfg Config

	mu      sync.Mutex
	phone   *phone // nil before start, and after close
	waiting int
}

// New returns a door. It opens nothing before the request start.
func New(cfg Config) *Door {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Event == nil {
		cfg.Event = func([]byte) {}
	}
	return &Door{cfg: cfg}
}

// A request has the members of all requests.
type request struct {
	ID  int64  `json:"id"`
	Op  string `json:"op"`
	raw []byte

	Width, Height int    // px of a frame, whose bytes are gray
	Series        bool   `json:"series"`
	Name          string `json:"name"`
	Size          int64  `json:"size"`   // bytes of a picture file, whose begin is in data
	Source        string `json:"source"` // of a still
	Text          string `json:"text"`
	Context       place  `json:"context"`

	Language string `json:"language"`
	Version  string `json:"version"` // of the app
	Take     bool   `json:"take"`
	Guest    bool   `json:"guest"`

	Fingerprint string `json:"fingerprint"`
	Gateway     string `json:"gateway"`
	DeviceName  string `json:"deviceName"`
	Confirm     string `json:"confirm"`

	ScanID string `json:"scanId"`
	Dead   bool   `json:"dead"`
	Remark string `json:"remark"`
	Format string `json:"format"`
	filter

	Set     json.RawMessage `json:"set"`
	At      time.Time       `json:"at"`
	Despite bool            `json:"despite"`
}

// An Export is a file for the person. Its bytes travel beside the reply.
type Export struct {
	Name    string `json:"name"`
	Type    string `json:"type"` // media type
	Entries int    `json:"entries,omitempty"`
	bytes   []byte
}

// Ask answers one request: JSON as in PROTOCOL.md, with the bytes of its frame or file in data. file is the contents of an
// [Export], for the member bytes of the result.
func (d *Door) Ask(ctx context.Context, message, data []byte) (reply, file []byte) {
	var r request
	var result any
	err := json.Unmarshal(message, &r)
	if err != nil {
		err = &Failure{Code: "request", Message: err.Error()}
	} else {
		r.raw = message
		err = contain.Do("request", func() (err error) {
			result, err = d.answer(ctx, r, data)
			return err
		})
	}
	if export, ok := result.(Export); ok {
		file = export.bytes
	}
	all := map[string]any{"id": r.ID, "ok": err == nil, "result": result}
	if err != nil {
		delete(all, "result")
		all["error"] = failureOf(err)
		file = nil
	}
	return encode(all, r.ID), file
}

// encode writes a reply or an event.
func encode(v any, id int64) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		raw, _ = json.Marshal(map[string]any{"id": id, "ok": false, "error": Failure{Code: "internal", Message: err.Error()}})
	}
	return raw
}

// event tells the page something.
func (d *Door) event(members map[string]any) { d.cfg.Event(encode(members, 0)) }

// tell tells the page the members of v, which is a struct, as an event.
func (d *Door) tell(event string, v any) {
	raw := encode(v, 0)
	d.cfg.Event(append([]byte(`{"event":"`+event+`",`), raw[1:]...))
}

var errNotStarted = &Failure{Code: "not_started", Message: "start comes first"}

// open returns the started phone.
func (d *Door) open() (*phone, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.phone == nil {
		return nil, errNotStarted
	}
	return d.phone, nil
}

// queue lets a document wait for its turn, if not too many do.
func (d *Door) queue() (leave func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting > mostWaiting {
		return nil, &Failure{Code: "busy", Message: "too many documents wait"}
	}
	d.waiting++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.waiting--
	}, nil
}

// start opens the phone. A second start gives the state of the first.
func (d *Door) start(ctx context.Context, r request) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.phone == nil {
		p, err := d.openPhone(ctx, r)
		if err != nil {
			return nil, err
		}
		d.phone = p
	}
	return d.phone.state(ctx)
}

// Another window has this long to close the journals when it must.
const (
	handOver = 5 * time.Second
	lookAt   = 50 * time.Millisecond
)

// openPhone opens the stores. With take it asks another window to give them up, and waits for it.
func (d *Door) openPhone(ctx context.Context, r request) (*phone, error) {
	deadline := time.Now().Add(handOver)
	asked := false
	for {
		p, err := newPhone(ctx, d, r)
		if !errors.Is(err, journal.ErrOwned) || !r.Take || d.cfg.Take == nil || time.Now().After(deadline) {
			return p, err
		}
		if !asked {
			asked = true
			d.cfg.Take()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookAt):
		}
	}
}

// Close ends sending and closes the stores, after what is being stored.
func (d *Door) Close() error {
	d.mu.Lock()
	p := d.phone
	d.phone = nil
	d.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.close()
}

// GiveUp closes the stores because another window wants them, and says so.
func (d *Door) GiveUp() {
	err := d.Close()
	message := "another window uses the app now"
	if err != nil {
		message += ": " + err.Error()
	}
	d.event(map[string]any{"event": "fatal", "error": Failure{Code: "in_use", Message: message}})
}
