package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/simulate/photo"
)

// options are the options of the command line.
type options struct {
	pages    int
	seed     uint64
	variants []pages.Variant
	peers    []string // readers in the order of the columns, own first when it takes part
	corpus   string   // folder of real files; empty: there are none
	pdfs     string   // folder of the documents that pages are made of
	cache    string
	peerDir  string
	save     string
	jobs     int
	json     bool
	fresh    bool
	sets     bool
	nothing  bool
	frames   bool
	browser  string
	bent     bool
	turns    bool
	photos   int // of each class; 0: none
	classes  []photo.Class
	saveAll  bool
	dmtxMax  time.Duration
	dmtxAll  bool
}

// peerNames are the readers that can take part; native only with --bent and --photos.
var peerNames = []string{readers.Own, readers.Wasm, readers.WasmRGBA, readers.Gozxing, readers.Dmtx, readers.Native}

func parse(args []string, usage io.Writer) (options, error) {
	var o options
	var variants, peers, classes string
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(usage)
	fs.IntVar(&o.pages, "pages", 60, "base pages; each is made in every variant")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of pages, symbols and damage")
	fs.StringVar(&variants, "variants", "", "`a,b` of "+strings.Join(names(pages.Variants()), ",")+"; empty: all that are not off by default (inverted)")
	fs.StringVar(&peers, "peers", strings.Join(peerNames, ","), "readers that take part, `a,b`")
	fs.StringVar(&o.corpus, "corpus", os.Getenv("TCODE_CORPUS"), "`folder` of real files, default $TCODE_CORPUS; without it the project's own documents, and no images of others")
	fs.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "tcode-bench"), "`folder` to keep pages in")
	fs.StringVar(&o.peerDir, "peer-dir", "", "`folder` of read.mjs and node_modules; default scanner/bench/peers")
	fs.StringVar(&o.save, "save", "", "`folder` for pictures of the pages that own does not read though readable, or of all misses with --bent and --photos")
	fs.IntVar(&o.jobs, "jobs", 2, "base pages made at the same time")
	fs.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	fs.BoolVar(&o.fresh, "fresh", false, "make the other readers read again instead of using their results of earlier runs")
	fs.BoolVar(&o.sets, "sets", true, "read the real image sets too")
	fs.BoolVar(&o.nothing, "nothing", true, "measure images without a symbol too, class by class")
	fs.BoolVar(&o.frames, "frames", true, "time camera frames in WebAssembly too, ours and zxing-wasm (needs the go command)")
	fs.StringVar(&o.browser, "browser", "", "`program` to time camera frames in too; default the first of "+strings.Join(browsers, ", ")+" that is installed")
	fs.BoolVar(&o.bent, "bent", false, "read drawn symbols on bent paper close up instead of pages; --turns in all four turns")
	fs.BoolVar(&o.turns, "turns", false, "with --bent: each symbol in all four turns")
	fs.IntVar(&o.photos, "photos", 0, "read this `number` of photographs of each class instead of pages")
	fs.StringVar(&classes, "classes", "", "with --photos: `a,b` of the classes of scanner/simulate/photo; empty: all")
	fs.BoolVar(&o.saveAll, "save-all", false, "with --save and --bent or --photos: save the images that own reads too")
	fs.DurationVar(&o.dmtxMax, "dmtx-limit", 1500*time.Millisecond, "time after which libdmtx gives a page up")
	fs.BoolVar(&o.dmtxAll, "dmtx-all", false, "libdmtx reads all variants, not "+strings.Join(dmtxVariants, ", ")+" only: seconds a page")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 || o.pages < 1 || o.jobs < 1 || o.photos < 0 {
		return o, fmt.Errorf("usage: no arguments, --pages and --jobs at least 1")
	}
	var err error
	if o.classes, err = photo.Find(split(classes)); err != nil {
		return o, err
	}
	if o.variants, err = pages.Find(split(variants)); err != nil {
		return o, err
	}
	for _, p := range split(peers) {
		if !slices.Contains(peerNames, p) {
			return o, fmt.Errorf("no reader %q: there are %s", p, strings.Join(peerNames, ", "))
		}
		if drawn := o.bent || o.photos > 0; !slices.Contains(drawnPeers(drawn), p) {
			continue
		}
		o.peers = append(o.peers, p)
	}
	o.pdfs, o.sets = filepath.Join(o.corpus, "pdf"), o.sets && o.corpus != ""
	if o.corpus == "" {
		o.pdfs = firstFolder("", filepath.Join("testdata", "documents"), filepath.Join("..", "..", "testdata", "documents"))
	}
	o.peerDir = firstFolder(o.peerDir, filepath.Join("scanner", "bench", "peers"), "peers")
	return o, nil
}

// drawnPeers returns the readers that take part: for images that the bench draws itself, or
// else for pages.
func drawnPeers(drawn bool) []string {
	switch {
	case !drawn:
		return peerNames[:len(peerNames)-1]
	case readers.HasNative():
		return []string{readers.Own, readers.Wasm, readers.Native}
	}
	return []string{readers.Own, readers.Wasm}
}

// firstFolder returns given if it is not empty, else the first folder that exists, else
// the first one.
func firstFolder(given string, or ...string) string {
	if given != "" {
		return given
	}
	for _, d := range or {
		if _, err := os.Stat(d); err == nil {
			return d
		}
	}
	return or[0]
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func names(vs []pages.Variant) (out []string) {
	for _, v := range vs {
		out = append(out, v.Name)
	}
	return out
}
