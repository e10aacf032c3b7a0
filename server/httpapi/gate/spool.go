package gate

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"tcode/server/fault"
	"tcode/server/httpapi/bounded"
	"tcode/server/platform/spool"
	"tcode/sync/wire/strictjson"
)

// The gate does not hold files in bodies in memory: it writes them to disk as they
// arrive.
//
//	body ─▶ inflate ─▶ digest ─▶ strictjson.Lift ─▶ the rest, checked like any body
//	                                  └─ decoded ─▶ files without a name, gone with the request

// spoolPlaces limits the number of bodies with such files that the gate reads
// concurrently.
const spoolPlaces = 4

// A slow operation takes files that are large for a slow line. It may take slowFactor
// times as long as others, if some bytes arrive within each slowPause. An answer that is
// large may take any time, if the client takes a part of it within each
// [bounded.DefaultLimit]: the buffers of a slow line hold megabytes.
const (
	slowFactor = 20
	slowPause  = 30 * time.Second
)

// A sink bounds a file in a member of a body.
type sink struct {
	io.Writer
	member      string
	left, limit int64 // bytes, decoded
}

// Write returns a TooLarge fault for the first byte beyond the limit.
func (s *sink) Write(p []byte) (int, error) {
	if s.left -= int64(len(p)); s.left < 0 {
		return 0, fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "an uploaded file is too large").
			WithField(s.member, "must be at most %d bytes, decoded", s.limit)
	}
	return s.Writer.Write(p)
}

// takeSpooled reads a body with files and stores them in call.
func (g *Gate) takeSpooled(w http.ResponseWriter, r *http.Request, call *Call) (parse func() (strictjson.Node, error), err error) {
	var sinks []*sink
	call.Files = map[string]*spool.Scratch{}
	for _, member := range call.op.spooled {
		limit := g.c.Files[member]
		f, err := g.scratch()
		if err != nil {
			return nil, err
		}
		call.Files[member] = f
		sinks = append(sinks, &sink{f, member, limit, limit})
	}
	return g.lift(w, r, PacedBody(w, r), call, sinks...)
}

// scratch makes a file that Close deletes, if there is room for new files.
func (g *Gate) scratch() (*spool.Scratch, error) {
	if err := g.c.Spool.Room(); err != nil {
		return nil, err
	}
	return g.c.Spool.Scratch()
}

// takePDF reads a body with a PDF and stores it in call.
func (g *Gate) takePDF(w http.ResponseWriter, r *http.Request, call *Call) (parse func() (strictjson.Node, error), err error) {
	most := int64(g.c.Limits.MaxPDF)
	in := g.c.Spool.Writer()
	if parse, err = g.lift(w, r, r.Body, call, &sink{in, g.c.PDF, most, most}); err == nil {
		call.PDF, err = in.Upload()
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return parse, nil
}

// lift reads a body and writes its large files to sinks. It stores the rest of the
// body in call, and the digest of the body if the gateway stores the answer.
func (g *Gate) lift(w http.ResponseWriter, r *http.Request, body io.ReadCloser, call *Call, files ...*sink) (parse func() (strictjson.Node, error), err error) {
	limit := int64(bodyOverhead)
	sinks := map[string]io.Writer{}
	for _, f := range files {
		limit += int64(base64.StdEncoding.EncodedLen(int(f.limit)))
		sinks[f.member] = f
	}
	in, err := inflated(w, r, body, limit)
	if err != nil {
		return nil, err
	}
	start := bufio.NewReaderSize(in, 4<<10)
	if head, _ := start.Peek(len(mark)); string(head) == mark { // an error comes again
		_, _ = start.Discard(len(mark)) // which are there
	}
	in = start
	digest := sha256.New()
	keyed := r.Header.Get("Idempotency-Key") != ""
	if keyed {
		in = io.TeeReader(in, digest)
	}
	lifted, err := strictjson.Lift(in, bodyOverhead, sinks)
	switch {
	case errors.Is(err, strictjson.ErrRestTooLong):
		return nil, fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the request body is larger than %d bytes without its files", bodyOverhead)
	case err != nil:
		return nil, err
	}
	call.Body = lifted.Rest
	if keyed {
		call.digest = (*[sha256.Size]byte)(digest.Sum(nil))
	}
	return lifted.Parse, nil
}

// inflated returns a reader of the inflated body of r, of at most limit bytes. Its
// errors are faults.
func inflated(w http.ResponseWriter, r *http.Request, sent io.ReadCloser, limit int64) (io.Reader, error) {
	var body io.Reader = http.MaxBytesReader(w, sent, limit)
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "", "identity":
	case "gzip":
		zr, err := gzip.NewReader(body)
		if errors.Is(err, io.EOF) {
			return strings.NewReader(""), nil // no body at all
		}
		if err != nil {
			return nil, gzipFault(err, limit)
		}
		body = zr
	default:
		return nil, badEncoding()
	}
	return &boundedReader{body, limit, limit}, nil
}

// A boundedReader returns errors as faults, and a fault for the first byte beyond
// the limit.
type boundedReader struct {
	r           io.Reader
	left, limit int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	switch b.left -= int64(n); {
	case b.left < 0:
		return 0, tooLarge(b.limit)
	case err != nil && !errors.Is(err, io.EOF):
		return n, bodyFault(err, b.limit)
	}
	return n, err
}

// A pacedReader extends the client's deadline while data arrives.
type pacedReader struct {
	io.ReadCloser
	c *http.ResponseController
}

// PacedBody returns the body of r, with a deadline that moves while data arrives.
func PacedBody(w http.ResponseWriter, r *http.Request) io.ReadCloser {
	bounded.Extend(w, slowFactor)
	return pacedReader{r.Body, http.NewResponseController(w)}
}

func (p pacedReader) Read(b []byte) (int, error) {
	now := time.Now()
	// If the connection has no deadlines, the time-outs of the server apply.
	_ = p.c.SetReadDeadline(now.Add(slowPause))
	_ = p.c.SetWriteDeadline(now.Add(bounded.DefaultLimit))
	return p.ReadCloser.Read(b)
}

// A pacedWriter extends the client's deadline while the client reads.
type pacedWriter struct {
	http.ResponseWriter
	c *http.ResponseController
}

// Paced returns a writer to w that extends the deadlines of a request while the client
// reads. The work for it needs the context of [Lasting].
func Paced(w http.ResponseWriter) http.ResponseWriter {
	return pacedWriter{w, http.NewResponseController(w)}
}

func (p pacedWriter) Write(b []byte) (int, error) {
	bounded.Extend(p.ResponseWriter, 1)
	_ = p.c.SetWriteDeadline(time.Now().Add(bounded.DefaultLimit))
	return p.ResponseWriter.Write(b)
}

// Unwrap returns the writer for http.ResponseController.
func (p pacedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
