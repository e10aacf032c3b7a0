package mkvectors_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"tcode/sync/wire"
)

// syncVectors makes testdata/vectors/sync: requests with their signatures, and
// replies with their receipts (sync/wire/FORMAT.md, "Vectors").
func syncVectors() (files, error) {
	made := files{}
	if err := batches(made); err != nil {
		return nil, err
	}
	return made, receipts(made)
}

// batchVector is one request with the answer to it.
type batchVector struct {
	Comment   string   `json:"comment"`
	DeviceKey string   `json:"deviceKey,omitempty"`
	Signature string   `json:"signature,omitempty"`
	Body      string   `json:"body,omitempty"`
	BodyHex   string   `json:"bodyHex,omitempty"` // where the body is no UTF-8
	Want      string   `json:"want"`
	Member    string   `json:"member,omitempty"`
	ScannerID string   `json:"scannerId,omitempty"`
	Digest    string   `json:"digest,omitempty"`
	Items     []string `json:"items,omitempty"`
	Clock     string   `json:"clock,omitempty"` // digest of the clock events, if there are any
}

// answer fills in the answer to the request.
func (v *batchVector) answer() error {
	raw := []byte(v.Body)
	if v.BodyHex != "" {
		raw = []byte(v.BodyHex)
		v.BodyHex, v.Body = hex.EncodeToString(raw), ""
	}
	b, err := wire.DecodeBatch(raw)
	var bad *wire.FieldError
	if errors.As(err, &bad) {
		v.Want, v.Member = "invalid", bad.Path
		if errors.Is(err, wire.ErrTooLarge) {
			v.Want = "too_large"
		}
		return nil
	}
	if err != nil {
		return err
	}
	switch err := wire.VerifyBatch(b, v.DeviceKey, v.Signature); {
	case err == nil:
		v.Want = "signed"
	case errors.Is(err, wire.ErrUnsigned):
		v.Want = "unsigned"
	case errors.Is(err, wire.ErrSignature):
		v.Want = "signature"
		return nil
	default:
		return err
	}
	v.ScannerID, v.Digest = b.ScannerID, hexOf(b.Digest())
	for _, it := range b.Items {
		v.Items = append(v.Items, hexOf(it.Digest()))
	}
	if len(b.Clock) > 0 {
		v.Clock = hexOf(b.ClockDigest())
	}
	return nil
}

func hexOf(sum [32]byte) string { return hex.EncodeToString(sum[:]) }

// deviceKey is the key of the vectors' device.
func deviceKey() ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("tcode vector key device"))
	return ed25519.NewKeyFromSeed(seed[:])
}

// scans is a batch of two scans.
func scans() wire.Batch {
	at := time.Date(2026, 6, 15, 12, 0, 0, 123e6, time.UTC)
	return wire.Batch{
		ID: "7d0c2a1e-35a4-4b0f-9a53-3c9de6a1f7b2", ScannerID: wire.ScannerID(deviceKey().Public().(ed25519.PublicKey)), SentAt: at.Add(time.Minute),
		Items: []wire.Item{
			{
				ScanID: "01936f3c-5c3a-7d2b-9f10-3b6c2d1e0f11", Seq: 40, Payload: "1xEAAAECAwQFBgcICQ==", ScannedAt: at, OfflineVerdict: "valid",
				Assurance: "signature_and_status", Binding: "match", TrustVersion: 1781521200,
				Context: wire.Context{Location: "Gate 4", Coordinates: true, LatitudeE6: 52520008, LongitudeE6: -13404954, Note: "é"},
			},
			{ScanID: "01936f3c-5c3b-7000-8000-000000000001", Seq: 41, Reference: "TCR-0123456789ABCDEF", ScannedAt: at.Add(time.Second)},
		},
	}
}

// body is the request of b, as a scanner sends it.
func body(b wire.Batch) string {
	raw, err := b.Encode()
	if err != nil {
		panic(err) // the batches are ours
	}
	return string(raw)
}

// batchCase is one request: from is replaced by to in the good one, once. It is
// signed as it is read then, unless it is not signed, or sent with the headers of
// the good one.
type batchCase struct {
	name, comment, want, member string
	from, to                    string
	batch                       func(b *wire.Batch)
	headers                     func(key, signature string) (string, string)
}

func batches(made files) error {
	for _, c := range append(append(readBatches(), signatureBatches()...), refusedBatches()...) {
		b := scans()
		if c.batch != nil {
			c.batch(&b)
		}
		text := body(b)
		if c.from != "" && strings.Count(text, c.from) != 1 {
			return fmt.Errorf("batch-%s: %q is there %d times", c.name, c.from, strings.Count(text, c.from))
		}
		text = strings.Replace(text, c.from, c.to, 1)
		v := batchVector{Comment: c.comment, Body: text}
		if strings.Contains(text, "\xff") {
			v.BodyHex = text
		}
		signed := b
		if read, err := wire.DecodeBatch([]byte(text)); err == nil && c.want == "signed" {
			signed = read
		}
		var err error
		if v.DeviceKey, v.Signature, err = wire.SignBatch(signed, deviceKey()); err != nil {
			return fmt.Errorf("batch-%s: %w", c.name, err)
		}
		if c.headers != nil {
			v.DeviceKey, v.Signature = c.headers(v.DeviceKey, v.Signature)
		}
		if err := v.answer(); err != nil {
			return fmt.Errorf("batch-%s: %w", c.name, err)
		}
		if v.Want != c.want || v.Member != c.member {
			return fmt.Errorf("batch-%s: got %s %s, want %s %s", c.name, v.Want, v.Member, c.want, c.member)
		}
		if err := made.addJSON("batch-"+c.name, v); err != nil {
			return err
		}
	}
	return nil
}

func none(string, string) (string, string) { return "", "" }

func readBatches() []batchCase {
	anyone := func(b *wire.Batch) { b.ScannerID = deviceID() }
	return []batchCase{
		{name: "ok", comment: "two scans of a device", want: "signed"},
		{name: "ok-unsigned", comment: "the same without a signature: a claim, under the name of a device", want: "unsigned", batch: anyone, headers: none},
		{name: "ok-unsigned-name", comment: "a claim under another name", want: "unsigned", from: deviceID(), to: "gate4@example:1_2.3-4", headers: none},
		{name: "ok-null", comment: "members that are null are absent", want: "signed", from: `"note":"é"`, to: `"note":null`},
		{name: "ok-escapes", comment: "another spelling of the same strings", want: "signed", from: `"note":"é"`, to: `"no\u0074e":"\u00e9"`},
		{name: "ok-space", comment: "white space between all", want: "signed", from: `{"batchId"`, to: " \r\n\t{ \"batchId\""},
		{name: "ok-zone", comment: "the same time in another zone, with finer parts", want: "signed", from: "2026-06-15T12:00:01.123Z", to: "2026-06-15T14:00:01.123999+02:00"},
		{name: "ok-unknown", comment: "members that are not known take no part", want: "signed", from: `"seq":41`, to: `"seq":41,"mood":{"seq":7}`},
		{name: "ok-pair", comment: "a surrogate pair in two escapes", want: "signed", from: `"note":"é"`, to: `"note":"\ud83c\udf93"`},
		{name: "ok-bounds", comment: "the greatest numbers", want: "signed", batch: func(b *wire.Batch) {
			b.Items[0].Seq, b.Items[0].TrustVersion = wire.MaxInteger, wire.MaxInteger
			b.Items[0].Context.LatitudeE6, b.Items[0].Context.LongitudeE6 = -90e6, 180e6
		}},
		{name: "ok-longest", comment: "the longest texts", want: "signed", batch: func(b *wire.Batch) {
			b.Items[0].Context.Location, b.Items[0].Context.Note = strings.Repeat("é", 200), strings.Repeat("🎓", 500)
			b.ID = strings.Repeat("b", 64)
		}},
		{name: "ok-origin", comment: "coordinates of 0 are coordinates", want: "signed", batch: func(b *wire.Batch) {
			b.Items[0].Context.LatitudeE6, b.Items[0].Context.LongitudeE6 = 0, 0
		}},
		{name: "ok-1970", comment: "the first millisecond", want: "signed", batch: func(b *wire.Batch) { b.Items[0].ScannedAt = time.Unix(0, 0).UTC() }},
		{name: "ok-clock", comment: "clock events without scans", want: "signed", batch: func(b *wire.Batch) {
			b.Items, b.Clock = nil, clockEvents()
		}},
		{name: "ok-clock-scans", comment: "clock events with scans", want: "signed", batch: func(b *wire.Batch) { b.Clock = clockEvents() }},
	}
}

func clockEvents() []wire.ClockEvent {
	return []wire.ClockEvent{
		{ID: "01a20b46-e0a5-7e8b-9e7c-38a0e39eda11", Kind: wire.ClockEventAhead, At: noon, Was: noon.Add(400 * day), TrustVersion: 1781521200, Scans: 3, AfterSeq: 41},
		{ID: "01a20b46-e0a5-7e8b-9e7c-38a0e39eda12", Kind: wire.ClockEventConfirmed, At: noon.Add(time.Second), AfterSeq: 41},
	}
}

func deviceID() string { return scans().ScannerID }

// forge signs a batch with any key, as section 4 says.
func forge(b wire.Batch, key ed25519.PrivateKey) (deviceKey, signature string) {
	m := binary.BigEndian.AppendUint32([]byte("TCode-Signed/1\n\x00"), uint32(len(b.ID)))
	m = binary.BigEndian.AppendUint64(append(m, b.ID...), uint64(b.SentAt.UnixMilli()))
	d := b.Digest()
	return base64Of(key.Public().(ed25519.PublicKey)), base64Of(ed25519.Sign(key, append(m, d[:]...)))
}

func signatureBatches() []batchCase {
	key := base64.StdEncoding
	flip := func(s string) string {
		raw, err := key.DecodeString(s)
		if err != nil {
			return s
		}
		raw[len(raw)-1] ^= 1
		return key.EncodeToString(raw)
	}
	other := ed25519.NewKeyFromSeed([]byte(strings.Repeat("o", 32)))
	bits := func(s string) string { // 44 characters leave 2 bits over, 88 leave 4
		at := strings.IndexByte(s, '=') - 1
		return s[:at] + string(s[at]+1) + s[at+1:]
	}
	ofGood := []struct{ name, comment, from, to string }{
		{"batch-id", "the signature is of another batch id", "7d0c2a1e", "7d0c2a1f"},
		{"sent-at", "the signature is of another time", "2026-06-15T12:01:00.123Z", "2026-06-15T12:01:00.124Z"},
		{"item", "the signature is of another item", `"seq":41`, `"seq":42`},
		{"note", "a space more in a text", `"note":"é"`, `"note":"é "`},
		{"normalised", "another spelling in Unicode of a text", `"note":"é"`, "\"note\":\"e\u0301\""},
		{"coordinates", "a micro-degree", "52520008", "52520009"},
		{"coordinates-missing", "no coordinates", `"latitudeE6":52520008,"longitudeE6":-13404954,`, ""},
		{"verdict", "another verdict", `"offlineVerdict":"valid"`, `"offlineVerdict":"revoked"`},
		{"binding", "another binding", `"binding":"match"`, `"binding":"appended"`},
		{"assurance", "another assurance", `"assurance":"signature_and_status"`, `"assurance":"none"`},
		{"trust-version", "another version of the trust documents", "1781521200", "1781521201"},
		{"location", "another place", "Gate 4", "Gate 5"},
		{"payload", "the payload in another of its forms", "1xEAAAECAwQFBgcICQ==", "NAAA"},
		{"reference", "another reference", "TCR-0123456789ABCDEF", "TCR-0123456789abcdef"},
		{"scan-id", "another scan id", "01936f3c-5c3b", "01936f3c-5c3c"},
		{"scanned-at", "another time of the scan", "12:00:01.123Z", "12:00:01.124Z"},
	}
	all := []batchCase{
		{name: "signature-key", comment: "a device key alone", want: "signature", headers: func(k, _ string) (string, string) { return k, "" }},
		{name: "signature-alone", comment: "a signature alone", want: "signature", headers: func(_, s string) (string, string) { return "", s }},
		{name: "signature-bit", comment: "one bit of the signature", want: "signature", headers: func(k, s string) (string, string) { return k, flip(s) }},
		{name: "signature-other-key", comment: "another device has signed this batch", want: "signature", headers: func(string, string) (string, string) {
			return forge(scans(), other)
		}},
		{name: "signature-name", comment: "signed, under a name that is not the key's", want: "signature", from: deviceID(), to: "gate4", headers: func(string, string) (string, string) {
			b := scans()
			b.ScannerID = "gate4"
			return forge(b, deviceKey())
		}},
		{name: "signature-padding", comment: "Base64 without its padding", want: "signature", headers: func(k, s string) (string, string) { return k, strings.TrimRight(s, "=") }},
		{name: "signature-bits-left", comment: "bits that Base64 leaves over are not 0", want: "signature", headers: func(k, s string) (string, string) { return k, bits(s) }},
		{name: "signature-key-bits-left", comment: "the same in the key", want: "signature", headers: func(k, s string) (string, string) { return bits(k), s }},
		{name: "signature-url", comment: "another alphabet of Base64", want: "signature", headers: func(k, s string) (string, string) {
			return k, strings.NewReplacer("+", "-", "/", "_").Replace(s)
		}},
		{name: "signature-clock", comment: "clock events that the signature does not cover", want: "signature", from: `]}`, to: `],"clockEvents":[{"eventId":"01a20b46-e0a5-7e8b-9e7c-38a0e39eda12","kind":"clock_confirmed","at":"2026-06-15T12:00:00Z"}]}`},
	}
	for _, c := range ofGood {
		all = append(all, batchCase{name: "signature-" + c.name, comment: c.comment, want: "signature", from: c.from, to: c.to})
	}
	return all
}
