package gate

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tcode/server/fault"
)

// readBody returns the body of r, inflated, or a TooLarge fault if that is
// longer than limit bytes: a small gzip body must not become a large request.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	packed, err := isPacked(r)
	if err != nil {
		return nil, err
	}
	body := http.MaxBytesReader(w, r.Body, limit)
	if packed {
		return inflate(body, limit)
	}
	return readAll(body, r.ContentLength, limit)
}

// readPacked returns the body of r as it is sent, limit bytes at most, and the
// function that unpacks it. It returns the same faults as readBody.
func readPacked(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, unpack func([]byte) ([]byte, error), err error) {
	packed, err := isPacked(r)
	if err != nil {
		return nil, nil, err
	}
	control := http.NewResponseController(w)
	// If the connection has no deadlines, the time-outs of the server apply.
	_ = control.SetReadDeadline(time.Now().Add(packedTime))
	body, err = readAll(http.MaxBytesReader(w, r.Body, limit), r.ContentLength, limit)
	if err == nil {
		_ = control.SetReadDeadline(time.Time{}) // the body is here, and the next request has its own
	}
	unpack = func(body []byte) ([]byte, error) {
		var err error
		if packed {
			body, err = inflate(bytes.NewReader(body), limit)
		}
		return withoutMark(body), err
	}
	return body, unpack, err
}

// isPacked reports whether the body of r is gzip data.
func isPacked(r *http.Request) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return false, nil
	case "gzip":
		return true, nil
	}
	return false, badEncoding()
}

func badEncoding() error {
	return fault.New(fault.UnsupportedMedia, fault.CodeUnsupportedMediaType, "Content-Encoding must be gzip or absent")
}

// inflate returns the inflated gzip data. It inflates twice, the first time only
// to measure the length, so that it allocates no buffer of limit bytes for data
// that is longer.
func inflate(body io.Reader, limit int64) ([]byte, error) {
	var packed bytes.Buffer
	zr, err := gzip.NewReader(io.TeeReader(body, &packed))
	if errors.Is(err, io.EOF) {
		return nil, nil // no body at all
	}
	if err != nil {
		return nil, gzipFault(err, limit)
	}
	n, err := io.Copy(io.Discard, io.LimitReader(zr, limit+1))
	switch {
	case err != nil:
		return nil, bodyFault(err, limit)
	case n > limit:
		return nil, tooLarge(limit)
	}
	if zr, err = gzip.NewReader(&packed); err != nil {
		return nil, bodyFault(err, limit)
	}
	return readAll(zr, n, limit)
}

// firstBuffer is the largest buffer for a body of which nothing has arrived, in bytes.
const firstBuffer = 16 << 10

// readAll reads up to limit bytes; expected is the number of bytes that the client promises, or
// negative if it is not known. The buffer grows with what arrives.
func readAll(body io.Reader, expected, limit int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(max(expected, 0), limit, firstBuffer)+bytes.MinRead))
	n, err := b.ReadFrom(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, bodyFault(err, limit)
	case n > limit:
		return nil, tooLarge(limit)
	}
	return b.Bytes(), nil
}

// bodyFault returns a fault that says why a body could not be read.
func bodyFault(err error, limit int64) error {
	var big *http.MaxBytesError
	if errors.As(err, &big) {
		return tooLarge(limit)
	}
	return unreadable(err, "cannot be read to its end")
}

// gzipFault returns a fault that says why the header of gzip data could not be read.
func gzipFault(err error, limit int64) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return unreadable(err, "is not gzip, as Content-Encoding says: compress it, or leave out that header")
	}
	return bodyFault(err, limit)
}

func unreadable(err error, why string) error {
	return fault.New(fault.Invalid, fault.CodeValidationFailed, "the request body cannot be read").
		WithField(BodyPath, "%s", why).WithErr(err)
}

// mark is the byte order mark, which some clients write before UTF-8.
const mark = "\ufeff"

func withoutMark(b []byte) []byte { return bytes.TrimPrefix(b, []byte(mark)) }

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the request body is larger than %d bytes, inflated", limit)
}

// binder passes the checked body to the generated code. It replaces Echo's
// binder, which would read queries and forms too.
type binder struct{}

// Bind decodes the body of the call into v; io.EOF says that there is none.
func (binder) Bind(v any, c echo.Context) error {
	body := CallOf(c.Request().Context()).Body
	if len(body) == 0 {
		return io.EOF
	}
	if err := json.Unmarshal(body, v); err != nil {
		// The contract allows a value that our types cannot hold: our mistake.
		return fault.New(fault.Invalid, fault.CodeValidationFailed, "the request body cannot be understood").WithErr(err)
	}
	return nil
}
