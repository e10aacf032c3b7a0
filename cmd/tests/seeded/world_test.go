//go:build linux

package seeded_test

import (
	"archive/zip"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/pquerna/otp/totp"

	"tcode/cmd/internal/world"
	"tcode/server"
	"tcode/server/account"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

// furnish begins a gateway, and makes what the ways need: a tenant with a key, a template and an
// endpoint, servers for its mail and its events, and a user.
func (g *gateway) furnish() {
	g.t.Helper()
	ctx := g.t.Context()
	var err error
	g.admin, err = server.Open(ctx, server.Config{Init: true, Data: g.data, WebhooksAllowPrivate: true})
	must(g.t, err)
	g.t.Cleanup(func() { g.admin.Close() })
	t, err := g.admin.Tenants.CreateTenant(ctx, "Acme", "ACME01")
	must(g.t, err)
	opt := tenant.KeyOptions{Name: "k", Scopes: tenant.Scopes()}
	key, err := g.admin.Tenants.CreateKey(ctx, t.Reference, opt)
	must(g.t, err)
	g.key, g.who = key.Secret, tenant.Identity{Tenant: t, KeyPrefix: key.Prefix}
	diplomas := trustdoc.Spec{Name: "Diploma", DocumentTypeCode: "DIP"}
	made, err := g.admin.Documents.CreateTemplate(ctx, g.who, diplomas, nil, nil)
	must(g.t, err)
	g.template = made.ID
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		g.posts.Add(1)
	}))
	g.t.Cleanup(receiver.Close)
	_, _, err = g.admin.Webhooks.Create(ctx, t.Reference, receiver.URL, nil)
	must(g.t, err)
	invited, err := g.admin.Accounts.Create(ctx, account.Spec{
		Tenant: t.Reference, Email: "ruth@acme.example", Name: "Ruth", Role: account.Owner,
	})
	must(g.t, err)
	g.welcome = "/console/welcome/" + invited.Token
	g.mail = g.receiveMail()
}

// receiveMail returns the address of a server that takes mail.
func (g *gateway) receiveMail() string {
	g.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(g.t, err)
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &postbox{g}, nil
	}))
	s.Domain, s.ErrorLog = "acme.example", log.New(io.Discard, "", 0)
	go s.Serve(listener)              //nolint:errcheck // it ends when the listener is closed
	g.t.Cleanup(func() { s.Close() }) //nolint:errcheck // the test is over
	return "smtp://" + listener.Addr().String()
}

// A postbox is a session of the server for mail. It counts messages.
type postbox struct{ g *gateway }

func (*postbox) Mail(string, *smtp.MailOptions) error { return nil }
func (*postbox) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (*postbox) Reset()                               {}
func (*postbox) Logout() error                        { return nil }

func (p *postbox) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	for p.g.silent.Load() {
		time.Sleep(50 * time.Millisecond)
	}
	p.g.mails.Add(1)
	return err
}

// newGatewayFor starts a gateway for items, signs in, and tries it.
func newGatewayFor(t *testing.T, group []cell, args ...string) *gateway {
	t.Helper()
	if of := group[0].args; of != nil {
		args = append(args, of(t)...)
	}
	g := newGateway(t, args...)
	g.works()
	if slices.ContainsFunc(group, func(c cell) bool { return answered(c.kind) }) {
		g.signIn()
	}
	return g
}

// secret finds the secret of the second factor on a screen.
var secret = regexp.MustCompile(`<code class="key" dir="ltr">([A-Z2-7]+)</code>`)

// signIn has a browser signed in, as the user who was invited.
func (g *gateway) signIn() {
	g.t.Helper()
	jar, err := cookiejar.New(nil)
	must(g.t, err)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	g.browser = &http.Client{Jar: jar, Timeout: 2 * time.Minute, CheckRedirect: stay}
	const password = "correct horse battery"
	g.browse(g.welcome, url.Values{"password": {password}, "again": {password}})
	_, page := g.browse("/console/enrol", nil)
	found := secret.FindSubmatch(page)
	if found == nil {
		g.t.Fatalf("no secret of a second factor:\n%s", page)
	}
	code, err := totp.GenerateCode(string(found[1]), time.Now())
	must(g.t, err)
	g.browse("/console/enrol", url.Values{"code": {code}})
	if status, page := g.browse("/console/", nil); status != http.StatusOK {
		g.t.Fatalf("the console: %d\n%.1000s", status, page)
	}
}

// browse sends a form, or reads a screen if form is nil. The status is 0 without an answer.
func (g *gateway) browse(path string, form url.Values) (status int, page []byte) {
	g.t.Helper()
	var res *http.Response
	var err error
	if form == nil {
		res, err = g.browser.Get(g.url + path)
	} else {
		res, err = g.browser.PostForm(g.url+path, form)
	}
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer res.Body.Close()
	page, _ = io.ReadAll(res.Body)
	return res.StatusCode, page
}

// diploma is a document.
func diploma(t *testing.T) []byte { return world.Document(t, "diploma.pdf") }

// archive is a ZIP archive with the file diploma.pdf.
func archive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("diploma.pdf")
	must(t, err)
	_, err = w.Write(diploma(t))
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}

// certificate makes a certificate, and returns the flags for it.
func certificate(t *testing.T) []string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	must(t, os.WriteFile(certFile, certPEM, 0o600))
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	must(t, os.WriteFile(keyFile, keyPEM, 0o600))
	return []string{"--tls-cert", certFile, "--tls-key", keyFile}
}

// authority returns the flags for certificates of an authority that says nothing.
func authority(t *testing.T) []string {
	t.Helper()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { silent.Close() })
	return []string{"--acme", "tcode.acme.example", "--acme-directory", "https://" + silent.Addr().String()}
}
