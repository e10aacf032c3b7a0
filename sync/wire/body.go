package wire

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"tcode/sync/wire/strictjson"
)

// These are the known members of each object.
var (
	batchMembers   = []string{"batchId", "scannerId", "sentAt", "items", "clockEvents"}
	singleMembers  = []string{"payload", "context", "batchId", "scannerId", "sentAt", "items", "clockEvents"}
	itemMembers    = []string{"scanId", "seq", "payload", "reference", "scannedAt", "offlineVerdict", "assurance", "binding", "trustVersion", "context"}
	contextMembers = []string{"location", "latitudeE6", "longitudeE6", "note"}
	singleContext  = []string{"scannerId", "location"}
)

// DecodeBatch reads a request body that is already inflated. The error is always
// a *FieldError; if it wraps [ErrTooLarge] the answer is 413, otherwise 400.
func DecodeBatch(raw []byte) (Batch, error) { return DecodeBatchWith(raw, func() {}) }

// DecodeBatchWith is [DecodeBatch] for a program with other work to do
// meanwhile: it calls rest before each item.
func DecodeBatchWith(raw []byte, rest func()) (Batch, error) {
	if len(raw) > MaxBodyBytes {
		return Batch{}, &FieldError{bodyPath, "at most " + strconv.Itoa(MaxBodyBytes) + " bytes", ErrTooLarge}
	}
	v, err := parse(raw)
	if err != nil {
		return Batch{}, err
	}
	ignored := newNotes()
	var b Batch
	if single(v) {
		b, err = decodeSingle(v, ignored)
	} else {
		b, err = decodeBatch(v, ignored, rest)
	}
	if err != nil {
		return Batch{}, err
	}
	b.Ignored = slices.Sorted(maps.Keys(ignored.unknown))
	return b, nil
}

// Problems returns the errors of a body that [DecodeBatch] refuses, in order, one for each
// path and at most 100.
func Problems(raw []byte) []*FieldError {
	v, err := parse(raw)
	all := newNotes()
	all.collects = true
	switch {
	case err != nil:
	case single(v):
		_, err = decodeSingle(v, all)
	default:
		_, err = decodeBatch(v, all, func() {})
	}
	if bad, ok := errors.AsType[*FieldError](err); ok {
		all.add(bad)
	}
	return all.problems
}

// single recognises the usage example's form by its member payload.
func single(v strictjson.Node) bool {
	return slices.ContainsFunc(v.Members, func(m strictjson.Member) bool { return m.Name == "payload" })
}

func decodeBatch(v strictjson.Node, ignored *notes, rest func()) (Batch, error) {
	f := openObject(v, "", singleMembers, ignored) // of both forms: a name in the wrong case is wrong in either
	if slices.ContainsFunc(v.Members, func(m strictjson.Member) bool { return m.Name == "context" && m.Value.Kind != strictjson.Null }) {
		f.fail("context", ErrEither, "a batch with items, or one payload with context")
	}
	b := Batch{ID: f.required("batchId", MaxIDLen), ScannerID: f.required("scannerId", MaxIDLen)}
	if f.err == nil && !ValidBatchID(b.ID) {
		f.fail("batchId", ErrValue, "letters, digits, dot, hyphen and underscore only")
	}
	f.checkScanner("scannerId", b.ScannerID)
	b.SentAt = f.time("sentAt")
	b.Clock = f.decodeClock(ignored)
	list, ok := f.get("items", strictjson.Array)
	switch {
	case (!ok || len(list.Items) == 0) && len(b.Clock) == 0:
		f.fail("items", ErrMissing, "")
	case len(list.Items) > MaxItems:
		f.fail("items", ErrTooLarge, "at most "+strconv.Itoa(MaxItems)+" items")
	}
	if f.err != nil {
		return b, f.err
	}
	first := make(map[string]int, len(list.Items))
	b.Items = make([]Item, len(list.Items))
	for i, e := range list.Items {
		rest()
		path := strictjson.Index("items", i)
		it, err := decodeItem(e, path, ignored)
		// Results are keyed by scan id, so a batch must not contain an id twice.
		if j, dup := first[it.ScanID]; dup && err == nil {
			err = &FieldError{path + ".scanId", "same as in " + strictjson.Index("items", j), ErrDuplicate}
		}
		if err != nil && !ignored.collects {
			return b, err
		}
		if bad, ok := errors.AsType[*FieldError](err); ok {
			if ignored.add(bad); len(ignored.problems) == maxProblems {
				return b, err
			}
			continue
		}
		first[it.ScanID], b.Items[i] = i, it
	}
	return b, nil
}

func (f *fields) checkScanner(name, id string) {
	if f.err == nil && !validScannerID(id) {
		f.fail(name, ErrValue, "letters, digits and . _ : @ - only")
	}
}

func decodeItem(v strictjson.Node, path string, ignored *notes) (Item, error) {
	if v.Size > MaxItemBytes {
		return Item{}, &FieldError{path, "at most " + strconv.Itoa(MaxItemBytes) + " bytes", ErrTooLarge}
	}
	f := openObject(v, path, itemMembers, ignored)
	it := Item{ScanID: f.required("scanId", 36)}
	if f.err == nil && !validUUID(it.ScanID) {
		f.fail("scanId", ErrValue, "want a UUID in lower case")
	}
	seq, _ := f.integer("seq", 0, MaxInteger)
	version, _ := f.integer("trustVersion", 0, MaxInteger)
	it.Seq, it.TrustVersion = uint64(seq), uint64(version)
	it.Payload, it.Reference = f.str("payload", MaxItemBytes), f.str("reference", MaxReference)
	if (it.Payload == "") == (it.Reference == "") {
		f.fail("payload", ErrEither, "payload or reference")
	}
	it.ScannedAt = f.time("scannedAt")
	it.OfflineVerdict = f.word("offlineVerdict", verdicts)
	it.Assurance = f.word("assurance", assurances)
	it.Binding = f.word("binding", bindings)
	if c, ok := f.get("context", strictjson.Object); ok && f.err == nil {
		it.Context, f.err = decodeContext(c, path+".context", ignored)
	}
	return it, f.err
}

func decodeContext(v strictjson.Node, path string, ignored *notes) (Context, error) {
	f := openObject(v, path, contextMembers, ignored)
	c := Context{Location: f.str("location", MaxLocationLen), Note: f.str("note", MaxNoteLen)}
	lat, hasLat := f.integer("latitudeE6", -90e6, 90e6)
	lon, hasLon := f.integer("longitudeE6", -180e6, 180e6)
	if hasLat != hasLon {
		f.fail("latitudeE6", ErrMissing, "latitudeE6 and longitudeE6 come together")
	}
	c.LatitudeE6, c.LongitudeE6, c.Coordinates = int32(lat), int32(lon), hasLat && hasLon
	return c, f.err
}

// decodeSingle reads {payload, context: {scannerId, location}}.
func decodeSingle(v strictjson.Node, ignored *notes) (Batch, error) {
	f := openObject(v, "", singleMembers, ignored)
	for _, m := range v.Members {
		if m.Name != "payload" && m.Name != "context" && slices.Contains(batchMembers, m.Name) {
			f.fail(m.Name, ErrEither, "a batch with items, or one payload with context")
		}
	}
	it := Item{Payload: f.required("payload", MaxItemBytes)}
	c, ok := f.get("context", strictjson.Object)
	if !ok {
		f.fail("context", ErrMissing, "")
	}
	if f.err != nil {
		return Batch{}, f.err
	}
	cf := openObject(c, "context", singleContext, ignored)
	b := Batch{Single: true, ScannerID: cf.required("scannerId", MaxIDLen)}
	cf.checkScanner("scannerId", b.ScannerID)
	it.Context.Location = cf.str("location", MaxLocationLen)
	b.Items = []Item{it}
	return b, cf.err
}

// MarshalJSON writes the item in the form of FORMAT.md.
func (it Item) MarshalJSON() ([]byte, error) {
	type context struct {
		Location    string `json:"location,omitempty"`
		LatitudeE6  *int32 `json:"latitudeE6,omitempty"`
		LongitudeE6 *int32 `json:"longitudeE6,omitempty"`
		Note        string `json:"note,omitempty"`
	}
	c := &context{Location: it.Context.Location, Note: it.Context.Note}
	if it.Context.Coordinates {
		c.LatitudeE6, c.LongitudeE6 = &it.Context.LatitudeE6, &it.Context.LongitudeE6
	}
	if it.Context == (Context{}) {
		c = nil
	}
	return json.Marshal(struct {
		ScanID         string   `json:"scanId"`
		Seq            uint64   `json:"seq"`
		Payload        string   `json:"payload,omitempty"`
		Reference      string   `json:"reference,omitempty"`
		ScannedAt      string   `json:"scannedAt"`
		OfflineVerdict string   `json:"offlineVerdict,omitempty"`
		Assurance      string   `json:"assurance,omitempty"`
		Binding        string   `json:"binding,omitempty"`
		TrustVersion   uint64   `json:"trustVersion"`
		Context        *context `json:"context,omitempty"`
	}{
		it.ScanID, it.Seq, it.Payload, it.Reference, formatTime(it.ScannedAt),
		it.OfflineVerdict, it.Assurance, it.Binding, it.TrustVersion, c,
	})
}

// Encode writes the request body. It refuses a batch that [DecodeBatch] would refuse, or
// of which it would read anything else, such as a text that is not UTF-8: the receipt of
// a gateway would not match it.
func (b Batch) Encode() ([]byte, error) {
	items := make([]json.RawMessage, len(b.Items))
	for i, it := range b.Items {
		var err error
		if items[i], err = json.Marshal(it); err != nil {
			return nil, fmt.Errorf("encode item: %w", err)
		}
	}
	return b.EncodeWith(items)
}

// EncodeWith is [Batch.Encode] with the items encoded already.
func (b Batch) EncodeWith(items []json.RawMessage) ([]byte, error) {
	if items == nil {
		items = []json.RawMessage{}
	}
	raw, err := json.Marshal(struct {
		BatchID   string            `json:"batchId"`
		ScannerID string            `json:"scannerId"`
		SentAt    string            `json:"sentAt"`
		Items     []json.RawMessage `json:"items"`
		Clock     []ClockEvent      `json:"clockEvents,omitempty"`
	}{b.ID, b.ScannerID, formatTime(b.SentAt), items, b.Clock})
	if err != nil {
		return nil, fmt.Errorf("encode batch: %w", err)
	}
	read, err := DecodeBatch(raw)
	if err == nil {
		err = b.sameAs(read)
	}
	if err != nil {
		return nil, fmt.Errorf("encode batch: %w", err)
	}
	return raw, nil
}

// sameAs returns an error unless the items and clock events of b are those that a reader of its body has read.
func (b Batch) sameAs(read Batch) error {
	if len(read.Items) != len(b.Items) || len(read.Clock) != len(b.Clock) {
		return &FieldError{bodyPath, "another number of items", ErrValue}
	}
	for i := range b.Items {
		if read.Items[i].Digest() != b.Items[i].Digest() {
			return &FieldError{strictjson.Index("items", i), "it reads as another item", ErrValue}
		}
	}
	for i := range b.Clock {
		if read.Clock[i].Digest() != b.Clock[i].Digest() {
			return &FieldError{strictjson.Index("clockEvents", i), "it reads as another event", ErrValue}
		}
	}
	return nil
}

// PayloadString returns the form that a scanner sends: standard Base64 of the bytes.
func PayloadString(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
