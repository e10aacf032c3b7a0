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

	"tcode/offline/litedb"
	"tcode/offline/payload"
	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store"
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

// bare does what the gateway does for a look-up, the statements of it and the
// answer of it, and nothing else.
type bare struct {
	record, issuer *sql.Stmt
	write          *sql.DB
	numbered       bool // placeholders are, as PostgreSQL wants them

	flushing sync.Mutex // held until a group is committed, so that none is when the database closes

	mu      sync.Mutex // guards history
	history []any      // rows that are to be written, column after column
}

// bareConns are the gateway's for public look-ups on PostgreSQL.
const bareConns = 8

func serveBare(h *host, dir string) error {
	b := &bare{}
	var read *sql.DB
	if storetest.Database(h, dir).DatabaseURL != "" {
		b.write = storetest.Raw(h, dir)
		b.write.SetMaxOpenConns(bareConns)
		b.write.SetMaxIdleConns(bareConns)
		read, b.numbered = b.write, true
	} else {
		db, err := litedb.Open(h.ctx, filepath.Join(dir, store.FileName), litedb.Options{MustExist: true})
		if err != nil {
			return err
		}
		defer db.Close()
		b.write, read = db.Writer(), db.Reader()
	}
	var err, err2 error
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
	server.TuneMemory() // the gateway's settings, so that the collector favours neither
	fmt.Println(l.Addr())
	go func() {
		<-h.ctx.Done()
		l.Close()
	}()
	go func() {
		for range time.Tick(200 * time.Millisecond) { // as the gateway
			b.flush()
		}
	}()
	err = (&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(l)
	if h.ctx.Err() != nil {
		b.flush()
		return nil
	}
	return err
}

// flush writes the history in one commit, a hundred rows a statement.
func (b *bare) flush() {
	b.flushing.Lock()
	defer b.flushing.Unlock()
	ctx := context.Background() // what was answered is written, whoever wants to end
	b.mu.Lock()
	rows := b.history
	b.history = nil
	b.mu.Unlock()
	if len(rows) == 0 {
		return
	}
	tx, err := b.write.BeginTx(ctx, nil)
	if err != nil {
		panic(err)
	}
	for row := range slices.Chunk(rows, 100*historyColumns) {
		if _, err := tx.ExecContext(ctx, b.insert(len(row)), row...); err != nil {
			panic(err)
		}
	}
	if err := tx.Commit(); err != nil {
		panic(err)
	}
}

const historyColumns = 6

// insert is the statement for so many values: SQLite looks numbered ones up by
// name, which costs as much as the rows.
func (b *bare) insert(values int) string {
	var q strings.Builder
	q.WriteString(`INSERT INTO verifications (tenant, reference, verdict, method, viewer_key, verified_at) VALUES `)
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
	b.answer(w, r, ref, "reference")
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
	core := raw[:len(raw)-payload.SignatureLen]
	if !ed25519.Verify(public, payload.ToSign(p.Algorithm, core), raw[len(core):]) {
		http.Error(w, "forged", http.StatusBadRequest)
		return
	}
	b.answer(w, r, p.Reference, "payload")
}

// checksOf are the checks in the gateway's answer.
var checksOf = map[string]string{
	"reference": "issuer_active status_entry not_expired record",
	"payload":   "decode header issuer_known issuer_active key_known key_window key_not_compromised signature issued_not_in_future status_entry not_expired record",
}

// answer reads the rows of a stamp and answers as the gateway does.
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
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	now := time.Now()
	b.mu.Lock()
	b.history = append(b.history, tenant, reference, "valid", method, "", now.UnixMilli())
	b.mu.Unlock()
	var checks []httpapi.VerificationCheck
	for name := range strings.FieldsSeq(checksOf[method]) {
		checks = append(checks, httpapi.VerificationCheck{Name: name, Status: "pass", Code: "ok"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct { // a client that is gone needs no answer
		Data httpapi.TCodeVerification `json:"data"`
	}{httpapi.TCodeVerification{
		Verdict: "valid", Status: httpapi.TCodeStampStatus(status), Reference: ref.String(), IssuerName: issuerName, IssuerReference: issuer,
		IssuedAt: time.UnixMilli(issued).UTC(), DocumentType: code, DocumentTypeNames: localized, StatusAsOf: now.UTC(), Test: test == 1,
		Fields: []httpapi.Field{}, Checks: checks,
	}})
}
