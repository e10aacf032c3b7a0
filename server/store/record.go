package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"tcode/offline/payload"
	"tcode/server/refdata"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// recordColumns is all data for a verdict on a stamp, from three tables in one
// look-up: it is the most frequent request, and two more statements would double its
// cost.
const recordColumns = `s.tenant, s.id, s.reference, s.status, s.name, s.document_type, s.tdoc_template_id, s.test, s.key_seq, s.payload, s.replaces, s.replaced_by, s.document, s.issued_at, s.erased_at,
	t.reference, t.name, t.state, coalesce(d.names, ''), coalesce(d.field_labels, '')`

const recordTables = `stamps s JOIN tenants t ON t.reference = s.tenant LEFT JOIN document_types d ON d.code = s.document_type`

func (d *DB) scanRecord(r scanner) (rec verify.Record, err error) {
	st := &rec.Stamp
	var reference, raw []byte
	var names, labels string
	var issued, erased int64
	err = r.Scan(&st.Tenant, &st.ID, &reference, &st.Status, &st.Name, &st.DocumentType, &st.TdocTemplateID, &st.Test, &st.KeySeq, &raw, &st.Replaces, &st.ReplacedBy, &st.Document, &issued, &erased,
		&rec.Issuer.Reference, &rec.Issuer.Name, &rec.Issuer.State, &names, &labels)
	if err != nil {
		return rec, err
	}
	copy(st.Reference[:], reference)
	st.IssuedAt = fromMS(issued)
	if st.ErasedAt = fromMS(erased); st.Erased() {
		st.Name = ""
	}
	if err := st.SetPayload(raw); err != nil {
		return rec, fmt.Errorf("payload of stamp %s: %w", st.ID, err)
	}
	rec.Expires = st.ExpiresAt
	rec.Kind, err = d.kinds.read(st.DocumentType, names, labels)
	return rec, err
}

// RecordByReference returns the data for a verdict on a stamp.
func (d *DB) RecordByReference(ctx context.Context, ref payload.Reference) (verify.Record, error) {
	rec, err := d.scanRecord(d.hot.QueryRowContext(ctx, `SELECT `+recordColumns+` FROM `+recordTables+` WHERE s.reference = $1`, ref[:]))
	if err != nil {
		return verify.Record{}, noStamp(err)
	}
	return rec, nil
}

// issuerQuery selects a tenant with its key of one number, if it has that key. It leaves
// out the sealed part of the key.
const issuerQuery = `SELECT ` + issuerColumns + ` FROM tenants t LEFT JOIN signing_keys k ON k.tenant = t.reference AND k.seq = $2 WHERE t.reference = $1`

const issuerColumns = `t.reference, t.name, t.state, coalesce(k.algorithm, ''), k.public, coalesce(k.state, ''), coalesce(k.valid_from, 0), coalesce(k.valid_until, 0),
	coalesce(k.compromised_since, 0), coalesce(k.survivor_list, '')`

// Issuer returns a tenant and the key of that number, if it has one.
func (d *DB) Issuer(ctx context.Context, reference string, seq uint8) (tenant.Tenant, []tenant.SigningKey, error) {
	var t tenant.Tenant
	var alg string
	var public []byte
	var from, until, since int64
	k := tenant.SigningKey{Seq: seq}
	err := d.hot.QueryRowContext(ctx, issuerQuery, reference, seq).
		Scan(&t.Reference, &t.Name, &t.State, &alg, &public, &k.State, &from, &until, &since, &k.SurvivorList)
	if err != nil {
		return t, nil, notFound(err, "read issuer", "no tenant %s", reference)
	}
	if alg == "" {
		return t, nil, nil
	}
	k.Tenant, k.ValidFrom, k.ValidUntil, k.CompromisedSince = t.Reference, fromMS(from), fromMS(until), fromMS(since)
	if k.Public, err = d.keys.parse(alg, public); err != nil {
		return t, nil, fmt.Errorf("key %s: %w", k.ID(), err)
	}
	return t, []tenant.SigningKey{k}, nil
}

// keyCache keeps parsed public keys: proving that a key is a valid point costs a fourth of
// a signature's check. It is safe for concurrent use.
type keyCache struct {
	sync.RWMutex
	of map[string]payload.PublicKey // by algorithm and bytes
}

// mostKeys bounds the cache, at about 150 bytes each.
const mostKeys = 10_000

func (c *keyCache) parse(alg string, public []byte) (payload.PublicKey, error) {
	name := alg + string(public)
	c.RLock()
	k, ok := c.of[name]
	c.RUnlock()
	if ok {
		return k, nil
	}
	a, err := payload.ParseAlgorithm(alg)
	if err != nil {
		return k, err
	}
	if k, err = payload.ParsePublicKey(a, public); err != nil {
		return k, err
	}
	c.Lock()
	defer c.Unlock()
	if c.of == nil || len(c.of) >= mostKeys {
		c.of = make(map[string]payload.PublicKey)
	}
	c.of[name] = k
	return k, nil
}

// kindCache keeps the texts of document types as last read: they are JSON, and parsing costs more than reading. It has
// one entry for each code, valid as long as the row is the same. It is safe for concurrent use; the maps in it are
// never changed.
type kindCache struct {
	sync.RWMutex
	of map[string]parsedKind
}

type parsedKind struct {
	names, labels string
	kind          refdata.DocumentType
}

// mostKinds bounds the cache; fewer codes are in use.
const mostKinds = 10_000

func (c *kindCache) read(code, names, labels string) (refdata.DocumentType, error) {
	c.RLock()
	have, ok := c.of[code]
	c.RUnlock()
	if ok && have.names == names && have.labels == labels {
		return have.kind, nil
	}
	d := refdata.DocumentType{Code: code}
	if names == "" { // no such code
		return d, nil
	}
	if err := errors.Join(json.Unmarshal([]byte(names), &d.Names), json.Unmarshal([]byte(labels), &d.FieldLabels)); err != nil {
		return d, fmt.Errorf("texts of document type %s: %w", code, err)
	}
	c.Lock()
	defer c.Unlock()
	if c.of == nil || len(c.of) >= mostKinds {
		c.of = make(map[string]parsedKind)
	}
	c.of[code] = parsedKind{names, labels, d}
	return d, nil
}
