package mail_test

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"tcode/server/outbound/mail"
)

var issued = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func delivery() mail.Delivery {
	return mail.Delivery{
		ID: "0198-a", Recipient: netmail.Address{Name: "Ada Löwe", Address: "ada@example.org"}, Language: "en",
		Issuer: "Acme University", Title: "Diploma <MSc> & more", Reference: "TRF-R9MC5QCNZXT6PPEZ", IssuedAt: issued,
		CheckURL: "https://t.example/d/TRF-R9MC5QCNZXT6PPEZ",
	}
}

func sender(t *testing.T, s mail.Server, change func(*mail.Config)) *mail.Sender {
	t.Helper()
	c := mail.Config{Server: s, From: netmail.Address{Address: "office@t.example"}}
	if change != nil {
		change(&c)
	}
	out, err := mail.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// parts returns a message's header, its decoded leaves by media type, and the names of its
// attachments.
func parts(t *testing.T, raw []byte) (netmail.Header, map[string]string, []string) {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	leaves, names := map[string]string{}, []string(nil)
	var walk func(media, encoding string, body io.Reader)
	walk = func(media, encoding string, body io.Reader) {
		kind, params, err := mime.ParseMediaType(media)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(kind, "multipart/") {
			r := multipart.NewReader(body, params["boundary"])
			for {
				p, err := r.NextRawPart()
				if errors.Is(err, io.EOF) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if n := p.FileName(); n != "" {
					if n, err = new(mime.WordDecoder).DecodeHeader(n); err != nil {
						t.Fatal(err)
					}
					names = append(names, n)
				}
				walk(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p)
			}
		}
		switch encoding {
		case "quoted-printable":
			body = quotedprintable.NewReader(body)
		case "base64":
			body = base64.NewDecoder(base64.StdEncoding, body)
		}
		data, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		leaves[kind] = string(data)
	}
	walk(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), m.Body)
	return m.Header, leaves, names
}

func TestSend(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	s := sender(t, listen(t, box, nil, nil), func(c *mail.Config) { c.ReplyTo = "help@t.example" })
	d := delivery()
	d.Attachment = &mail.File{Name: "Diplôme.pdf", ContentType: "application/pdf", Data: bytes.Repeat([]byte("%PDF\x00\r\n.\r\n"), 5000)}
	d.ExpiresAt = issued.AddDate(1, 0, 0)
	if err := s.Send(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	got := box.taken()
	if len(got) != 1 || got[0].from != "office@t.example" || got[0].to != "ada@example.org" {
		t.Fatalf("took %d messages: %.200v", len(got), got)
	}
	header, leaves, names := parts(t, got[0].data)
	decode := new(mime.WordDecoder).DecodeHeader
	for name, want := range map[string]string{
		"From": `"Acme University" <office@t.example>`, "To": `Ada Löwe <ada@example.org>`, "Reply-To": "<help@t.example>",
		"Subject": "Diploma <MSc> & more, issued by Acme University", "Message-Id": "<0198-a@t.example>", "Auto-Submitted": "auto-generated",
	} {
		have, err := decode(header.Get(name))
		if err != nil || strings.ReplaceAll(have, `"Ada Löwe"`, "Ada Löwe") != want {
			t.Errorf("%s: %q, %v, want %q", name, have, err, want)
		}
	}
	for _, want := range []string{"Dear Ada Löwe,", "Diploma <MSc> & more", "TRF-R9MC5QCNZXT6PPEZ", "https://t.example/d/TRF-", "Valid until: 2027-11-21 09:30 UTC", "attached"} {
		if !strings.Contains(leaves["text/plain"], want) {
			t.Errorf("the text lacks %q:\n%s", want, leaves["text/plain"])
		}
	}
	for _, want := range []string{"Diploma &lt;MSc&gt; &amp; more", `href="https://t.example/d/TRF-R9MC5QCNZXT6PPEZ"`, "attached"} {
		if !strings.Contains(leaves["text/html"], want) {
			t.Errorf("the HTML lacks %q:\n%s", want, leaves["text/html"])
		}
	}
	if leaves["application/pdf"] != string(d.Attachment.Data) || !cmp.Equal(names, []string{"Diplôme.pdf"}) {
		t.Errorf("%d bytes attached as %q, want %d", len(leaves["application/pdf"]), names, len(d.Attachment.Data))
	}
}

// TestNamesStayNames: no content of a document becomes a header, a line or an element of
// its own.
func TestNamesStayNames(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	s := sender(t, listen(t, box, nil, nil), nil)
	for _, hostile := range []string{"x\r\nBcc: eve@example.org", "x\nBcc: eve@example.org\n\nbody", "<script>alert(1)</script>", `"><img src=x>`, "a\u2028b", "Müller, \"Ada\" <eve@example.org>"} {
		d := delivery()
		d.Title, d.Issuer, d.Recipient.Name = hostile, hostile, hostile
		if err := s.Send(t.Context(), d); err != nil {
			t.Fatalf("%q: %v", hostile, err)
		}
		got := box.taken()
		last := got[len(got)-1]
		header, leaves, _ := parts(t, last.data)
		if last.to != "ada@example.org" || header.Get("Bcc") != "" {
			t.Errorf("%q: to %q, Bcc %q", hostile, last.to, header.Get("Bcc"))
		}
		if list, err := header.AddressList("To"); err != nil || len(list) != 1 || list[0].Address != "ada@example.org" {
			t.Errorf("%q: To is %v, %v", hostile, list, err)
		}
		if strings.Contains(leaves["text/html"], "<script") || strings.Contains(leaves["text/html"], "<img") {
			t.Errorf("%q: HTML\n%s", hostile, leaves["text/html"])
		}
		if strings.Contains(leaves["text/plain"], "\nBcc") {
			t.Errorf("%q: text\n%s", hostile, leaves["text/plain"])
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	config, pool := private(t)
	trusting := func(c *mail.Config) { c.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12} }
	tests := []struct {
		name               string
		startTLS, implicit bool // what the server offers
		policy             mail.TLS
		change             func(*mail.Config)
		private, taken     bool
	}{
		{"STARTTLS", true, false, mail.StartTLS, trusting, true, true},
		{"from the start", false, true, mail.ImplicitTLS, trusting, true, true},
		{"opportunistic, offered", true, false, mail.Opportunistic, trusting, true, true},
		{"opportunistic, not offered", false, false, mail.Opportunistic, trusting, false, true},
		{"none, offered", true, false, mail.NoTLS, trusting, false, true},
		{"needed, not offered", false, false, mail.StartTLS, trusting, false, false},
		{"from the start, not spoken", false, false, mail.ImplicitTLS, func(c *mail.Config) { trusting(c); c.Timeout = time.Second }, false, false},
		{"unknown authority", true, false, mail.StartTLS, nil, false, false},
		{"unknown authority from the start", false, true, mail.ImplicitTLS, nil, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			box := &inbox{}
			var start, implicit *tls.Config
			if tt.startTLS {
				start = config
			}
			if tt.implicit {
				implicit = config
			}
			server := listen(t, box, start, implicit)
			server.TLS = tt.policy
			err := sender(t, server, tt.change).Send(t.Context(), delivery())
			got := box.taken()
			if (err == nil) != tt.taken || len(got) > 0 != tt.taken || tt.taken && got[0].tls != tt.private {
				t.Errorf("error %v, took %d, want taken %v, private %v", err, len(got), tt.taken, tt.private)
			}
			if e, ok := errors.AsType[*mail.Error](err); !tt.taken && (!ok || e.Outcome != mail.Later || e.Step != mail.StepSecure || e.Code != 0) {
				t.Errorf("error %#v, want Later, at making it private: an operator can repair it", err)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	said := func(code int) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: "no ada@example.org here"}
	}
	tests := []struct {
		name   string
		box    *inbox
		change func(*mail.Config)
		want   mail.Error
	}{
		{"unknown recipient", &inbox{onRcpt: said(550)}, nil, mail.Error{Outcome: mail.Refused, Step: "hand over", Code: 550}},
		{"greylisted", &inbox{onRcpt: said(451)}, nil, mail.Error{Outcome: mail.Later, Step: "hand over", Code: 451}},
		{"too large", &inbox{onData: said(552)}, nil, mail.Error{Outcome: mail.Refused, Step: "hear that it was taken", Code: 552}},
		{"disk full", &inbox{onData: said(452)}, nil, mail.Error{Outcome: mail.Later, Step: "hear that it was taken", Code: 452}},
		{"wrong password", &inbox{user: "tcode"}, func(c *mail.Config) { c.Server.User, c.Server.Password = "tcode", "wrong" }, mail.Error{Outcome: mail.Later, Step: "log in", Code: 535}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := sender(t, listen(t, tt.box, nil, nil), tt.change).Send(t.Context(), delivery())
			e, ok := errors.AsType[*mail.Error](err)
			if !ok || e.Outcome != tt.want.Outcome || e.Step != tt.want.Step || e.Code != tt.want.Code {
				t.Fatalf("error %#v, want %#v", err, tt.want)
			}
			if strings.Contains(err.Error(), "ada") || strings.Contains(err.Error(), "wrong") {
				t.Errorf("the error tells too much: %v", err)
			}
		})
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	box := &inbox{user: "tcode"}
	server := listen(t, box, nil, nil)
	server.User, server.Password = "tcode", "secret"
	if err := sender(t, server, nil).Send(t.Context(), delivery()); err != nil || len(box.taken()) != 1 {
		t.Errorf("error %v, took %d", err, len(box.taken()))
	}
}

// TestConfirmedIsSent: a server that hangs up after the confirmation has the message;
// sending again would double it.
func TestConfirmedIsSent(t *testing.T) {
	t.Parallel()
	box := &inbox{hangUp: true}
	if err := sender(t, listen(t, box, nil, nil), nil).Send(t.Context(), delivery()); err != nil {
		t.Errorf("error %v, want none", err)
	}
	if n := len(box.taken()); n != 1 {
		t.Errorf("took %d messages, want 1", n)
	}
}

// TestSlow: Send gives up a server that does not answer in time.
func TestSlow(t *testing.T) {
	t.Parallel()
	quiet, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and sends nothing
	if err != nil {
		t.Fatal(err)
	}
	defer quiet.Close()
	_, port, _ := net.SplitHostPort(quiet.Addr().String())
	n, _ := strconv.Atoi(port)
	box := &inbox{hold: make(chan struct{})}
	held := listen(t, box, nil, nil)
	defer close(box.hold)
	for _, tt := range []struct {
		name   string
		server mail.Server
		step   string
	}{
		{"no greeting", mail.Server{Host: "127.0.0.1", Port: n, TLS: mail.NoTLS}, mail.StepConnect},
		{"no confirmation", held, mail.StepConfirm}, // it may have the message
		{"no listener", mail.Server{Host: "127.0.0.1", Port: 1}, mail.StepConnect},
	} {
		err := sender(t, tt.server, func(c *mail.Config) { c.Timeout, c.HandOver = time.Second, time.Second }).Send(t.Context(), delivery())
		if e, ok := errors.AsType[*mail.Error](err); !ok || e.Outcome != mail.Later || e.Step != tt.step || e.Code != 0 {
			t.Errorf("%s: error %#v, want Later at %q", tt.name, err, tt.step)
		}
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	s := sender(t, listen(t, box, nil, nil), nil)
	want := map[string]string{"en": "Dear Ada Löwe", "de-AT": "Guten Tag Ada Löwe", "fr": "Bonjour Ada Löwe", "es": "Hola, Ada Löwe", "ar": "السلام عليكم Ada Löwe", "tlh": "Dear Ada Löwe", "": "Dear Ada Löwe"}
	for tag, greeting := range want {
		d := delivery()
		d.Language, d.Link, d.LinkUntil, d.Test = tag, "https://t.example/v1/files/x?y=1&z=2", issued.AddDate(0, 0, 7), true
		if err := s.Send(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		got := box.taken()
		_, leaves, _ := parts(t, got[len(got)-1].data)
		for _, must := range []string{greeting, "https://t.example/v1/files/x?y=1&z=2", "2026-11-28 09:30 UTC", "***"} {
			if !strings.Contains(leaves["text/plain"], must) {
				t.Errorf("%q: the text lacks %q:\n%s", tag, must, leaves["text/plain"])
			}
		}
		if isolated := strings.Contains(leaves["text/plain"], "\u20662026-11-28 09:30 UTC\u2069"); isolated != (tag == "ar") {
			t.Errorf("%q: time isolated: %v", tag, isolated)
		}
		if strings.ContainsAny(leaves["text/plain"], "{}") {
			t.Errorf("%q: not all was filled in:\n%s", tag, leaves["text/plain"])
		}
	}
	if diff := cmp.Diff([]string{"en", "de", "fr", "es", "ar"}, mail.Languages()); diff != "" {
		t.Error(diff)
	}
}

func TestParseURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want mail.Server
		ok   bool
	}{
		{"smtp://mx.example.org", mail.Server{Host: "mx.example.org", Port: 587}, true},
		{"smtps://mx.example.org", mail.Server{Host: "mx.example.org", Port: 465, TLS: mail.ImplicitTLS}, true},
		{"smtp://a%40b:p%3Aw@mx.example.org:25", mail.Server{Host: "mx.example.org", Port: 25, User: "a@b", Password: "p:w"}, true},
		{"smtp://127.0.0.1:1025", mail.Server{Host: "127.0.0.1", Port: 1025, TLS: mail.Opportunistic}, true},
		{"smtp://[::1]:1025?tls=required", mail.Server{Host: "::1", Port: 1025}, true},
		{"smtp://mx.example.org?tls=none", mail.Server{Host: "mx.example.org", Port: 587, TLS: mail.NoTLS}, true},
		{"smtp://mx.example.org?tls=opportunistic", mail.Server{Host: "mx.example.org", Port: 587, TLS: mail.Opportunistic}, true},
		{"smtp://u:p@mx.example.org?tls=none", mail.Server{}, false},
		{"smtp://u:p@mx.example.org?tls=opportunistic", mail.Server{}, false},
		{"smtps://mx.example.org?tls=none", mail.Server{}, false},
		{"smtp://mx.example.org?tls=perhaps", mail.Server{}, false},
		{"smtp://mx.example.org?timeout=1", mail.Server{}, false},
		{"smtp://mx.example.org/inbox", mail.Server{}, false},
		{"smtp://mx.example.org:0", mail.Server{}, false},
		{"smtp://mx.example.org:99999", mail.Server{}, false},
		{"smtp://", mail.Server{}, false},
		{"http://mx.example.org", mail.Server{}, false},
		{"mx.example.org:25", mail.Server{}, false},
		{"", mail.Server{}, false},
	}
	for _, tt := range tests {
		got, err := mail.ParseURL(tt.in)
		if (err == nil) != tt.ok || tt.ok && got != tt.want {
			t.Errorf("ParseURL(%q) = %+v, %v, want %+v", tt.in, got, err, tt.want)
		}
		if strings.Contains(got.String(), got.Password) && got.Password != "" {
			t.Errorf("%q tells the password", got)
		}
	}
}
