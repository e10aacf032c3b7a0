package trust

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/offline/payload"
)

// TenantState says whether a tenant may be relied on.
type TenantState string

// The states of a tenant.
const (
	TenantActive    TenantState = "active"
	TenantSuspended TenantState = "suspended"
)

// A KeyState says how an issuer uses a signing key.
type KeyState string

// The states of a signing key.
const (
	KeyAnnounced   KeyState = "announced"   // will sign from ValidFrom on
	KeySigning     KeyState = "signing"     // signs now
	KeyVerifying   KeyState = "verifying"   // no longer signs, still verifies
	KeyCompromised KeyState = "compromised" // others know it; see SurvivorList
)

// A Tenant is an issuer.
type Tenant struct {
	Reference string // 6 of [0-9A-Z], the issuer code of its payloads
	Name      string // 1 to MaxTextLen bytes of UTF-8
	State     TenantState
}

// A Key is one signing key of a tenant.
type Key struct {
	Tenant string // reference
	Seq    uint8
	Public payload.PublicKey
	State  KeyState
	// ValidFrom (inclusive) and ValidUntil (exclusive) bound the issue times of
	// its stamps. Zero means open. An announced key has a ValidFrom.
	ValidFrom, ValidUntil time.Time
	// CompromisedSince is set if and only if State is KeyCompromised. Programs
	// show it but do not judge by it, because a thief chooses the dates.
	CompromisedSince time.Time
	// SurvivorList is the SHA-256 of the key's survivor list, 64 lower-case
	// hexadecimal digits, or empty. Only compromised keys have one.
	SurvivorList string
}

// A DocumentType names one kind of document in several languages.
type DocumentType struct {
	Code  string            // 3 of [0-9A-Z], the payload's DK
	Names map[string]string // BCP 47 tag to name, at least one
	// FieldLabels maps the key of a payload's field to its label by language.
	FieldLabels map[string]map[string]string
}

// A Bundle holds all tenants, their keys and all document types.
type Bundle struct {
	Version         uint64
	Issued, Expires time.Time // whole seconds, UTC
	// The lists are ascending by reference, by tenant and sequence, and by
	// code. Parsing returns them in this order, Text accepts any order, and
	// look-ups need this order.
	Tenants       []Tenant
	Keys          []Key
	DocumentTypes []DocumentType
}

// Tenant looks up an issuer.
func (b *Bundle) Tenant(reference string) (Tenant, bool) {
	i, ok := slices.BinarySearchFunc(b.Tenants, reference, func(t Tenant, ref string) int {
		return strings.Compare(t.Reference, ref)
	})
	if !ok {
		return Tenant{}, false
	}
	return b.Tenants[i], true
}

// Key looks up a key of an issuer.
func (b *Bundle) Key(tenant string, seq uint8) (Key, bool) {
	i, ok := slices.BinarySearchFunc(b.Keys, Key{Tenant: tenant, Seq: seq}, compareKeys)
	if !ok {
		return Key{}, false
	}
	return b.Keys[i], true
}

// DocumentType looks up a document type.
func (b *Bundle) DocumentType(code string) (DocumentType, bool) {
	i, ok := slices.BinarySearchFunc(b.DocumentTypes, code, func(d DocumentType, code string) int {
		return strings.Compare(d.Code, code)
	})
	if !ok {
		return DocumentType{}, false
	}
	return b.DocumentTypes[i], true
}

// SurvivorLists returns the SHA-256 of every survivor list that a key names,
// ascending and without duplicates. A feed fetches them in addition to the shards.
func (b *Bundle) SurvivorLists() []string {
	var lists []string
	for _, k := range b.Keys {
		if k.SurvivorList != "" {
			lists = append(lists, k.SurvivorList)
		}
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

// Sort puts b into the order that look-ups need.
func (b *Bundle) Sort() {
	slices.SortStableFunc(b.Tenants, func(x, y Tenant) int { return strings.Compare(x.Reference, y.Reference) })
	slices.SortStableFunc(b.Keys, compareKeys)
	slices.SortStableFunc(b.DocumentTypes, func(x, y DocumentType) int { return strings.Compare(x.Code, y.Code) })
}

func compareKeys(a, b Key) int {
	return cmp.Or(strings.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Seq, b.Seq))
}

// Text returns the canonical text under the trust root fp.
func (b Bundle) Text(fp Fingerprint) ([]byte, error) {
	b.Tenants, b.Keys, b.DocumentTypes = slices.Clone(b.Tenants), slices.Clone(b.Keys), slices.Clone(b.DocumentTypes)
	b.Sort()
	w := newWriter(fp, TypeBundle)
	w.dates(b.Version, b.Issued, b.Expires)
	if len(b.Tenants) > MaxTenants {
		w.fail("%d tenants", len(b.Tenants))
	}
	keys := b.Keys
	for i, t := range b.Tenants {
		if i > 0 && b.Tenants[i-1].Reference == t.Reference {
			w.fail("tenant %s is there twice", t.Reference)
		}
		w.tenant(t)
		for j := 0; len(keys) > 0 && keys[0].Tenant == t.Reference; j, keys = j+1, keys[1:] {
			if j > 0 && b.Keys[len(b.Keys)-len(keys)-1].Seq == keys[0].Seq {
				w.fail("key %d of tenant %s is there twice", keys[0].Seq, t.Reference)
			}
			w.key(keys[0])
		}
	}
	if len(keys) > 0 {
		w.fail("key %d of unknown tenant %q", keys[0].Seq, keys[0].Tenant)
	}
	for i, d := range b.DocumentTypes {
		if i > 0 && b.DocumentTypes[i-1].Code == d.Code {
			w.fail("document type %s is there twice", d.Code)
		}
		w.documentType(d)
	}
	return w.text(MaxBundleLen)
}

func (w *writer) tenant(t Tenant) {
	if !validCode(t.Reference, 6) || !validText(t.Name) {
		w.fail("tenant %q named %.100q", t.Reference, t.Name)
	}
	if t.State != TenantActive && t.State != TenantSuspended {
		w.fail("tenant %s: state %q", t.Reference, t.State)
	}
	w.line("tenant", t.Reference, string(t.State), Escape(t.Name))
}

func (w *writer) key(k Key) {
	if why := k.wrong(); why != "" {
		w.fail("key %d of tenant %s: %s", k.Seq, k.Tenant, why)
	}
	survivors := cmp.Or(k.SurvivorList, none)
	w.line("key", strconv.Itoa(int(k.Seq)), string(k.State), w.optionalTime(k.ValidFrom), w.optionalTime(k.ValidUntil),
		w.optionalTime(k.CompromisedSince), survivors, k.Public.Algorithm().String(),
		base64.StdEncoding.EncodeToString(k.Public.Bytes()))
}

// wrong describes the contradiction in the record; it is empty if there is none.
func (k Key) wrong() string {
	switch k.State {
	case KeyAnnounced, KeySigning, KeyVerifying, KeyCompromised:
	default:
		return "state " + strconv.Quote(string(k.State))
	}
	compromised := k.State == KeyCompromised
	switch _, err := hex.DecodeString(k.SurvivorList); {
	case k.Public.Algorithm() == 0:
		return "no public key"
	case k.State == KeyAnnounced && k.ValidFrom.IsZero():
		return "announced without a beginning"
	case !k.ValidFrom.IsZero() && !k.ValidUntil.IsZero() && !k.ValidUntil.After(k.ValidFrom):
		return "ends before it begins"
	case compromised == k.CompromisedSince.IsZero():
		return "state and time of compromise disagree"
	case k.SurvivorList != "" && (!compromised || err != nil || len(k.SurvivorList) != 64 || strings.ToLower(k.SurvivorList) != k.SurvivorList):
		return "survivor list " + strconv.Quote(k.SurvivorList)
	}
	return ""
}

func (w *writer) documentType(d DocumentType) {
	if !validCode(d.Code, 3) || len(d.Names) == 0 || len(d.FieldLabels) > MaxLabels {
		w.fail("document type %q with %d names and %d labelled fields", d.Code, len(d.Names), len(d.FieldLabels))
	}
	w.line("type", d.Code)
	w.texts(d.Names, "name")
	for _, field := range slices.Sorted(maps.Keys(d.FieldLabels)) {
		if !validFieldKey(field) || len(d.FieldLabels[field]) == 0 {
			w.fail("document type %s: field %q with %d labels", d.Code, field, len(d.FieldLabels[field]))
		}
		w.texts(d.FieldLabels[field], "label", field)
	}
}

func (w *writer) texts(texts map[string]string, words ...string) {
	if len(texts) > MaxTexts {
		w.fail("%d languages", len(texts))
	}
	for _, language := range slices.Sorted(maps.Keys(texts)) {
		if !validLanguage(language) || !validText(texts[language]) {
			w.fail("language %q, text %.100q", language, texts[language])
		}
		w.line(append(slices.Clone(words), language, Escape(texts[language]))...)
	}
}
