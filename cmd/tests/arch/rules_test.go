package arch_test

import (
	"slices"
	"strings"
)

// A rule is about the packages in some folders and below them. If several rules cover a package,
// that of the deepest folder counts.
type rule struct {
	folders string
	// ours has the packages of this module that they may import: "x" is one package, "x/..." is
	// x and all below it. A pattern behind a "-" takes some out again.
	ours string
	not  []string // packages of the standard library that they may not import
	why  string
}

// everywhere is the package that every other one may import, because goroutines start there.
const everywhere = "offline/contain"

var (
	// pure lists packages of the outside world. A package that must run in a browser and depend
	// on its inputs alone may not import them.
	pure = []string{"os", "net", "net/http", "database/sql", "os/exec", "io/ioutil"}
	// remote lists packages that business rules leave to store and httpapi.
	remote   = []string{"net/http", "database/sql"}
	noSQL    = []string{"database/sql"}
	noServer = []string{"net/http"}
)

const (
	// core are the packages that run wherever bytes do.
	core = "offline/... -offline/host/... -offline/contain/containtest "
	// browser are those, and the ones that call functions of a browser.
	browser = "offline/... -offline/contain/containtest -offline/host/browsertest" +
		" -offline/host/cache -offline/host/cputime -offline/host/litedb -offline/host/memory" +
		" -offline/host/sandbox "
	// tenancy are the packages that all business rules build on.
	tenancy = core + "server/fault server/tenant server/issue/field server/outbound/mail" +
		" server/platform/hold server/platform/keyring server/platform/round "
	// business are those, and what issuers do with documents.
	business = tenancy + "scanner/readback sync/wire server/account server/brand" +
		" server/certificate server/issue/... server/lettering server/outbound/delivery" +
		" server/outbound/webhook server/platform/pace server/platform/spool server/refdata "
)

var rules = []rule{
	{
		"offline", core, pure,
		"the core runs in a browser: no network, files or SQL",
	},
	{"offline/payload", "", pure, "the payload format stands alone"},
	{"offline/contain", "", remote, "faults of items, whatever they are; it runs in a browser too"},
	{
		"offline/host", browser, pure,
		"files and journals of a browser",
	},
	{"offline/host/litedb", "", noServer, "litedb knows SQLite and nothing of ours"},
	{
		"offline/host/cache",
		"offline/digest offline/host/litedb offline/trust offline/trustbook", noServer,
		"a store of trustbook, in SQLite",
	},
	{"offline/host/openfile", "", remote, "a file that a person named, or a pipe"},
	{"offline/host/browsertest", "", noSQL, "tests of any package run in Chromium"},
	{
		"offline/host/cputime offline/host/memory offline/host/sandbox",
		"offline/host/awake offline/host/cputime", remote,
		"processes of the system, and the clocks of their work",
	},
	{
		"scanner", "offline/... scanner/...", remote,
		"the scanner reads documents and sends nothing",
	},
	{
		"scanner/charset scanner/ecc200 scanner/elements scanner/filekind scanner/gray", "", pure,
		"pixels, symbologies, texts and kinds of files each stand alone",
	},
	{
		"scanner/binder scanner/caveat scanner/fallback scanner/locate scanner/pageimage" +
			" scanner/pdfobj scanner/picturefile scanner/readback scanner/restamp scanner/symbol" +
			" scanner/tiffpage",
		"offline/astext offline/binding offline/geometry offline/payload offline/pdfcrypt" +
			" offline/pdflzw" +
			" scanner/caveat scanner/ecc200 scanner/fallback scanner/filekind scanner/gray" +
			" scanner/locate scanner/pdfobj scanner/picturefile scanner/symbol",
		pure,
		"pictures and files are bytes, in a browser too: nothing draws or opens them",
	},
	{
		"scanner/simulate",
		"offline/payload scanner/ecc200 scanner/gray scanner/simulate scanner/symbol", pure,
		"pages, photographs and films are calculated; files are the caller's",
	},
	{
		"scanner/compare",
		"offline/geometry scanner/gray scanner/raster offline/host/awake offline/host/sandbox",
		pure, "drawn pages are compared, not parsed; what ends a child is the fault of its file",
	},
	{
		"scanner/answer",
		core + "scanner/binder scanner/caveat scanner/filekind scanner/restamp scanner/symbol" +
			" sync/outbox sync/wire",
		pure,
		"one answer for terminal and phone: it draws, sends and stores nothing itself",
	},
	{
		"scanner/web", "offline/... scanner/... sync/...", noSQL,
		"the app for phones is a whole scanner: it reads, judges and sends",
	},
	{
		"scanner/web/engine",
		browser + "scanner/... -scanner -scanner/raster -scanner/compare -scanner/proof" +
			" sync/... -sync/transport/nethttp",
		pure, "the engine runs in a browser, and below a native shell",
	},
	{"scanner/web/engine/build", "scanner/web/engine/build/...", noSQL, "it runs the go command"},
	{
		"scanner/web/phonetest", "offline/host/browsertest", noSQL,
		"tests of any package use the app in browsers",
	},
	{"sync", "offline/... sync/...", nil, "sync moves data and reads no documents"},
	{
		"sync/transport", "offline/host/webapi sync/transport", pure,
		"requests as values: a browser has no net/http",
	},
	{
		"sync/transport/nethttp sync/transport/transporttest", "sync/transport", noSQL,
		"requests by net/http, and a real server for tests",
	},
	{
		"sync/devicetime sync/feed sync/outbox/outboxtest",
		core + "sync/... -sync/transport/nethttp", pure,
		"a phone does this too: it fetches by a transport",
	},
	{
		"sync/uplink", core + "sync/... -sync/transport/nethttp", remote,
		"a phone does this too: it sends by a transport",
	},
	{
		"sync/wire", core + "sync/wire/...", pure,
		"bodies are shared with the server",
	},
	{
		"server", "offline/... server/... sync/wire scanner/proof scanner/readback", nil,
		"the gateway reads its stamps back and is no agent",
	},
	{
		"server/account server/brand server/fault server/outbound server/refdata server/tenant",
		tenancy, remote, "domain; it issues nothing",
	},
	{"server/issue", business, remote, "domain"},
	{
		"server/privacy server/publish server/verify", business, remote,
		"domain; what issues knows nothing of them",
	},
	{
		"server/account/openid server/outbound/webhook/post",
		"server/account server/fault server/outbound/webhook", noSQL, "requests to others, no rows",
	},
	{
		"server/console",
		business + "server/console/... -server/console/consoletest server/httpapi/gate" +
			" server/pages server/platform/draft server/privacy server/verify",
		noSQL, "screens draw the values that services return",
	},
	{
		"server/console/frame",
		"server/account server/fault server/httpapi/bounded server/httpapi/gate server/tenant",
		noSQL, "the page around a screen, whatever is on it",
	},
	{
		"server/console/consoletest server/internal/harness",
		"offline/host/browsertest offline/host/sandbox server/... testdata/corpus", nil,
		"tests run whole gateways",
	},
	{
		"server/certificate server/lettering", "offline/dates server/lettering server/pdfstamp", pure,
		"values become letters and a page",
	},
	{
		"server/pdfstamp", "offline/... server/fault server/lettering", remote,
		"geometry and PDF bytes",
	},
	{
		"server/pdfstamp/bench", "offline/... server/pdfstamp server/platform/spool", remote,
		"it measures the package next to it",
	},
	{
		"server/picturepdf",
		"offline/host/sandbox scanner/filekind scanner/picturefile scanner/tiffpage server/fault",
		remote,
		"pictures as bytes become PDF bytes",
	},
	{
		"server/ceremony", "offline/trust", pure,
		"roots and keys as bytes, on a machine without a gateway",
	},
	{
		"server/platform",
		"offline/payload scanner/filekind server/fault server/platform/durable" +
			" server/platform/round",
		remote,
		"secrets, files, rounds and holds know no business",
	},
	{
		"server/platform/blob",
		"offline/digest server/fault server/platform/blob/... server/platform/durable", noSQL,
		"files by hash; only programs that open buckets link a client of S3",
	},
	{
		"server/platform/certs server/platform/jobs server/platform/metrics",
		"server/platform/hold server/platform/round", nil,
		"certificates, work and counters know no business",
	},
	{
		"server/backup server/ballast",
		"offline/host/openfile server/platform/durable server/platform/round", remote,
		"files in place, and room on the disk",
	},
	{
		"server/store",
		"offline/... server/... -server/httpapi/... -server/console/... -server/pages" +
			" sync/wire scanner/readback",
		noServer, "rows, no requests",
	},
	{
		"server/httpapi", "offline/... server/... -server/store/... sync/wire", noSQL,
		"requests, no rows",
	},
	{
		"server/httpapi/bounded server/httpapi/gate",
		"offline/jsontext server/fault server/httpapi/api server/httpapi/bounded server/platform/spool" +
			" server/tenant sync/wire/strictjson",
		noSQL, "requests, and no route's business",
	},
	{"server/httpapi/api", "", remote, "the contract and its types"},
	{
		"server/client", "server/httpapi/api", noSQL,
		"client programs link neither a gateway nor an engine",
	},
	{
		"server/pages", "offline offline/dates server/refdata server/tenant server/verify", noSQL,
		"pages draw the values that they get",
	},
	{"testdata", "", pure, "files only"},
	{"testdata/corpus", "testdata", remote, "files that tests measure on"},
	{
		"cmd", "offline/... scanner/... sync/... server/... cmd/... testdata", nil,
		"cmd wires everything",
	},
	{
		"cmd/internal/viewers cmd/internal/world", "offline/... scanner/... sync/... server/... cmd/... testdata/...",
		nil, "tests of whole programs also use aids of tests",
	},
}

// ruleFor returns the rule of the deepest folder that covers dir.
func ruleFor(dir string) (r rule, ok bool) {
	deepest := ""
	for _, one := range rules {
		for folder := range strings.FieldsSeq(one.folders) {
			below := dir == folder || strings.HasPrefix(dir, folder+"/")
			if below && len(folder) > len(deepest) {
				r, deepest = one, folder
			}
		}
	}
	return r, deepest != ""
}

// allows reports whether the packages of the rule may import imp, of this module or of the
// standard library.
func (r rule) allows(imp string) bool {
	rel, ours := strings.CutPrefix(imp, modulePath+"/")
	if !ours {
		return !slices.Contains(r.not, imp)
	}
	var with, without []string
	for pattern := range strings.FieldsSeq(r.ours) {
		if out, ok := strings.CutPrefix(pattern, "-"); ok {
			without = append(without, out)
		} else {
			with = append(with, pattern)
		}
	}
	return rel == everywhere || covers(with, rel) && !covers(without, rel)
}

// covers reports whether one of patterns allows the folder rel.
func covers(patterns []string, rel string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		tree, all := strings.CutSuffix(p, "/...")
		return rel == tree || all && strings.HasPrefix(rel, tree+"/")
	})
}
