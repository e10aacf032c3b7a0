package httpapi

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"tcode/server/blob"
	"tcode/server/fault"
	"tcode/server/stamp"
)

// fileURL signs the address of a file. Type and name travel in the address,
// under the signature, so that serving it asks no database.
func (a *api) fileURL(base string, f stamp.File, expires time.Time) string {
	path := "/v1/files/" + f.SHA256
	params := a.c.URLs.Sign(http.MethodGet, path, url.Values{"type": {f.ContentType}, "name": {f.FileName}}, expires)
	return base + path + "?" + params.Encode()
}

// file serves what a signed address names.
func (a *api) file(c echo.Context) error {
	r := c.Request()
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		err = a.c.URLs.Verify(r.Method, r.URL.Path, query)
	}
	if err != nil {
		message := "this address was not made by this gateway"
		if errors.Is(err, blob.ErrExpired) {
			message = "this address has expired; ask for a new one"
		}
		return fault.New(fault.Forbidden, fault.CodeForbidden, "%s", message).WithErr(err)
	}
	name := c.Param("file")
	data, err := a.c.Files.Get(r.Context(), name)
	if errors.Is(err, blob.ErrNotFound) {
		return notFound("this file")
	}
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", query.Get("type"))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": query.Get("name")}))
	h.Set("Cache-Control", "private, max-age=900, immutable")
	h.Set("ETag", `"`+name+`"`)
	// What a customer uploaded is shown to others on this very origin.
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	return serveContent(c, data)
}

// serveContent is http.ServeContent with our error for a range that is none.
func serveContent(c echo.Context, data []byte) error {
	w := &rangeWriter{ResponseWriter: c.Response()}
	http.ServeContent(w, c.Request(), "", time.Time{}, bytes.NewReader(data))
	if !w.refused {
		return nil
	}
	h := c.Response().Header()
	for _, name := range []string{"Content-Disposition", "Content-Length", "Content-Encoding", "Content-Security-Policy"} {
		h.Del(name)
	}
	return fault.New(fault.BadRange, fault.CodeRangeNotSatisfiable, "there is no such range, see the Content-Range header")
}

// A rangeWriter holds back the answer 416, whose body would be plain text.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

func (w *rangeWriter) WriteHeader(status int) {
	if w.refused = status == http.StatusRequestedRangeNotSatisfiable; !w.refused {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
