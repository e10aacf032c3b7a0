package main

//race:off whole programs

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/testscript"

	"tcode/offline/host/sandbox"
	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/issue/field"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

func TestMain(m *testing.M) {
	sandbox.Main(server.Roles()...)
	testscript.Main(m, map[string]func(){"tcode": main})
}

// TestScripts runs the program against a real gateway, one for all scripts.
// Their environment has URL, KEY (of tenant ACME01, which has a Trust template
// TEMPLATE with a field grade), and ADMIN, a key that has every scope; their folder
// has diploma.pdf and three pictures.
func TestScripts(t *testing.T) {
	t.Parallel()
	url, key, admin, template := gateway(t)
	diploma, err := os.ReadFile("../../testdata/documents/diploma.pdf")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("URL", url)
			env.Setenv("KEY", key)
			env.Setenv("ADMIN", admin)
			env.Setenv("TEMPLATE", template)
			env.Setenv("TCODE_CONFIG", env.WorkDir+"/profiles.json")
			env.Setenv("GOTRACEBACK", "single")
			for _, name := range []string{"color.jpg", "1bit.png", "pages.tif"} {
				picture, err := os.ReadFile("../../scanner/raster/testdata/" + name)
				if err != nil {
					return err
				}
				if err := os.WriteFile(env.WorkDir+"/"+name, picture, 0o600); err != nil {
					return err
				}
			}
			return os.WriteFile(env.WorkDir+"/diploma.pdf", diploma, 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"reference": reference, "job": job, "archive": archive, "archived": archived, "scan": scan,
		},
	})
}

// reference NAME sets NAME to the first reference that the last command printed.
func reference(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: reference NAME")
	}
	words := bufio.NewScanner(strings.NewReader(ts.ReadFile("stdout")))
	words.Split(bufio.ScanWords)
	for words.Scan() {
		if w := words.Text(); strings.HasPrefix(w, "TCR-") || strings.HasPrefix(w, "TRF-") {
			ts.Setenv(args[0], w)
			return
		}
	}
	ts.Fatalf("no reference was printed")
}

// job NAME sets NAME to the id of the job that the last command printed.
func job(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: job NAME")
	}
	id := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).FindString(ts.ReadFile("stdout"))
	if id == "" {
		ts.Fatalf("no job was printed")
	}
	ts.Setenv(args[0], id)
}

// scan REFERENCE lets a new device sign a scan and send it, and sets DEVICE to its id.
func scan(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: scan REFERENCE")
	}
	_, key, err := ed25519.GenerateKey(nil)
	ts.Check(err)
	now := wire.TruncateMillis(time.Now())
	b := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(key.Public().(ed25519.PublicKey)), SentAt: now}
	b.Items = []wire.Item{{ScanID: uuid.NewString(), Seq: 1, Reference: args[0], ScannedAt: now}}
	body, err := b.Encode()
	ts.Check(err)
	public, signature, err := wire.SignBatch(b, key)
	ts.Check(err)
	req, err := http.NewRequest(http.MethodPost, ts.Getenv("URL")+"/v1/tcode/verify/sync", bytes.NewReader(body))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(wire.HeaderDeviceKey, public)
	req.Header.Set(wire.HeaderBatchSignature, signature)
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	ts.Check(res.Body.Close())
	if res.StatusCode != http.StatusOK {
		ts.Fatalf("the scan was answered with %s", res.Status)
	}
	ts.Setenv("DEVICE", b.ScannerID)
}

// archive FILE MEMBER... makes a ZIP archive.
func archive(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: archive FILE MEMBER...")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	z := zip.NewWriter(f)
	for _, name := range args[1:] {
		w, err := z.Create(name)
		ts.Check(err)
		_, err = io.WriteString(w, ts.ReadFile(name))
		ts.Check(err)
	}
	ts.Check(z.Close())
	ts.Check(f.Close())
}

// archived FILE MEMBER checks that a ZIP archive has a member.
func archived(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: archived FILE MEMBER")
	}
	z, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer z.Close()
	_, err = z.Open(args[1])
	ts.Check(err)
}

// gateway runs a gateway until the test ends.
func gateway(t *testing.T) (url, key, boss, template string) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.KeyLookupsPerMinute, limits.RequestsPerMinute = 0, 0, 0
	ready := make(chan net.Addr, 1)
	c := server.Config{Init: true, Addr: "127.0.0.1:0", Data: t.TempDir(), Limits: &limits, Log: log, Stampers: 1, Ready: func(a net.Addr) { ready <- a }}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx, c) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case a := <-ready:
		url = "http://" + a.String()
	case err := <-done:
		t.Fatal(err)
	}
	admin, err := server.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	made, err := admin.Tenants.CreateTenant(t.Context(), "Acme University", "ACME01")
	if err != nil {
		t.Fatal(err)
	}
	k, err := admin.Tenants.CreateKey(t.Context(), made.Reference, tenant.KeyOptions{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := admin.Tenants.CreateKey(t.Context(), made.Reference, tenant.KeyOptions{Name: "admin", Scopes: tenant.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	tt, err := admin.Documents.CreateTemplate(t.Context(), tenant.Identity{Tenant: made}, trustdoc.Spec{
		Name: "Diploma", DocumentTypeCode: "DIP", Fields: []field.Definition{{Key: "grade", Required: true}},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return url, k.Secret, all.Secret, fmt.Sprint(tt.ID)
}
