package httpapi

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"tcode/server/bulk"
	"tcode/server/fault"
	"tcode/server/httpapi/strictjson"
)

// spooled are the members of bodies whose files are too large to be held in
// memory, with the most bytes of each. They go to disk as they come:
//
//	body ─▶ inflate ─▶ digest ─▶ strictjson.Lift ─▶ the rest, checked like any body
//	                                  └─ decoded ─▶ files without a name, gone with the request
var spooled = map[string]int64{"csvFileBase64": bulk.MaxCSV, "zipFileBase64": bulk.MaxZIP}

// spoolPlaces is how many bodies with such files are taken at once.
const spoolPlaces = 4

// A slow operation moves files that are large for a slow line: it may take
// slowFactor times what others may, as long as something moves every
// slowPause.
const (
	slowFactor = 20
	slowPause  = 30 * time.Second
)

// A sink takes a file as it comes.
type sink struct {
	*os.File
	member      string
	left, limit int64
}

func (a *api) newSink(member string, limit int64) (*sink, error) {
	f, err := os.CreateTemp(a.c.Scratch, "upload-*")
	if err != nil {
		return nil, fmt.Errorf("file for an upload: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("file for an upload: %w", err), f.Close())
	}
	return &sink{f, member, limit, limit}, nil
}

// Write returns a TooLarge fault for the first byte beyond the limit.
func (s *sink) Write(p []byte) (int, error) {
	if s.left -= int64(len(p)); s.left < 0 {
		return 0, fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "an uploaded file is too large").
			WithField(s.member, "must be at most %d bytes, decoded", s.limit)
	}
	return s.File.Write(p)
}

// takeSpooled reads a body whose files go to disk. The call then has them, its
// digest and what is left of the body.
func (a *api) takeSpooled(w http.ResponseWriter, r *http.Request, call *call) (parse func() (strictjson.Node, error), err error) {
	limit := int64(bodyOverhead)
	sinks := map[string]io.Writer{}
	call.files = map[string]*sink{}
	for _, member := range call.op.spooled {
		most := spooled[member]
		limit += int64(base64.StdEncoding.EncodedLen(int(most)))
		if call.files[member], err = a.newSink(member, most); err != nil {
			delete(call.files, member)
			return nil, err
		}
		sinks[member] = call.files[member]
	}
	in, err := inflated(w, r, limit)
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	lifted, err := strictjson.Lift(io.TeeReader(in, digest), bodyOverhead, sinks)
	switch {
	case errors.Is(err, strictjson.ErrRestTooLong):
		return nil, fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the request body is larger than %d bytes without its files", bodyOverhead)
	case err != nil:
		return nil, err
	}
	call.body = lifted.Rest
	call.digest = (*[sha256.Size]byte)(digest.Sum(nil))
	return lifted.Parse, nil
}

// inflated returns a body as it is to be read, of at most limit bytes. Its
// errors are faults.
func inflated(w http.ResponseWriter, r *http.Request, limit int64) (io.Reader, error) {
	var body io.Reader = http.MaxBytesReader(w, pacedReader{r.Body, http.NewResponseController(w)}, limit)
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "", "identity":
	case "gzip":
		zr, err := gzip.NewReader(body)
		if errors.Is(err, io.EOF) {
			return strings.NewReader(""), nil // no body at all
		}
		if err != nil {
			return nil, bodyFault(err, limit)
		}
		body = zr
	default:
		return nil, badEncoding()
	}
	return &boundedReader{body, limit, limit}, nil
}

// A boundedReader makes faults of what goes wrong, and of a byte too many.
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

// A pacedReader gives the client time as long as something comes.
type pacedReader struct {
	io.ReadCloser
	c *http.ResponseController
}

func (p pacedReader) Read(b []byte) (int, error) {
	now := time.Now()
	// A connection that cannot be told keeps the server's own time-outs.
	_ = p.c.SetReadDeadline(now.Add(slowPause))
	_ = p.c.SetWriteDeadline(now.Add(requestTimeout))
	return p.ReadCloser.Read(b)
}

// A pacedWriter gives the client time as long as something goes.
type pacedWriter struct {
	http.ResponseWriter
	c *http.ResponseController
}

func (p pacedWriter) Write(b []byte) (int, error) {
	_ = p.c.SetWriteDeadline(time.Now().Add(slowPause))
	return p.ResponseWriter.Write(b)
}

// Unwrap serves http.ResponseController.
func (p pacedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
