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

// A rule lists the imports that the packages below a folder may use. The most specific rule that covers a package counts.
type rule struct {
	folder string
	ours   []string // folders of this module; "x/..." allows everything below x
	not    []string // standard library packages that are forbidden here
	why    string
}

// pure lists packages of the outside world. A package that must run in a browser and depend on its inputs alone may not import them.
var pure = []string{"os", "net", "net/http", "database/sql", "os/exec", "io/ioutil"}

// everywhere is the package that every other one may import, because goroutines start there.
const everywhere = "offline/contain"

// domain lists packages that business rules leave to store and httpapi.
var domain = []string{"net/http", "database/sql"}

var rules = []rule{
	{"offline", []string{"offline/digest", "offline/payload", "offline/trust", "offline/statuslist", "offline/binding"}, pure, "the core runs in a browser: no network, files or SQL"},
	{"offline/payload", []string{}, pure, "the payload format stands alone"},
	{"offline/contain", []string{}, []string{"net/http", "database/sql"}, "faults of items, whatever they are; it runs in a browser too"},
	{"offline/digest", []string{}, pure, "a hash and its digits"},
	{"offline/statuslist", []string{"offline/digest"}, pure, "the shard format needs a hash alone"},
	{"offline/geometry", []string{}, pure, "places on a page, for scanner and gateway"},
	{"offline/pdflzw", []string{}, pure, "a filter knows bytes and no PDF"},
	{"offline/pdfcrypt", []string{}, pure, "the security handler knows bytes and no PDF"},
	{"offline/binding", []string{"offline/payload"}, pure, "binding knows payloads and bytes"},
	{"offline/trust", []string{"offline/digest", "offline/payload", "offline/statuslist"}, pure, "trust documents are pure"},
	{"offline/trust/trusttest", []string{"offline/..."}, pure, "an authority for tests makes documents alone"},
	{"offline/host/litedb", []string{}, []string{"net/http"}, "litedb knows SQLite and nothing of ours"},
	{"offline/host/journal", []string{}, pure, "records in whole commits, whatever they mean"},
	{"offline/host/journal/journaltest", []string{"offline/host/journal"}, pure, "tests for every journal"},
	{"offline/host/browsertest", []string{}, []string{"database/sql"}, "tests of any package run in Chromium"},
	{"offline/host/webapi", []string{}, pure, "functions of the browser, whatever they are for"},
	{"offline/host/webkey", []string{"offline/host/webapi"}, pure, "a key in a browser, whatever it signs"},
	{"offline/host/idb", []string{"offline/host/journal", "offline/host/webapi"}, pure, "a journal in a browser"},
	{"offline/host/logjournal", []string{"offline/host/journal"}, pure, "a journal in files, whatever has them"},
	{"offline/host/logjournal/logtest", []string{"offline/host/journal", "offline/host/logjournal"}, pure, "files with faults, for tests"},
	{"offline/host/opfs", []string{"offline/host/journal", "offline/host/webapi"}, pure, "files in a browser; its errors are those of journals"},
	{"offline/host/twofold", []string{"offline/host/journal"}, pure, "two journals, whatever they are"},
	{"offline/host/browserstore", []string{"offline/host/idb", "offline/host/journal", "offline/host/logjournal", "offline/host/opfs", "offline/host/twofold", "offline/host/webapi"}, pure, "both copies of a browser"},
	{"offline/host/cputime", []string{}, []string{"net/http", "database/sql"}, "clocks of the system and nothing of ours"},
	{"offline/host/awake", []string{}, []string{"net/http", "database/sql"}, "the time of this process and nothing of ours"},
	{"offline/host/memory", []string{}, []string{"net/http", "database/sql"}, "the memory of this process and nothing of ours"},
	{"offline/host/sandbox", []string{"offline/host/awake", "offline/host/cputime"}, []string{"net/http", "database/sql"}, "sandbox knows processes, and the clocks of their work"},
	{"offline/trustbook", []string{"offline", "offline/digest", "offline/trust", "offline/statuslist"}, pure, "the rules of a device's trust state run in a browser too: a store keeps it"},
	{"offline/trustbook/booktest", []string{"offline", "offline/digest", "offline/statuslist", "offline/trust", "offline/trust/trusttest", "offline/trustbook"}, pure, "tests of every store run in a browser too"},
	{"offline/host/cache", []string{"offline/digest", "offline/host/litedb", "offline/trust", "offline/trustbook"}, []string{"net/http"}, "a store of trustbook, in SQLite"},
	{"offline/host/trustjournal", []string{"offline/digest", "offline/host/journal", "offline/statuslist", "offline/trust", "offline/trustbook"}, pure, "a store of trustbook, in a journal, in a browser too"},
	{"offline/host/trustjournal/trustjournaltest", []string{"offline/..."}, pure, "its tests run in a browser too"},
	{"scanner", []string{"offline/...", "scanner/..."}, []string{"net/http", "database/sql"}, "the scanner reads documents and sends nothing"},
	{"scanner/web", []string{"offline/...", "scanner/...", "sync/..."}, []string{"database/sql"}, "the app for phones is a whole scanner: it reads, judges and sends"},
	{"scanner/gray", []string{}, pure, "image kernels know no symbology"},
	{"scanner/ecc200", []string{}, pure, "the symbology stands alone"},
	{"scanner/charset", []string{}, pure, "tables of character sets, for programs that have room for them"},
	{"scanner/elements", []string{}, pure, "a text is taken apart, whatever symbol it is from"},
	{"scanner/locate", []string{"scanner/gray", "scanner/ecc200"}, pure, "locating is image work"},
	{"scanner/compare", []string{"offline/geometry", "scanner/gray", "scanner/raster", "offline/host/awake", "offline/host/sandbox"}, pure, "drawn pages are compared, not parsed; what ends a child is the fault of its file"},
	{"scanner/symbol", []string{"offline/binding", "scanner/ecc200", "scanner/fallback", "scanner/gray", "scanner/locate"}, pure, "an image becomes symbols, in a browser too"},
	{"scanner/readback", []string{"offline/geometry"}, pure, "questions and answers as values, for gateways that link no engine"},
	{"scanner/filekind", []string{}, pure, "kinds of files by their first bytes, for programs without a renderer too"},
	{"scanner/picturefile", []string{"scanner/filekind"}, pure, "sizes and resolutions from bytes, for programs without a decoder too"},
	{"scanner/binder", []string{"offline/binding", "offline/payload", "scanner/caveat", "scanner/filekind", "scanner/symbol"}, pure, "files are judged by their bytes, not drawn"},
	{"scanner/answer", []string{"offline", "offline/binding", "offline/digest", "offline/payload", "scanner/binder", "scanner/caveat", "scanner/filekind", "scanner/restamp", "scanner/symbol", "sync/outbox", "sync/wire"}, pure, "one answer for terminal and phone: it draws, sends and stores nothing itself"},
	{"scanner/pdfobj", []string{"offline/pdfcrypt", "offline/pdflzw"}, pure, "bytes and the objects in them"},
	{"scanner/caveat", []string{"offline/binding", "scanner/pdfobj"}, pure, "files are looked at, not opened"},
	{"scanner/simulate", []string{"offline/payload", "scanner/ecc200", "scanner/gray"}, pure, "pages and symbols are calculated; files are the caller's"},
	{"scanner/simulate/photo", []string{"scanner/gray", "scanner/simulate"}, pure, "a photograph is calculated from a page, and no reader takes part"},
	{"scanner/simulate/video", []string{"scanner/gray", "scanner/simulate", "scanner/symbol"}, pure, "frames are calculated; the reader takes part in tests alone"},
	{"scanner/simulate/scanned", []string{"scanner/gray", "scanner/simulate"}, pure, "files are values: a scanner's PDF is calculated from pages"},
	{"scanner/pageimage", []string{"scanner/caveat", "scanner/gray", "scanner/pdfobj"}, pure, "pages are shown from bytes, in a browser too, and no reader takes part"},
	{"scanner/restamp", []string{"offline/binding", "scanner/pdfobj"}, pure, "revisions are compared as bytes"},
	{"scanner/web/engine", []string{"offline", "offline/binding", "offline/host/...", "offline/trust", "offline/trustbook", "scanner/...", "sync/..."}, pure, "the engine runs in a browser, and below a native shell"},
	{"scanner/web/engine/keep", []string{"offline/host/journal", "sync/outbox", "sync/wire"}, pure, "what a phone keeps, in journals"},
	{"scanner/web/engine/link", []string{"offline/trust", "offline/trustbook", "scanner/web/engine/keep", "sync/..."}, pure, "it sends and fetches by a transport, in a browser too"},
	{"scanner/web/engine/door", []string{"offline", "offline/host/journal", "offline/host/trustjournal", "offline/host/twofold", "offline/payload", "offline/trust", "offline/trustbook", "scanner/...", "sync/..."}, pure, "requests of a page, or of a native shell"},
	{"scanner/web/phonetest", []string{"offline/host/browsertest"}, []string{"database/sql"}, "tests of any package use the app in Chromium"},
	{"scanner/web/phonetest/browsers", []string{"offline/host/browsertest"}, []string{"database/sql"}, "tests of any package use the app in other browsers"},
	{"scanner/web/engine/build", []string{"scanner/web/engine/build", "scanner/web/engine/build/dense"}, []string{"database/sql"}, "it runs the go command"},
	{"scanner/web/engine/build/dense", []string{}, pure, "bytes in, bytes out"},
	{"sync", []string{"offline/...", "sync/..."}, nil, "sync moves data and reads no documents"},
	{"sync/transport", []string{}, pure, "requests as values: a browser has no net/http"},
	{"sync/transport/nethttp", []string{"sync/transport"}, []string{"database/sql"}, "requests by net/http"},
	{"sync/transport/fetch", []string{"offline/host/webapi", "sync/transport"}, pure, "requests by a browser's fetch"},
	{"sync/transport/transporttest", []string{"sync/transport"}, []string{"database/sql"}, "a real server for tests of a transport"},
	{"sync/devicetime", []string{"offline", "offline/trust", "offline/trustbook", "sync/outbox"}, []string{"net/http", "database/sql"}, "the rules of a device's time run in a browser too"},
	{"sync/feed", []string{"offline", "offline/digest", "offline/statuslist", "offline/trust", "offline/trustbook", "sync/transport", "sync/wire"}, pure, "it fetches in a browser too, by a transport"},
	{"sync/outbox/outboxtest", []string{"sync/outbox", "sync/wire"}, []string{"net/http", "database/sql"}, "its tests run in a browser too"},
	{"sync/uplink", []string{"offline", "offline/digest", "offline/trust", "sync/outbox", "sync/transport", "sync/wire"}, []string{"net/http", "database/sql"}, "it sends from a browser too, by a transport"},
	{"sync/wire", []string{"offline/...", "sync/wire/strictjson"}, []string{"database/sql"}, "bodies are shared with the server"},
	{"sync/wire/strictjson", []string{}, pure, "JSON stands alone"},
	{"server", []string{"offline/...", "server/...", "sync/wire", "scanner/proof", "scanner/readback"}, nil, "the gateway reads its stamps back and is no agent"},
	{"server/fault", []string{}, domain, "an error is not a response"},
	{"server/tenant", []string{"offline/...", "server/fault", "server/platform/keyring", "server/platform/round"}, domain, "domain"},
	{"server/refdata", []string{"offline/...", "server/fault", "server/tenant"}, domain, "domain"},
	{"server/account", []string{"server/fault", "server/issue/field", "server/tenant"}, domain, "domain"},
	{"server/brand", []string{"server/fault", "server/tenant"}, domain, "domain"},
	{"server/account/openid", []string{"server/account", "server/fault"}, []string{"database/sql"}, "requests to providers, no rows"},
	{"server/console", []string{"offline/payload", "offline/trust", "sync/wire", "server/account", "server/brand", "server/console/...", "server/fault", "server/httpapi/gate", "server/issue/...", "server/outbound/...", "server/pages", "server/platform/spool", "server/privacy", "server/refdata", "server/tenant", "server/verify"}, []string{"database/sql"}, "screens draw the values that services return"},
	{"server/console/stampdesk", []string{"offline/geometry", "offline/payload", "scanner/readback", "server/account", "server/console/frame", "server/fault", "server/issue/...", "server/platform/draft", "server/platform/spool", "server/refdata", "server/tenant"}, []string{"database/sql"}, "screens with places on pages, in mm, and uploaded files"},
	{"server/console/frame", []string{"server/account", "server/fault", "server/httpapi/bounded", "server/httpapi/gate", "server/tenant"}, []string{"database/sql"}, "the page around a screen, whatever is on it"},
	{"server/console/consoletest", []string{"offline/host/browsertest", "server", "server/..."}, nil, "tests run whole gateways"},
	{"server/issue", []string{"server/fault", "server/tenant"}, domain, "what the packages below share"},
	{"server/issue/field", []string{"offline/payload", "server/fault"}, domain, "domain"},
	{"server/lettering", []string{}, pure, "text and a font, no document"},
	{"server/certificate", []string{"server/lettering", "server/pdfstamp"}, pure, "values become a page"},
	{"server/issue/placement", []string{"offline/geometry", "server/fault", "server/issue", "server/lettering", "server/tenant"}, domain, "domain"},
	{"server/issue/tdoc", []string{"offline/payload", "server/fault", "server/issue/field", "server/issue", "server/tenant"}, domain, "domain"},
	{"server/issue/stamp", []string{"offline/...", "scanner/readback", "server/fault", "server/issue", "server/tenant", "server/refdata", "server/issue/placement", "server/platform/spool", "server/issue/tdoc", "server/outbound/delivery"}, domain, "domain"},
	{"server/issue/trustdoc", []string{"offline/digest", "offline/geometry", "offline/payload", "server/fault", "server/issue/field", "server/issue", "server/tenant", "server/issue/placement", "server/platform/hold", "server/platform/round", "server/platform/spool", "server/issue/stamp", "server/outbound/delivery", "server/certificate"}, domain, "domain; a document without a PDF is drawn from its values alone"},
	{"server/issue/batch", []string{"server/fault", "server/issue", "server/platform/hold", "server/tenant"}, domain, "domain"},
	{"server/issue/bulk", []string{"offline/payload", "server/fault", "server/issue/...", "server/issue", "server/platform/hold", "server/platform/spool", "server/tenant"}, domain, "domain"},
	{"server/outbound/mail", []string{}, domain, "messages and the way to a server"},
	{"server/outbound/delivery", []string{"server/fault", "server/outbound/mail", "server/platform/hold", "server/tenant"}, domain, "domain"},
	{"server/outbound/webhook", []string{"server/fault", "server/platform/hold", "server/tenant"}, domain, "domain"},
	{"server/outbound/webhook/post", []string{"server/outbound/webhook"}, []string{"database/sql"}, "requests to others, no rows"},
	{"server/verify", []string{"offline/...", "server/fault", "server/platform/pace", "server/platform/round", "server/tenant", "server/refdata", "server/issue/stamp", "server/issue/trustdoc", "sync/wire"}, domain, "domain"},
	{"server/privacy", []string{"server/fault", "server/tenant", "server/platform/hold", "server/platform/round"}, domain, "domain"},
	{"server/publish", []string{"offline/...", "server/fault", "server/tenant", "server/refdata", "server/platform/keyring", "sync/wire", "server/platform/round"}, domain, "domain"},
	{"server/ceremony", []string{"offline/trust"}, pure, "roots and keys as bytes, on a machine without a gateway"},
	{"server/platform/durable", []string{}, domain, "files in place"},
	{"server/platform/keyring", []string{"offline/payload", "server/platform/durable", "server/fault"}, domain, "secrets at rest, keys in tokens"},
	{"server/platform/spool", []string{"scanner/filekind"}, domain, "files without names, told apart by their first bytes"},
	{"server/platform/draft", []string{"server/fault", "server/platform/round"}, domain, "files for a short time, whatever they are for"},
	{"server/platform/pace", []string{}, domain, "rests of long work"},
	{"server/platform/hold", []string{}, domain, "whose work it is, whatever it is"},
	{"server/platform/round", []string{}, domain, "rounds of services, whatever they do"},
	{"server/ballast", []string{"server/platform/durable", "server/platform/round"}, domain, "room on the disk"},
	{"server/platform/blob", []string{"offline/digest", "server/platform/durable", "server/fault"}, []string{"database/sql"}, "files by hash"},
	{"server/pdfstamp", []string{"offline/...", "server/fault", "server/lettering"}, domain, "geometry and PDF bytes"},
	{"server/picturepdf", []string{"offline/host/sandbox", "scanner/filekind", "scanner/picturefile", "server/fault"}, domain, "pictures as bytes become PDF bytes"},
	{"server/pdfstamp/bench", []string{"offline/...", "server/pdfstamp", "server/platform/spool"}, domain, "measures the package next to it"},
	{"server/store", []string{"offline/...", "server/...", "sync/wire", "scanner/readback"}, []string{"net/http"}, "rows, no requests"},
	{"server/httpapi", []string{"offline/...", "server/...", "sync/wire"}, []string{"database/sql"}, "requests, no rows"},
	{"server/httpapi/bounded", []string{"server/fault"}, []string{"database/sql"}, "requests that hang, whatever they ask for"},
	{"server/httpapi/gate", []string{"server/fault", "server/httpapi/bounded", "server/tenant", "server/platform/spool", "server/httpapi/api", "sync/wire/strictjson"}, []string{"database/sql"}, "requests, and no route's business"},
	{"server/httpapi/api", []string{}, domain, "the contract and its types"},
	{"server/client", []string{"server/httpapi/api"}, []string{"database/sql"}, "client programs link neither a gateway nor an engine"},
	{"server/client/python", []string{}, pure, "a file for programs in another language"},
	{"server/client/python/generate", []string{}, []string{"net", "database/sql"}, "a client is made of the contract alone"},
	{"server/pages", []string{"offline", "server/refdata", "server/verify"}, []string{"database/sql"}, "pages draw the values that they get"},
	{"server/internal/harness", []string{"offline/host/sandbox", "server", "server/..."}, nil, "tests run whole gateways"},
	{"server/platform/metrics", []string{}, nil, "counters know nothing of what they count"},
	{"testdata", []string{}, pure, "files only"},
	{"testdata/corpus", []string{"testdata"}, domain, "files that tests measure on"},
	{"cmd", []string{"offline/...", "scanner/...", "sync/...", "server/...", "cmd/...", "testdata"}, nil, "cmd wires everything"},
	{"cmd/internal/world", []string{"offline/...", "scanner/...", "sync/...", "server/...", "cmd/...", "testdata/..."}, nil, "tests of whole programs also measure on the corpus"},
}

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
	"github.com/prometheus/client_golang": {"server/platform/metrics"},
	"github.com/swaggest/swgui":           {"server/httpapi"},
	"github.com/tetratelabs/wazero":       {"scanner/raster"},
	"github.com/vbauerster/mpb/v8":        {"cmd/..."},
	"go.yaml.in/yaml/v3":                  {"server/httpapi", "server/httpapi/gate"}, // reads the contract, keeps its order and comments in its other version
	"github.com/riverqueue/river":         {"server/platform/jobs"},
	"github.com/wneessen/go-mail":         {"server/outbound/mail"},
	"github.com/emersion/go-smtp":         {"server/...", "cmd"}, // the server that takes messages in tests
	"github.com/emersion/go-sasl":         {"server/..."},
	"golang.org/x/crypto":                 {"scanner/caveat", "server/account", "server/platform/certs"}, // ACME in the last
	"golang.org/x/image":                  {"scanner/raster", "scanner/bench", "scanner/compare", "scanner/sketch", "scanner/caveat", "scanner/pageimage"},
	"golang.org/x/mod":                    {"offline/trust", "sync/wire"},
	"golang.org/x/net":                    {"offline/host/sandbox", "scanner/web/phonetest/browsers", "server/console/consoletest", "server/outbound/mail"},
	"golang.org/x/sync":                   {"scanner/bench/pages", "cmd/internal/viewers"}, // the programs have offline/contain
	"golang.org/x/sys":                    {"offline/host/cputime", "offline/host/memory", "offline/host/sandbox", "offline/host/litedb", "sync/outbox", "scanner/raster", "server/platform/durable", "cmd/..."},
	"golang.org/x/term":                   {"cmd/..."},
	"golang.org/x/text":                   {"server/...", "scanner/charset"},
	"golang.org/x/time":                   {"server/httpapi/gate"},
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
	if rel, ours := strings.CutPrefix(imp, modulePath+"/"); ours {
		if !covers(r.ours, rel) && rel != everywhere {
			t.Errorf("%s imports %s, but %s: %s", file, rel, r.folder, r.why)
		}
		return
	}
	if slices.Contains(r.not, imp) {
		t.Errorf("%s imports %s, but %s: %s", file, imp, r.folder, r.why)
	}
	if first, _, _ := strings.Cut(imp, "/"); strings.Contains(first, ".") {
		checkDoor(t, dir, imp, file)
	}
}

// ruleFor returns the most specific rule that covers dir.
func ruleFor(dir string) (rule, bool) {
	best := rule{}
	for _, r := range rules {
		if (dir == r.folder || strings.HasPrefix(dir, r.folder+"/")) && len(r.folder) > len(best.folder) {
			best = r
		}
	}
	return best, best.folder != ""
}

// covers reports whether one of patterns allows the folder rel.
func covers(patterns []string, rel string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		tree, all := strings.CutSuffix(p, "/...")
		return rel == tree || all && strings.HasPrefix(rel, tree+"/")
	})
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
	t.Errorf("%s imports %s, which has no door: name its owner in arch_test.go", file, imp)
}
