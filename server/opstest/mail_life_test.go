package opstest

import (
	"bytes"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"tcode/server"
	"tcode/server/fault"
	"tcode/server/httpapi/api"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
)

// work tries to send a document's message, as a wake-up does.
func (w *mailWorld) work(d trustdoc.Document) delivery.Message {
	w.T.Helper()
	if err := w.Admin.Delivery.Work(w.T.Context(), d.Delivery.ID); err != nil {
		w.T.Fatal(err)
	}
	return w.state(d.ID)
}

func subject(t *testing.T, raw []byte) string {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	s, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain is a message's text with its quoted-printable lines joined.
func plain(raw []byte) string {
	return strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(raw))
}

// TestMailRetries: the waits double until a day is over. A gateway does not retry
// a message that the server refuses permanently.
func TestMailRetries(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		clock := storetest.NewClock(time.Now())
		w := newMailWorld(t, e, func(c *server.Config) { c.Now, c.Mail.FirstWait = clock.Now, 0 })
		w.box.up()
		w.box.set(&smtp.SMTPError{Code: 451, Message: "later"}, 0)
		d := w.issue("Ada", nil)
		if got := w.state(d.ID); got.State != delivery.Waiting || got.Tries != 0 {
			t.Fatalf("at first %+v", got)
		}
		var minutes []int
		m := w.state(d.ID)
		for m.State == delivery.Waiting {
			if m.Tries > 0 {
				early := w.work(d) // a wake-up too many
				if early.Tries != m.Tries {
					t.Fatal("tried before its time")
				}
			}
			clock.Add(m.NextAt.Sub(clock.Now()))
			at := clock.Now()
			m = w.work(d)
			if m.State == delivery.Waiting {
				minutes = append(minutes, int(m.NextAt.Sub(at).Round(time.Minute)/time.Minute))
			}
			if m.Code != 451 || m.Reason != delivery.Answered {
				t.Fatalf("%+v", m)
			}
		}
		if m.State != delivery.Failed || m.Tries != len(minutes)+1 || len(minutes) != 11 || minutes[0] != 1 || minutes[1] != 2 || minutes[9] != 512 || minutes[10] != 417 {
			t.Errorf("%s after %d tries, waits %v", m.State, m.Tries, minutes)
		}
		w.box.set(&smtp.SMTPError{Code: 550, Message: "no ada@example.org here"}, 0)
		if _, err := w.Admin.Delivery.Resend(t.Context(), d.Delivery.ID); err != nil {
			t.Fatal(err)
		}
		if m = w.work(d); m.State != delivery.Refused || m.Code != 550 || m.Tries != 1 {
			t.Errorf("refused: %+v", m)
		}
		w.box.set(nil, 0)
		if _, err := w.Admin.Delivery.Resend(t.Context(), d.Delivery.ID); err != nil {
			t.Fatal(err)
		}
		if m = w.work(d); m.State != delivery.Sent || m.SentAt.IsZero() || m.Code != 0 {
			t.Errorf("sent: %+v", m)
		}
		w.work(d) // a wake-up too many
		// Again, for a recipient who lost it: as another message.
		if _, err := w.Admin.Delivery.Resend(t.Context(), d.Delivery.ID); err != nil {
			t.Fatal(err)
		}
		w.work(d)
		if ids, all := w.box.confirmed(); len(ids) != 2 || all != 2 || ids[d.Delivery.ID+"-1@t.example"] != 1 {
			t.Errorf("confirmed %v", ids)
		}
		if _, err := w.Admin.Delivery.Resend(t.Context(), w.template); !fault.Is(err, fault.NotFound) {
			t.Errorf("resend of nothing: %v", err)
		}
	})
}

// TestMailOfEndedDocuments: a gateway does not send the message of a document that
// has ended. The message of a suspended one waits.
func TestMailOfEndedDocuments(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock(time.Now())
	w := newMailWorld(t, storetest.DefaultEngine(), func(c *server.Config) { c.Now = clock.Now })
	w.box.up()
	id := w.Identity("ACME01")
	act := func(a trustdoc.Action) func(trustdoc.Document) {
		return func(d trustdoc.Document) {
			if err := w.Admin.Documents.Act(t.Context(), id, d.ID, a, "x"); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name   string
		change func(*trustdoc.Issuance)
		do     func(trustdoc.Document)
		want   delivery.State
		reason delivery.Reason
	}{
		{"revoked", nil, act(trustdoc.ActionRevoke), delivery.Dropped, delivery.Revoked},
		{"ended", nil, act(trustdoc.ActionExpire), delivery.Dropped, delivery.Expired},
		{"expired", func(r *trustdoc.Issuance) { r.ExpiresAt = clock.Now().Add(time.Minute) }, func(trustdoc.Document) { clock.Add(time.Hour) }, delivery.Dropped, delivery.Expired},
		{"replaced", nil, func(d trustdoc.Document) {
			next, err := w.Admin.Documents.Replace(t.Context(), id, d.ID, trustdoc.Replacement{Title: "Better"})
			if err != nil {
				t.Fatal(err)
			}
			if m := w.work(next); m.State != delivery.Sent {
				t.Errorf("the successor: %+v", m)
			}
		}, delivery.Dropped, delivery.Replaced},
		{"suspended", nil, act(trustdoc.ActionSuspend), delivery.Waiting, delivery.Suspended},
		{"of a suspended issuer", nil, func(trustdoc.Document) {
			if err := w.Admin.Tenants.Suspend(t.Context(), "ACME01"); err != nil {
				t.Fatal(err)
			}
		}, delivery.Waiting, delivery.Suspended},
	}
	for _, tt := range tests {
		_, before := w.box.confirmed()
		d := w.issue(tt.name, tt.change)
		tt.do(d)
		_, between := w.box.confirmed()
		m := w.work(d)
		if _, after := w.box.confirmed(); m.State != tt.want || m.Reason != tt.reason || after != between || between-before > 1 {
			t.Errorf("%s: %s %s, %d sent", tt.name, m.State, m.Reason, after-between)
		}
	}
}

// TestMailContents: the message to a recipient has the contents for its kind of
// document.
//
//engine:sqlite the message decides, not its row
func TestMailContents(t *testing.T) {
	t.Parallel()
	w := newMailWorld(t, storetest.DefaultEngine())
	w.box.up()
	if err := w.Admin.Tenants.SetLanguage(t.Context(), "ACME01", "de"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name       string
		change     func(*trustdoc.Issuance)
		want       []string
		attachment bool
	}{
		{"digital", nil, []string{"Guten Tag digital,", harness.PublicURL + "/d/TRF-"}, false},
		{"uploaded", func(r *trustdoc.Issuance) { r.PDF = spool.Bytes(harness.PDF("a")) }, []string{"angeh"}, true},
		{"stamped", func(r *trustdoc.Issuance) { r.PDF, r.Path = spool.Bytes(harness.PDF("a")), trustdoc.PathBoth }, []string{"angeh"}, true},
		{"test", func(r *trustdoc.Issuance) { r.ModeType = "test" }, []string{"Testdokument"}, false},
		{"large", func(r *trustdoc.Issuance) {
			r.PDF = spool.Bytes(harness.PDF(strings.Repeat("x", delivery.MaxAttachment)))
		}, []string{harness.PublicURL + "/v1/files/", "Der Link gilt bis"}, false},
	}
	var d trustdoc.Document
	for _, tt := range tests {
		d = w.issue(tt.name, tt.change)
		if m := w.work(d); m.State != delivery.Sent {
			t.Fatalf("%s: %+v", tt.name, m)
		}
		raw := w.box.last()
		text := plain(raw)
		for _, want := range append(tt.want, d.Reference.String()) {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%.2000s", tt.name, want, text)
			}
		}
		if got := strings.Contains(text, `filename="`+d.Reference.String()+`.pdf"`); got != tt.attachment {
			t.Errorf("%s: attached: %v\n%.3000s", tt.name, got, text)
		}
		if got := strings.HasPrefix(subject(t, raw), "[TEST] "); got != d.Test {
			t.Errorf("%s: subject %q", tt.name, subject(t, raw))
		}
	}
	link := regexp.MustCompile(`https://t\.example(/v1/files/\S+)`).FindStringSubmatch(plain(w.box.last()))
	if link == nil {
		t.Fatal("no link")
	}
	h, err := w.Admin.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if got := get(h, link[1]); got.Code != http.StatusOK || got.Body.Len() < delivery.MaxAttachment {
		t.Errorf("the link gives %d, %d bytes", got.Code, got.Body.Len())
	}
	// The link gives no file of a document that does not count.
	for _, step := range []struct {
		action trustdoc.Action
		code   int
		said   string
	}{{trustdoc.ActionSuspend, 403, "suspended"}, {trustdoc.ActionReinstate, 200, ""}, {trustdoc.ActionRevoke, 403, "revoked"}} {
		must(t, w.Admin.Documents.Act(t.Context(), w.Identity("ACME01"), d.ID, step.action, "a mistake"))
		if got := get(h, link[1]); got.Code != step.code || !strings.Contains(got.Body.String(), step.said) {
			t.Errorf("after %s the link gives %d, %.300s", step.action, got.Code, got.Body)
		}
	}
}

// TestMailTooLarge: a message has a link instead of a file that is too large for
// the server.
//
//engine:sqlite the message decides, not its row
func TestMailTooLarge(t *testing.T) {
	t.Parallel()
	w := newMailWorld(t, storetest.DefaultEngine())
	w.box.limit = 50_000
	w.box.up()
	for size, linked := range map[int]bool{1000: false, 100_000: true} {
		d := w.issue("Ada", func(r *trustdoc.Issuance) { r.PDF = spool.Bytes(harness.PDF(strings.Repeat("x", size))) })
		if m := w.work(d); m.State != delivery.Sent || m.Tries != 1 {
			t.Fatalf("%d bytes: %+v", size, m)
		}
		text := plain(w.box.last())
		if strings.Contains(text, harness.PublicURL+"/v1/files/") != linked || strings.Contains(text, `filename="`) == linked {
			t.Errorf("%d bytes, linked %v:\n%.2000s", size, linked, text)
		}
	}
}

// TestMailNotConfigured: a gateway without a mail server says so on the record.
// Once it has one, it sends the message on request.
//
//engine:sqlite the message decides, not its row
func TestMailNotConfigured(t *testing.T) {
	t.Parallel()
	w := newMailWorld(t, storetest.DefaultEngine(), func(c *server.Config) { c.Mail = server.MailConfig{} })
	if d := w.issue("Ada", nil); d.Delivery.State != delivery.NotConfigured || w.state(d.ID).State != delivery.NotConfigured {
		t.Errorf("%+v", d.Delivery)
	}
	if d := w.issue("Nobody", func(r *trustdoc.Issuance) { r.RecipientEmail = "" }); d.Delivery != nil {
		t.Errorf("%+v", d.Delivery)
	}
	letters, err := harness.Mail(w.box.url())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Open(t.Context(), server.Config{Init: true, Data: t.TempDir(), Mail: letters}); !errors.Is(err, server.ErrNoPublicURL) {
		t.Errorf("without a public URL: %v", err)
	}
}

// TestMailTellsNobody: neither the log nor the metrics show the recipient of a
// message or the server's reply about the recipient.
//
//engine:sqlite the message decides, not its row
func TestMailTellsNobody(t *testing.T) {
	t.Parallel()
	var log harness.LockedBuffer
	w := newMailWorld(t, storetest.DefaultEngine(), func(c *server.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	secret := func(r *trustdoc.Issuance) {
		r.RecipientEmail, r.RecipientName, r.Title = "cAnaRy1@example.org", "cAnaRy2", "cAnaRy3"
	}
	w.work(w.issue("", secret)) // no server listens
	w.box.up()
	for _, answer := range []error{&smtp.SMTPError{Code: 550, Message: "no cAnaRy1@example.org"}, &smtp.SMTPError{Code: 451, Message: "cAnaRy1"}, nil} {
		w.box.set(answer, 0)
		w.work(w.issue("", secret))
	}
	w.work(w.issue("", func(r *trustdoc.Issuance) { secret(r); r.RecipientEmail = "cAnaRy4\u00fc@example.org" }))
	for what, text := range map[string]string{"log": log.String(), "metrics": w.metrics()} {
		if strings.Contains(text, "cAnaRy") || !strings.Contains(text, "postpone") || !strings.Contains(text, "refuse") {
			t.Errorf("the %s:\n%s", what, text)
		}
	}
}

func (w *mailWorld) metrics() string {
	return get(w.Admin.WatchHandler(http.NotFoundHandler()), "/metrics").Body.String()
}

// get sends a request to a handler directly.
func get(h http.Handler, path string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	return rec
}

// TestMailOnTheRecord: the record of a document in the API shows the state of its
// message, also if a bulk job issued the document.
func TestMailOnTheRecord(t *testing.T) {
	t.Parallel()
	box := newPostbox(t)
	box.up()
	letters, err := harness.Mail(box.url())
	if err != nil {
		t.Fatal(err)
	}
	r := harness.Start(t, func(c *server.Config) { c.Mail, c.PublicURL = letters, harness.PublicURL })
	key := r.Tenant("ACME01")
	tpl := r.Want(r.Post(key, "/v1/trust/templates", map[string]any{"name": "Diploma", "documentTypeCode": "DIP", "fields": []any{}}), 201).Data()
	record := func(a harness.Answer) api.TrustDocument {
		return harness.As[api.TrustDocumentEnvelope](r, a).Data
	}
	d := record(r.Want(r.Post(key, "/v1/trust/issuances", map[string]any{
		"templateId": tpl["id"], "recipientName": "Ada", "recipientEmail": "ada@example.org", "fields": []any{},
	}), 201))
	if got := d.Delivery; got.State != "Waiting" || got.NextTryAt == nil {
		t.Errorf("when it was issued: %v", got)
	}
	j, err := r.Admin.Bulk.Create(t.Context(), r.Identity("ACME01"), bulk.Request{
		Order: bulk.Order{Product: bulk.Trust, TemplateID: tpl["id"].(string)},
		CSV:   strings.NewReader("recipientName,recipientEmail\nGrace,grace@example.org\nNobody,\n"), ZIP: harness.ZIP(t, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, n := box.confirmed(); n == 2 {
			break
		}
		if time.Now().After(deadline) {
			now, err := r.Admin.Bulk.Get(t.Context(), "ACME01", bulk.Trust, j.ID)
			t.Fatalf("not sent: job %+v, %v", now, err)
		}
	}
	got := d.Delivery
	for deadline := time.Now().Add(time.Minute); got.State != "Sent" && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		got = record(r.Want(r.Get(key, "/v1/trust/issuances/"+d.Id.String()), 200)).Delivery
	}
	if got.State != "Sent" || got.SentAt == nil || got.Tries != 1 || got.NextTryAt != nil || got.Code != nil || got.Reason != nil {
		t.Errorf("on the record: %v", got)
	}
}
