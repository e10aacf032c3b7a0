package server_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/litedb"
	"tcode/offline/payload"
	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// bareEnv names the data folder that this very program is to serve with a bare
// handler, busyEnv the one that it is to serve as a gateway.
const (
	bareEnv = "TCODE_TEST_BARE"
	busyEnv = "TCODE_TEST_BUSY"
)

// runMeasured serves in one of the two ways, if the environment asks for it,
// until the parent ends it.
func runMeasured() {
	if data := os.Getenv(busyEnv); data != "" {
		server.TuneMemory()
		limits := httpapi.DefaultLimits()
		limits.LookupsPerMinute = 1 << 30 // counted, and never reached
		err := server.Run(context.Background(), server.Config{
			Addr: "127.0.0.1:0", Data: data, Limits: &limits, Log: slog.New(slog.NewJSONHandler(io.Discard, nil)),
			Ready: func(addr net.Addr) { fmt.Println(addr) },
		})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if data := os.Getenv(bareEnv); data != "" {
		fmt.Fprintln(os.Stderr, serveBare(data))
		os.Exit(1)
	}
}

// bare does what the gateway does for a look-up, the statements of it and the
// answer of it, and nothing else.
type bare struct {
	record, issuer *sql.Stmt
	write          *sql.DB

	mu      sync.Mutex
	history []any
}

func serveBare(data string) error {
	ctx := context.Background()
	db, err := litedb.Open(ctx, filepath.Join(data, store.FileName), litedb.Options{MustExist: true})
	if err != nil {
		return err
	}
	b := &bare{write: db.Writer()}
	for into, query := range map[**sql.Stmt]string{
		&b.record: `SELECT s.tenant, s.id, s.reference, s.status, s.name, s.document_type, s.test, s.key_seq, s.payload, s.replaces, s.replaced_by, s.issued_at,
			t.reference, t.name, t.state, coalesce(d.names, ''), coalesce(d.field_labels, '')
			FROM stamps s JOIN tenants t ON t.reference = s.tenant LEFT JOIN document_types d ON d.code = s.document_type WHERE s.reference = $1`,
		&b.issuer: `SELECT t.reference, t.name, t.state, coalesce(k.algorithm, ''), k.public, coalesce(k.state, ''), coalesce(k.valid_from, 0), coalesce(k.valid_until, 0),
			coalesce(k.compromised_since, 0), coalesce(k.survivor_list, '')
			FROM tenants t LEFT JOIN signing_keys k ON k.tenant = t.reference AND k.seq = $2 WHERE t.reference = $1`,
	} {
		if *into, err = db.Reader().PrepareContext(ctx, query); err != nil {
			return err
		}
	}
	go b.flush()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/tcode/verify/reference/{reference}", b.byReference)
	mux.HandleFunc("POST /v1/tcode/verify", b.byPayload)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return (&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(l)
}

// flush writes the history in groups, as the gateway does.
func (b *bare) flush() {
	for range time.Tick(200 * time.Millisecond) {
		b.mu.Lock()
		rows := b.history
		b.history = nil
		b.mu.Unlock()
		if len(rows) == 0 {
			continue
		}
		tx, err := b.write.Begin()
		if err != nil {
			panic(err)
		}
		for row := range slices.Chunk(rows, 600) {
			marks := strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?, ?, ?), ", len(row)/6), ", ")
			if _, err := tx.Exec(`INSERT INTO verifications (tenant, reference, verdict, method, viewer_key, verified_at) VALUES `+marks, row...); err != nil {
				panic(err)
			}
		}
		if err := tx.Commit(); err != nil {
			panic(err)
		}
	}
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
	if err != nil || err2 != nil || err3 != nil {
		http.Error(w, "bad", http.StatusBadRequest)
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

// answer reads the rows of a stamp and answers as the gateway does.
func (b *bare) answer(w http.ResponseWriter, r *http.Request, ref payload.Reference, method string) {
	var tenant, id, status, name, code, replaces, replacedBy, issuer, issuerName, state, names, labels string
	var reference, raw []byte
	var test, seq, issued int64
	err := b.record.QueryRowContext(r.Context(), ref[:]).Scan(&tenant, &id, &reference, &status, &name, &code, &test, &seq, &raw, &replaces, &replacedBy, &issued,
		&issuer, &issuerName, &state, &names, &labels)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var localized map[string]string
	if err := json.Unmarshal([]byte(names), &localized); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	now := time.Now()
	b.mu.Lock()
	b.history = append(b.history, tenant, reference, "valid", method, "", now.UnixMilli())
	b.mu.Unlock()
	names = "issuer_active status_entry not_expired record"
	if method == "payload" { // what the gateway's answer has
		names = "decode header issuer_known issuer_active key_known key_window key_not_compromised signature issued_not_in_future status_entry not_expired record"
	}
	var checks []httpapi.VerificationCheck
	for name := range strings.FieldsSeq(names) {
		checks = append(checks, httpapi.VerificationCheck{Name: name, Status: "pass", Code: "ok"})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(struct { //nolint:errcheck // a client that is gone needs no answer
		Data httpapi.TCodeVerification `json:"data"`
	}{httpapi.TCodeVerification{
		Verdict: "valid", Status: httpapi.TCodeStampStatus(status), Reference: ref.String(), IssuerName: issuerName, IssuerReference: issuer,
		IssuedAt: time.UnixMilli(issued).UTC(), DocumentType: code, DocumentTypeNames: localized, StatusAsOf: now.UTC(), Test: test == 1,
		Fields: []httpapi.Field{}, Checks: checks,
	}})
}

// A served is a process that answers look-ups.
type served struct {
	name string
	addr string
	pid  int
	cost map[string][]float64 // CPU µs a request, by what was asked, of each round
}

func serveMeasured(b *testing.B, name, env, data string) *served {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env+"="+data)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return &served{name: name, addr: strings.TrimSpace(line), pid: cmd.Process.Pid, cost: map[string][]float64{}}
}

// cpu is the processor time that the process has used so far, to 10 ms.
func (s *served) cpu(b *testing.B) time.Duration {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	f := strings.Fields(rest)
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// load sends n requests over four connections and returns the CPU time that
// one of them cost the process, in µs.
func (s *served) load(b *testing.B, request []byte, n int) float64 {
	b.Helper()
	before := s.cpu(b)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			conn, err := net.Dial("tcp", s.addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			in := bufio.NewReader(conn)
			for range n / 4 {
				conn.Write(request)
				res, err := http.ReadResponse(in, nil)
				if err != nil {
					b.Error(err)
					return
				}
				raw, _ := io.ReadAll(res.Body)
				if res.StatusCode != 200 || !bytes.Contains(raw, []byte(`"verdict":"valid"`)) {
					b.Errorf("%s: %d %s", s.name, res.StatusCode, raw)
					return
				}
			}
		})
	}
	group.Wait()
	return float64((s.cpu(b) - before).Microseconds()) / float64(n)
}

// size is how long the answer's body is.
func (s *served) size(b *testing.B, request []byte) int {
	b.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	conn.Write(request)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		b.Fatal(err)
	}
	raw, _ := io.ReadAll(res.Body)
	return len(raw)
}

// BenchmarkRatio compares what look-ups cost the gateway with what they cost a
// bare net/http handler that runs the same statements, each in a process of its
// own, in turns: history and rate limit on, TCODE_BENCH_REQUESTS a round.
func BenchmarkRatio(b *testing.B) {
	d := storetest.NewOn(b, storetest.SQLite)
	st := d.Stamp(b, d.Tenant(b, "Acme", "ACME01"), "n")
	storetest.Seed(b, d.Dir, st.ID, 1000)
	text, _ := json.Marshal(map[string]string{"payload": base64.StdEncoding.EncodeToString(st.Payload)})
	post := fmt.Sprintf("POST /v1/tcode/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	requests := map[string][]byte{
		"reference": []byte("GET /v1/tcode/verify/reference/" + st.Reference.String() + " HTTP/1.1\r\nHost: x\r\n\r\n"),
		"payload":   []byte(post),
	}
	n := 10_000
	if v := os.Getenv("TCODE_BENCH_REQUESTS"); v != "" {
		n, _ = strconv.Atoi(v)
	}
	both := []*served{serveMeasured(b, "bare", bareEnv, d.Dir), serveMeasured(b, "gateway", busyEnv, d.Dir)}
	for b.Loop() {
		for round := range 6 {
			for what, request := range requests {
				for _, s := range both {
					if cost := s.load(b, request, n); round > 0 { // the first warms up
						s.cost[what] = append(s.cost[what], cost)
					}
				}
			}
		}
	}
	for what, request := range requests {
		b.Logf("%s: %d bytes from the bare handler, %d from the gateway", what, both[0].size(b, request), both[1].size(b, request))
		median := func(s *served) float64 {
			slices.Sort(s.cost[what])
			return s.cost[what][len(s.cost[what])/2]
		}
		bare, gateway := median(both[0]), median(both[1])
		b.ReportMetric(bare, what+"-bare-µs")
		b.ReportMetric(gateway, what+"-gateway-µs")
		b.ReportMetric(gateway/bare, what+"-ratio")
	}
}

// BenchmarkHandler runs look-ups without a network, for profiles.
func BenchmarkHandler(b *testing.B) {
	d := storetest.NewOn(b, storetest.SQLite)
	st := d.Stamp(b, d.Tenant(b, "Acme", "ACME01"), "n")
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute = 1 << 30
	g, err := server.Open(b.Context(), server.Config{Data: d.Dir, Limits: &limits, Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	h, err := g.Handler()
	if err != nil {
		b.Fatal(err)
	}
	text, _ := json.Marshal(map[string]string{"payload": base64.StdEncoding.EncodeToString(st.Payload)})
	for what, make := range map[string]func() *http.Request{
		"reference": func() *http.Request {
			return httptest.NewRequest("GET", "/v1/tcode/verify/reference/"+st.Reference.String(), nil)
		},
		"payload": func() *http.Request {
			r := httptest.NewRequest("POST", "/v1/tcode/verify", bytes.NewReader(text))
			r.Header.Set("Content-Type", "application/json")
			return r
		},
	} {
		b.Run(what, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, make()); w.Code != 200 {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
