package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"time"

	"tcode/offline/digest"
	"tcode/sync/wire/strictjson"
)

// MaxClockEvents is the limit of clock events in a batch.
const MaxClockEvents = 50

// Kinds of clock events.
const (
	// ClockEventAhead: a proof of time showed that scans or documents were dated by a
	// clock that ran ahead.
	ClockEventAhead = "clock_was_ahead"
	// ClockEventConfirmed: an operator confirmed the device's clock.
	ClockEventConfirmed = "clock_confirmed"
)

var clockKinds = []string{ClockEventAhead, ClockEventConfirmed}

// A ClockEvent is a correction of a device's view of the time. The gateway
// stores only those of signed batches.
type ClockEvent struct {
	ID           string    // UUID in lower case, version 7 from our own devices
	Kind         string    // ClockEventAhead or ClockEventConfirmed
	At           time.Time // the proven time, or the one that the operator confirmed; whole milliseconds, UTC
	Was          time.Time // the latest date that it contradicts; zero: none
	TrustVersion uint64    // of the timestamp document dated ahead; 0: none
	Scans        uint64    // the number of scans that were dated ahead
	AfterSeq     uint64    // number of the last scan before it
}

// clockMembers are the members of a clock event.
var clockMembers = []string{"eventId", "kind", "at", "was", "trustVersion", "scans", "afterSeq"}

// Domain separators of clock events (FORMAT.md section 9).
const (
	eventDomain = "TCode-Event/1\n\x00\x00"
	clockDomain = "TCode-Clock/1\n\x00\x00"
)

// Digest returns SHA-256 over the canonical form of the event (FORMAT.md section 9).
func (e ClockEvent) Digest() digest.SHA256 {
	b := append(make([]byte, 0, 160), eventDomain...)
	b = appendString(b, e.ID)
	b = appendString(b, e.Kind)
	b = appendMillis(b, e.At)
	b = appendMillis(b, e.Was)
	for _, n := range []uint64{e.TrustVersion, e.Scans, e.AfterSeq} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return sha256.Sum256(b)
}

// ClockDigest returns SHA-256 over the scanner id and the digests of the clock
// events in order (FORMAT.md section 9).
func (b Batch) ClockDigest() digest.SHA256 {
	m := append(make([]byte, 0, 64+32*len(b.Clock)), clockDomain...)
	m = appendString(m, b.ScannerID)
	m = binary.BigEndian.AppendUint32(m, uint32(len(b.Clock)))
	for _, e := range b.Clock {
		d := e.Digest()
		m = append(m, d[:]...)
	}
	return sha256.Sum256(m)
}

// MarshalJSON writes the event in the form of FORMAT.md.
func (e ClockEvent) MarshalJSON() ([]byte, error) {
	was := ""
	if !e.Was.IsZero() {
		was = formatTime(e.Was)
	}
	return json.Marshal(struct {
		ID           string `json:"eventId"`
		Kind         string `json:"kind"`
		At           string `json:"at"`
		Was          string `json:"was,omitempty"`
		TrustVersion uint64 `json:"trustVersion"`
		Scans        uint64 `json:"scans"`
		AfterSeq     uint64 `json:"afterSeq"`
	}{e.ID, e.Kind, formatTime(e.At), was, e.TrustVersion, e.Scans, e.AfterSeq})
}

// Check returns an error if no gateway takes the event.
func (e ClockEvent) Check() error {
	raw, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	node, err := strictjson.Parse(raw)
	if err != nil {
		return err
	}
	const path = "clockEvents[0]"
	read, err := decodeClockEvent(node, path, newNotes())
	if err == nil && read.Digest() != e.Digest() {
		err = &FieldError{path, "it reads as another event", ErrValue}
	}
	return err
}

// decodeClock reads the member clockEvents, which may be absent.
func (f *fields) decodeClock(ignored *notes) (all []ClockEvent) {
	list, ok := f.get("clockEvents", strictjson.Array)
	if !ok || f.err != nil {
		return nil
	}
	if len(list.Items) > MaxClockEvents {
		f.fail("clockEvents", ErrTooLarge, "at most "+strconv.Itoa(MaxClockEvents)+" events")
		return nil
	}
	first := make(map[string]int, len(list.Items))
	for i, v := range list.Items {
		path := strictjson.Index("clockEvents", i)
		e, err := decodeClockEvent(v, path, ignored)
		if j, dup := first[e.ID]; dup && err == nil {
			err = &FieldError{path + ".eventId", "same as in " + strictjson.Index("clockEvents", j), ErrDuplicate}
		}
		if err != nil {
			f.err = err
			return nil
		}
		first[e.ID] = i
		all = append(all, e)
	}
	return all
}

func decodeClockEvent(v strictjson.Node, path string, ignored *notes) (ClockEvent, error) {
	f := openObject(v, path, clockMembers, ignored)
	e := ClockEvent{ID: f.required("eventId", 36)}
	if f.err == nil && !validUUID(e.ID) {
		f.fail("eventId", ErrValue, "want a UUID in lower case")
	}
	if e.Kind = f.word("kind", clockKinds); e.Kind == "" {
		f.fail("kind", ErrMissing, "")
	}
	e.At = f.time("at")
	if _, ok := f.get("was", strictjson.String); ok {
		e.Was = f.time("was")
	}
	version, _ := f.integer("trustVersion", 0, MaxInteger)
	scans, _ := f.integer("scans", 0, MaxInteger)
	after, _ := f.integer("afterSeq", 0, MaxInteger)
	e.TrustVersion, e.Scans, e.AfterSeq = uint64(version), uint64(scans), uint64(after)
	return e, f.err
}
