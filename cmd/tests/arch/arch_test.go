// Package arch_test holds the rules that no single package can check: the import
// table, the owner of each third-party module, names of packages, the folders
// at the top, and the length of files (cmd/README.md, "Layout").
package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const modulePath = "tcode"

// top is the top of the module, from this folder.
var top = filepath.Join("..", "..", "..")

// doors names the packages that may import a third-party module, so that replacing the module changes
// one folder only. An import without a door fails: the change that adds a module names its owner here.
var doors = map[string][]string{
	"filippo.io/age":                      {"server/ceremony"},         // root keys in files, sealed by a passphrase
	"github.com/ThalesGroup/crypto11":     {"server/platform/keyring"}, // build tag pkcs11
	"github.com/alecthomas/kong":          {"cmd/..."},
	"github.com/andybalholm/brotli":       {"scanner/web/engine/build"},
	"github.com/boombuler/barcode":        {"cmd/...", "server/console/frame", "server/pdfstamp"}, // QR codes: of enrolment, of apps' secrets, and of the link beside a symbol
	"github.com/chromedp/cdproto":         {"offline/host/browsertest", "scanner/web/phonetest", "server/console/consoletest"},
	"github.com/chromedp/chromedp":        {"offline/host/browsertest", "scanner/web/phonetest", "server/console/consoletest"}, // Chromium, for tests
	"github.com/gen2brain/avif":           {"scanner/raster"},
	"github.com/gen2brain/go-fitz":        {"scanner/raster"},
	"github.com/gen2brain/heic":           {"scanner/raster"},
	"github.com/coreos/go-oidc/v3":        {"server/account/openid"},
	"github.com/go-jose/go-jose/v4":       {"server/account/openid"}, // the keys of providers
	"github.com/go-webauthn/webauthn":     {"server/account"},
	"github.com/getkin/kin-openapi":       {"server/internal/harness", "server/client/python/generate"}, // tests compare each answer with the contract; a client is made of it
	"codeberg.org/go-fonts/dejavu":        {"server/lettering", "cmd/internal/viewers"},
	"github.com/go-text/typesetting":      {"server/lettering"},
	"github.com/google/uuid":              {"server/...", "sync/...", "cmd/..."},
	"github.com/klippa-app/go-pdfium":     {"scanner/raster"},
	"github.com/labstack/echo/v4":         {"server/httpapi", "server/httpapi/gate"},
	"github.com/landlock-lsm/go-landlock": {"offline/host/sandbox"},
	"github.com/hhrutter/tiff":            {"server/picturepdf"}, // pdfcpu's reader of TIFF
	"github.com/jackc/pgx/v5":             {"server/store/pgdb", "server/store/storetest"},
	"github.com/makiuchi-d/gozxing":       {"scanner/fallback", "server/console/consoletest", "server/pdfstamp", "cmd/internal/enrolcode/codetest"},
	"github.com/oapi-codegen/runtime":     {"server/httpapi/...", "server/client"},
	"github.com/pdfcpu/pdfcpu":            {"server/picturepdf"},                            // in a child process
	"github.com/pquerna/otp":              {"server/account", "server/console/consoletest"}, // the codes of apps; in the console's tests
	"github.com/pressly/goose/v3":         {"server/store"},
	"github.com/VictoriaMetrics/metrics":  {"server/platform/metrics"},
	"github.com/swaggest/swgui":           {"server/httpapi"},
	"github.com/tetratelabs/wazero":       {"scanner/raster"},
	"github.com/vbauerster/mpb/v8":        {"cmd/..."},
	"go.yaml.in/yaml/v3":                  {"server/httpapi", "server/httpapi/gate"}, // reads the contract, keeps its order and comments in its other version
	"github.com/riverqueue/river":         {"server/platform/jobs"},
	"github.com/wneessen/go-mail":         {"server/outbound/mail"},
	"github.com/emersion/go-smtp":         {"server/...", "cmd"}, // the server that takes messages in tests
	"github.com/emersion/go-sasl":         {"server/..."},
	"golang.org/x/crypto":                 {"scanner/caveat", "server/account", "server/platform/certs"}, // ACME in the last
	"golang.org/x/image":                  {"scanner/raster", "scanner/tiffpage", "server/picturepdf", "scanner/bench", "scanner/compare", "scanner/sketch", "scanner/caveat", "scanner/pageimage"},
	"golang.org/x/mod":                    {"offline/trust", "sync/wire"},
	"golang.org/x/net":                    {"offline/host/sandbox", "scanner/web/phonetest/browsers", "server/console/consoletest", "server/outbound/mail"},
	"golang.org/x/sync":                   {"scanner/bench/pages", "cmd/internal/viewers"}, // the programs have offline/contain
	"golang.org/x/sys":                    {"offline/host/cputime", "offline/host/memory", "offline/host/sandbox", "offline/host/litedb", "sync/outbox", "scanner/raster", "server/platform/durable", "cmd/..."},
	"golang.org/x/term":                   {"cmd/..."},
	"golang.org/x/text":                   {"server/...", "scanner/charset"},
	"golang.org/x/time":                   {"server/httpapi/gate"},
	"github.com/minio/minio-go/v7":        {"server/platform/blob/s3"},
	"golang.org/x/oauth2":                 {"server/account/openid"},
	"modernc.org/libc":                    {"offline/host/litedb"}, // how SQLite is configured before it starts
	"modernc.org/sqlite":                  {"offline/host/litedb"},
}

// hiding matches package names that do not describe the content or that shadow the standard library.
var hiding = regexp.MustCompile(`^(utils?|common|helpers?|misc|shared|base|core|types|models?|interfaces|lib|sync|http|errors|log|time|net|crypto|image|json|sql|context|io|os|path|text|image|embed|flag|hash|html|maps|slices|sort|strings|bytes|testing|unsafe|plugin|signal|template|url|user|zip|zlib|png|jpeg|gif)$`)

const (
	maxLines    = 400 // of any Go file that is not generated
	minPackages = 30  // fewer means that the walk is in the wrong folder
)

// topLevel lists all files and folders at the top of the module other than dotfiles.
var topLevel = []string{"server", "scanner", "offline", "sync", "cmd", "testdata", "go.mod", "go.sum", "README.md", "LICENSE"}

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(topLevel, e.Name()) && !ignored[e.Name()] {
			t.Errorf("%s lies at the top level, which is fixed", e.Name())
		}
	}
}

var ignored = map[string]bool{"bin": true, "dist": true, "tcode-data": true, "tcode-home": true} // the programs leave these folders behind (.gitignore)

func TestPackages(t *testing.T) {
	for dir, s := range load(t) {
		t.Run(strings.ReplaceAll(dir, "/", "."), func(t *testing.T) {
			for file, n := range s.lines {
				if n > maxLines {
					t.Errorf("%s has %d lines, want at most %d", file, n, maxLines)
				}
			}
			if s.name == "" {
				return // tests only
			}
			if s.doc == "" {
				t.Error("the package has no doc comment")
			}
			if hiding.MatchString(s.name) {
				t.Errorf("package name %q hides what is inside", s.name)
			}
			for imp, file := range s.imports {
				checkImport(t, dir, imp, file)
			}
		})
	}
}

func checkImport(t *testing.T, dir, imp, file string) {
	t.Helper()
	r, ok := ruleFor(dir)
	if !ok {
		t.Errorf("no rule covers %s", dir)
		return
	}
	if !r.allows(imp) {
		t.Errorf("%s imports %s, but %s: %s", file, imp, r.folders, r.why)
	}
	if first, _, _ := strings.Cut(imp, "/"); strings.Contains(first, ".") {
		checkDoor(t, dir, imp, file)
	}
}

func checkDoor(t *testing.T, dir, imp, file string) {
	t.Helper()
	for module, owners := range doors {
		if imp == module || strings.HasPrefix(imp, module+"/") {
			if !covers(owners, dir) {
				t.Errorf("%s imports %s, which only %v may", file, imp, owners)
			}
			return
		}
	}
	t.Errorf("%s imports %s, which has no door: name its owner here", file, imp)
}
