package scanner

import (
	"context"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// Defaults of [Config].
const (
	DefaultBudget       = 13 * time.Second
	DefaultPageBudget   = 500 * time.Millisecond
	DefaultThoroughTime = 8 * time.Second
	DefaultFirst        = 150.0 // dpi
	DefaultThorough     = 300.0 // dpi
)

// CeilingTimes is the default wall time for a document, in budgets of processor time. With eight busy processes on two
// processors, a reader and its child get a fifth of their time.
const CeilingTimes = 8

// Config describes a [Scanner]. The zero value is right for documents from outside.
type Config struct {
	Sandbox sandbox.Config // the child processes that render; Role is set by New
	Limits  raster.Limits  // of files, pages and pixels
	// FirstDPI is the resolution at which PDF pages are rendered first, ThoroughDPI the one for pages where
	// something was seen but not read, and for all pages of a document in which nothing was read. Equal: one pass.
	// 0: DefaultFirst, DefaultThorough.
	FirstDPI, ThoroughDPI float64
	// ThoroughTime is the part of Budget in which closer looks at the pages of a document may begin, so that a long one
	// without a stamp is answered. Other pages keep the result at FirstDPI. 0: DefaultThoroughTime,
	// or as much more as Budget is.
	ThoroughTime time.Duration
	Readers      int // images read at the same time, of all documents together; 0: one per usable core
	// Budget is the processor time for one document, of its readers and its child together, to which each page that has its
	// answer adds PageBudget: a long one may take longer, one that gets nowhere may not. Other programs on the machine
	// do not use it up. 0: DefaultBudget, DefaultPageBudget.
	Budget, PageBudget time.Duration
	// Ceiling is the wall time for one document, after which it ends whatever it waits for. Each page that has its answer adds
	// to it in the proportion of PageBudget to Budget. 0: CeilingTimes * Budget.
	Ceiling time.Duration
	Raster  []raster.Option // how PDF pages are drawn: engine and cache
	Log     *slog.Logger    // nil: silent
}

// Scanner reads documents. It is safe for concurrent use: each document that is being read occupies one child
// process, so several files are read at the same time up to Config.Sandbox.Size.
//
// The program must call sandbox.Main(raster.Roles()...) first.
type Scanner struct {
	cfg    Config
	raster *raster.Rasterizer
	second *raster.Rasterizer                                                // with the other engine; nil: there is none
	read   func(context.Context, *gray.Image, symbol.Options) symbol.Reading // symbol.ReadImage, but for tests

	// slots has one for each image being read, large the one for images of more than partPixels: a reader takes
	// memory. A reader that needs both takes large first.
	slots, large chan struct{}
	// buffers holds memory for images, each of imagePixels bytes, that are not in use. A sync.Pool would keep several
	// times as many, and drop them all when a document ends.
	buffers chan []byte
}

// New returns a Scanner. Child processes are started by the first documents. Close it.
func New(c Config) *Scanner {
	if c.FirstDPI <= 0 {
		c.FirstDPI = DefaultFirst
	}
	if c.ThoroughDPI <= 0 {
		c.ThoroughDPI = DefaultThorough
	}
	if c.Readers <= 0 {
		c.Readers = runtime.GOMAXPROCS(0)
	}
	if c.Budget <= 0 {
		c.Budget = DefaultBudget
	}
	if c.ThoroughTime <= 0 {
		c.ThoroughTime = time.Duration(float64(c.Budget) * (float64(DefaultThoroughTime) / float64(DefaultBudget))) // integers would overflow
	}
	if c.PageBudget <= 0 {
		c.PageBudget = DefaultPageBudget
	}
	if c.Ceiling <= 0 {
		c.Ceiling = min(c.Budget, math.MaxInt64/CeilingTimes) * CeilingTimes
	}
	if c.Sandbox.CPUSeconds <= 0 { // a child is replaced after half of it
		c.Sandbox.CPUSeconds = max(sandbox.DefaultCPUSeconds, 2*int(min(c.Budget, longest)/time.Second))
	}
	if c.Sandbox.Wall <= 0 {
		c.Sandbox.Wall = max(c.Ceiling, sandbox.DefaultWall) // one page may take all of it
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Sandbox.Log == nil {
		c.Sandbox.Log = c.Log
	}
	s := &Scanner{
		cfg: c, raster: raster.New(c.Sandbox, c.Limits, c.Raster...), read: symbol.ReadImage,
		slots: make(chan struct{}, c.Readers), large: make(chan struct{}, 1), buffers: make(chan []byte, c.Readers+1),
	}
	if other, ok := s.raster.Engine().Other(); ok {
		s.second = raster.New(c.Sandbox, c.Limits, append(slices.Clone(c.Raster), raster.WithEngine(other))...)
	}
	return s
}

// pageCeiling returns the wall time that a page with its answer adds.
func (c Config) pageCeiling() time.Duration {
	return time.Duration(min(float64(c.PageBudget)*(float64(c.Ceiling)/float64(c.Budget)), float64(longest/raster.DefaultMaxPages)))
}

// Ceiling returns the wall time for a document that has no page with an answer; see [Config].
func (s *Scanner) Ceiling() time.Duration { return s.cfg.Ceiling }

// Close waits for documents being read and ends the child processes.
func (s *Scanner) Close() error {
	s.raster.Close()
	if s.second != nil {
		s.second.Close()
	}
	return nil
}

// Protections names the restrictions of the child processes, such as "rlimits landlock:7 no_new_privs seccomp".
func (s *Scanner) Protections(ctx context.Context) (string, error) { return s.raster.Protections(ctx) }

// buffer returns memory for one image.
func (s *Scanner) buffer() []byte {
	select {
	case b := <-s.buffers:
		return b
	default:
		return make([]byte, imagePixels)
	}
}

// recycle takes back memory that buffer returned.
func (s *Scanner) recycle(b []byte) {
	select {
	case s.buffers <- b:
	default: // enough for all readers
	}
}
