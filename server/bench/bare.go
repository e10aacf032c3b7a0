package main

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tcode/offline/host/litedb"
	"tcode/offline/payload"
	"tcode/server"
	"tcode/server/httpapi/api"
	"tcode/server/store"
	"tcode/server/store/pgdb"
	"tcode/server/store/storetest"
)

// The statements of package store for a look-up, and for the issuer of a
// payload.
const (
	recordQuery = `SELECT s.tenant, s.id, s.reference, s.status, s.name, s.document_type, s.test, s.key_seq, s.payload, s.replaces, s.replaced_by, s.issued_at,
		t.reference, t.name, t.state, coalesce(d.names, ''), coalesce(d.field_labels, '')
		FROM stamps s JOIN tenants t ON t.reference = s.tenant LEFT JOIN document_types d ON d.code = s.document_type WHERE s.reference = $1`
	issuerQuery = `SELECT t.reference, t.name, t.state, coalesce(k.algorithm, ''), k.public, coalesce(k.state, ''), coalesce(k.valid_from, 0), coalesce(k.valid_until, 0),
		coalesce(k.compromised_since, 0), coalesce(k.survivor_list, '')
		FROM tenants t LEFT JOIN signing_keys k ON k.tenant = t.reference AND k.seq = $2 WHERE t.reference = $1`
)

// bare does only the work of a gateway's look-up: its statements and its
// answer.
type bare struct {
	record, issuer *sql.Stmt
	write          func(ctx context.Context, do func(*sql.Tx) error) error
	numbered       bool // PostgreSQL needs numbered placeholders

	flushing sync.Mutex // held until a group is committed, so that no commit is open when the database closes

	mu      sync.Mutex // guards history
	history []any      // rows to be written, column after column
}

// openBare opens the database with the gateway's settings; on PostgreSQL also with its
// role and its pool, so that the schema's policies cost both the same.
func openBare(h *host, dir string) (b *bare, read *sql.DB, err error) {
	if url := storetest.Database(h, dir).DatabaseURL; url != "" {
		db, err := pgdb.Open(h.ctx, pgdb.Options{URL: url, Migrate: func(context.Context, *sql.DB) error { return nil }})
		if err != nil {
			return nil, nil, err
		}
		h.Cleanup(func() { db.Close() })
		everyone := func(ctx context.Context, do func(*sql.Tx) error) error { return db.Write(ctx, pgdb.Everyone, do) }
		return &bare{write: everyone, numbered: true}, db.Public(), nil
	}
	db, err := litedb.Open(h.ctx, filepath.Join(dir, store.FileName), litedb.Options{MustExist: true})
	if err != nil {
		return nil, nil, err
	}
	h.Cleanup(func() { db.Close() })
	return &bare{write: db.Write}, db.Reader(), nil
}

func serveBare(h *host, dir string) error {
	b, read, err := openBare(h, dir)
	if err != nil {
		return err
	}
	var err2 error
	b.record, err = read.PrepareContext(h.ctx, recordQuery)
	b.issuer, err2 = read.PrepareContext(h.ctx, issuerQuery)
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/tcode/verify/reference/{reference}", b.byReference)
	mux.HandleFunc("POST /v1/tcode/verify", b.byPayload)
	l, err := (&net.ListenConfig{}).Listen(h.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server.TuneMemory() // the gateway's settings, so that the garbage collector costs both the same
	fmt.Println(l.Addr())
	go func() {
		<-h.ctx.Done()
		l.Close()
	}()
	go func() {
		for range time.Tick(200 * time.Millisecond) { // as in the gateway
			b.flush()
		}
	}()
	// A public server limits each connection.
	err = (&http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 2 * time.Minute, WriteTimeout: 4 * time.Minute, IdleTimeout: 2 * time.Minute,
	}).Serve(l)
	if h.ctx.Err() != nil {
		b.flush()
		return nil
	}
	return err
}

// flush writes the history in one commit, with a hundred rows in each statement.
func (b *bare) flush() {
	b.flushing.Lock()
	defer b.flushing.Unlock()
	ctx := context.Background() // history of answered look-ups is written even if the process is told to end
	b.mu.Lock()
	rows := b.history
	b.history = nil
	b.mu.Unlock()
	if len(rows) == 0 {
		return
	}
	err := b.write(ctx, func(tx *sql.Tx) error {
		for row := range slices.Chunk(rows, 100*historyColumns) {
			if _, err := tx.ExecContext(ctx, b.insert(len(row)), row...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
}

const historyColumns = 7

// insert returns the statement for a number of values. SQLite looks numbered ones up by
// name, which costs as much as the rows.
func (b *bare) insert(values int) string {
	var q strings.Builder
	q.WriteString(`INSERT INTO verifications (tenant, kind, reference, verdict, method, viewer_key, verified_at) VALUES `)
	for i := range values {
		switch {
		case i == 0:
			q.WriteString("(")
		case i%historyColumns == 0:
			q.WriteString("), (")
		default:
			q.WriteString(", ")
		}
		if b.numbered {
			fmt.Fprintf(&q, "$%d", i+1)
		} else {
			q.WriteString("?")
		}
	}
	q.WriteString(")")
	return q.String()
}

func (b *bare) byReference(w http.ResponseWriter, r *http.Request) {
	ref, err := payload.ParseReference(r.PathValue("reference"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.answer(w, r, ref, byReference)
}

func (b *bare) byPayload(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	var in struct {
		Payload string `json:"payload"`
	}
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	raw, err2 := base64.StdEncoding.DecodeString(in.Payload)
	p, err3 := payload.Parse(raw)
	if err := cmp.Or(err, err2, err3); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var issuer, name, state, alg, keyState, list string
	var from, until, since int64
	var public []byte
	if err := b.issuer.QueryRowContext(r.Context(), p.Issuer, p.KeySeq).Scan(&issuer, &name, &state, &alg, &public, &keyState, &from, &until, &since, &list); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	core := payload.Core(raw)
	if !ed25519.Verify(public, payload.ToSign(p.Algorithm, core), raw[len(core):]) {
		http.Error(w, "forged", http.StatusBadRequest)
		return
	}
	b.answer(w, r, p.Reference, byPayload)
}

// checks returns the gateway's checks of a stamp without any problem.
func checks(method string, p payload.Payload) []api.VerificationCheck {
	pass := func(name, code string) api.VerificationCheck {
		return api.VerificationCheck{Name: name, Status: "pass", Code: code}
	}
	row := []api.VerificationCheck{pass("issuer_active", "ok"), pass("status_entry", "ok"), pass("not_expired", "no_expiry"), pass("record", "ok")}
	if method == byReference {
		return row
	}
	key := fmt.Sprintf("key %d", p.KeySeq)
	known, signed := pass("issuer_known", "ok"), pass("key_known", "ok")
	known.Detail, signed.Detail = &p.Issuer, &key
	return append([]api.VerificationCheck{
		pass("decode", "ok"), pass("header", "ok"), known, row[0], signed, pass("key_window", "ok"), pass("key_not_compromised", "ok"),
		pass("signature", "ok"), pass("issued_not_in_future", "ok"),
	}, row[1:]...)
}

// answer reads the rows of a stamp and answers like the gateway.
func (b *bare) answer(w http.ResponseWriter, r *http.Request, ref payload.Reference, method string) {
	var tenant, id, status, name, code, replaces, replacedBy, issuer, issuerName, state, names, labels string
	var reference, raw []byte
	var test, seq, issued int64
	err := b.record.QueryRowContext(r.Context(), ref[:]).Scan(&tenant, &id, &reference, &status, &name, &code, &test, &seq, &raw, &replaces, &replacedBy, &issued,
		&issuer, &issuerName, &state, &names, &labels)
	var localized map[string]string
	if err == nil {
		err = json.Unmarshal([]byte(names), &localized)
	}
	p, err2 := payload.Parse(raw) // the signed payload has the fields, and the time of expiry
	if err := cmp.Or(err, err2); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fields := make([]api.Field, 0, len(p.Fields))
	for _, f := range p.Fields {
		fields = append(fields, api.Field{Key: f.Key, Value: f.Value})
	}
	now := time.Now()
	b.mu.Lock()
	b.history = append(b.history, tenant, "stamp", reference, "valid", method, "", now.UnixMilli())
	b.mu.Unlock()
	var assurance *api.TCodeVerificationAssurance
	if method == byPayload {
		assurance = new(api.TCodeVerificationAssuranceSignatureAndStatus)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct { // a client that is gone needs no answer
		Data api.TCodeVerification `json:"data"`
	}{api.TCodeVerification{
		Verdict: "valid", Assurance: assurance, Status: api.TCodeStampStatus(status), Reference: ref.String(), IssuerName: issuerName, IssuerReference: issuer,
		IssuedAt: time.UnixMilli(issued).UTC(), DocumentType: code, DocumentTypeNames: localized, StatusAsOf: now.UTC().Truncate(time.Millisecond), Test: test == 1,
		Fields: fields, Checks: checks(method, p),
	}})
}
