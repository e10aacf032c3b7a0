package post_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"tcode/server/outbound/webhook"
	"tcode/server/outbound/webhook/post"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	for a, want := range map[string]bool{
		"93.184.216.34": true, "1.1.1.1": true, "2606:4700::1111": true,
		"127.0.0.1": false, "127.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "255.255.255.255": false, "224.0.0.1": false, "240.0.0.1": false,
		"192.0.2.1": false, "198.18.0.1": false, "203.0.113.9": false, "172.32.0.1": true,
		"::1": false, "::": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd12::1": false, "ff02::1": false, "2001:db8::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::127.0.0.1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "::ffff:1.1.1.1": true,
	} {
		if got := post.Public(netip.MustParseAddr(a)); got != want {
			t.Errorf("%s public: %v, want %v", a, got, want)
		}
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url           string
		ok, privately bool // without and with AllowPrivate
	}{
		{"https://hooks.example.org/tcode?x=1", true, true},
		{"https://hooks.example.org:8443/", true, true},
		{"http://hooks.example.org/", false, true},
		{"https://localhost/", false, true},
		{"https://LocalHost./", false, true},
		{"https://127.0.0.1/", false, true},
		{"https://[::1]:99/", false, true},
		{"https://169.254.169.254/latest/meta-data", false, true},
		{"https://user:pw@hooks.example.org/", false, false},
		{"https://hooks.example.org/#x", false, false},
		{"ftp://hooks.example.org/", false, false},
		{"file:///etc/passwd", false, false},
		{"https:///x", false, false},
		{"hooks.example.org", false, false},
		{"", false, false},
	}
	for _, tt := range tests {
		for private, want := range map[bool]bool{false: tt.ok, true: tt.privately} {
			err := post.New(post.Config{AllowPrivate: private}).CheckURL(tt.url)
			if (err == nil) != want {
				t.Errorf("%q, private %v: %v", tt.url, private, err)
			}
			if private && err != nil && !strings.Contains(err.Error(), "https or http") {
				t.Errorf("%q, private %v: %v, which does not say that http is taken", tt.url, private, err)
			}
		}
	}
}

// receiver is a server with TLS, and a poster that trusts it.
func receiver(t *testing.T, private bool, h http.HandlerFunc) (string, *post.Poster) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	p := post.New(post.Config{AllowPrivate: private, TLS: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, Timeout: 500 * time.Millisecond})
	t.Cleanup(p.Close)
	return s.URL, p
}

func delivery(url string) webhook.Message {
	return webhook.Message{ID: "0198", Type: webhook.StampRevoked, URL: url, Secrets: []string{"whsec_k"}, Body: []byte(`{"type":"stamp.revoked"}`)}
}

func TestPost(t *testing.T) {
	t.Parallel()
	got := make(chan *http.Request, 1)
	url, p := receiver(t, true, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := webhook.Check(r.Header.Get(webhook.SignatureHeader), body, "whsec_k", time.Now()); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
		got <- r
	})
	if o := p.Post(t.Context(), delivery(url+"/hook?x=1")); !o.OK() || o.Status != http.StatusAccepted {
		t.Fatalf("outcome %+v", o)
	}
	r := <-got
	for name, want := range map[string]string{"Content-Type": "application/json", "TCode-Event": "stamp.revoked", "TCode-Delivery": "0198"} {
		if r.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, r.Header.Get(name), want)
		}
	}
	if r.Method != http.MethodPost || r.URL.String() != "/hook?x=1" {
		t.Errorf("%s %s", r.Method, r.URL)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 10)
	inside := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	defer inside.Close()
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   webhook.Outcome
	}{
		{"failing", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "secret words", http.StatusInternalServerError)
		}, webhook.Outcome{Status: 500, Reason: "the receiver did not take it"}},
		{"gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }, webhook.Outcome{Status: 410, Gone: true, Reason: "the receiver did not take it"}},
		{"redirecting inside", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside.URL+"/stolen", http.StatusTemporaryRedirect)
		}, webhook.Outcome{Status: 307, Reason: "the receiver redirects, which is not followed"}},
		{"slow", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, webhook.Outcome{Reason: "the receiver did not answer in time"}},
		{"endless", func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		}, webhook.Outcome{Status: 200}},
		{"hanging up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, webhook.Outcome{Reason: "the receiver cannot be reached"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, p := receiver(t, true, tt.answer)
			if o := p.Post(t.Context(), delivery(url)); o != tt.want {
				t.Errorf("outcome %+v, want %+v", o, tt.want)
			}
			if len(reached) > 0 {
				t.Errorf("a redirect was followed to %s", <-reached)
			}
		})
	}
}

// TestRebinding: the address of a name is checked at each connection, so that a name that
// pointed elsewhere before does not pass.
func TestRebinding(t *testing.T) {
	t.Parallel()
	for _, inside := range []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.7"), netip.MustParseAddr("169.254.169.254")} {
		p := post.New(post.Config{Resolver: names(t, inside)})
		defer p.Close()
		if err := p.CheckURL("https://hooks.example.org/"); err != nil {
			t.Fatal(err)
		}
		o := p.Post(t.Context(), delivery("https://hooks.example.org/"))
		if want := "the name of the receiver leads to an address that is not public"; o.Reason != want || o.Status != 0 {
			t.Errorf("%s: %+v, want %q", inside, o, want)
		}
	}
}

// names is a resolver that resolves every name to a.
func names(t *testing.T, a netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(b[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
					Body:   &dnsmessage.AResource{A: a.As4()},
				}}
			}
			answer, err := m.Pack()
			if err == nil {
				_, err = conn.WriteTo(answer, from)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// TestNeverInside: the poster does not connect to a name with a local address, or to a
// server whose certificate no authority signed.
func TestNeverInside(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	connected := make(chan struct{}, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Close()
			connected <- struct{}{}
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	p := post.New(post.Config{})
	for _, host := range []string{"localhost.", "LOCALHOST", "ip6-localhost", "127.0.0.1.", "0x7f000001", "2130706433", "127.1"} {
		if o := p.Post(t.Context(), delivery("https://"+host+":"+port+"/")); o.OK() || o.Reason == "" {
			t.Errorf("%s: outcome %+v", host, o)
		}
	}
	if len(connected) > 0 {
		t.Error("a private address was connected to")
	}
	url, _ := receiver(t, true, func(http.ResponseWriter, *http.Request) {})
	if o := post.New(post.Config{AllowPrivate: true}).Post(t.Context(), delivery(url)); o.Reason != "the receiver's certificate is not good" {
		t.Errorf("unknown authority: outcome %+v", o)
	}
}
