package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tcode/server/fault"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
	"tcode/server/platform/blob"
	"tcode/server/tenant"
)

// PagePath is the path of a document's page for people, before its reference.
const PagePath = pagePath

// fileURL signs the address of a file.
func (a *app) fileURL(c *gate.Call, f stamp.File, expires time.Time) string {
	return FileURL(a.c.URLs, c.BaseURL, c.Identity.Tenant.Reference, f, expires)
}

// FileURL returns the signed address of a file under base. Anyone who has the
// address can fetch the file until the address expires or the tenant is suspended.
// Tenant, type and name are signed parts of it.
func FileURL(urls *blob.URLSigner, base, tenantRef string, f stamp.File, expires time.Time) string {
	return signedURL(urls, base, tenantRef, f, url.Values{}, expires)
}

// The parameters of an address in a mail: the id of the stamp or of the Trust document.
const (
	mailedStamp    = "stamp"
	mailedDocument = "document"
)

// MailURL is [FileURL] for a mail to the recipient of a stamp or of a Trust document, one of which
// has an id. The address works while that stamp or document is active.
func MailURL(
	urls *blob.URLSigner, base, tenantRef string, f stamp.File, stampID, documentID string,
	expires time.Time,
) string {
	params := url.Values{mailedDocument: {documentID}}
	if stampID != "" {
		params = url.Values{mailedStamp: {stampID}}
	}
	return signedURL(urls, base, tenantRef, f, params, expires)
}

func signedURL(
	urls *blob.URLSigner, base, tenantRef string, f stamp.File, params url.Values, expires time.Time,
) string {
	path := "/v1/files/" + f.SHA256
	params["tenant"], params["type"] = []string{tenantRef}, []string{f.ContentType}
	params["name"] = []string{f.FileName}
	if f.Of != "" {
		params["of"], params["kind"] = []string{f.Of}, []string{string(f.Kind)}
	}
	params = urls.Sign(http.MethodGet, path, params, expires)
	return base + path + "?" + params.Encode()
}

// stands returns a Forbidden fault if the address is that of a mail about a stamp or document that is
// not active any more.
func (a *app) stands(ctx context.Context, owner tenant.Identity, query url.Values) error {
	var status string
	switch {
	case query.Has(mailedStamp):
		st, err := a.c.Stamps.Reach(ctx, owner, query.Get(mailedStamp))
		if err != nil {
			return err
		}
		status = string(st.Status)
	case query.Has(mailedDocument):
		d, err := a.c.Documents.Reach(ctx, owner, query.Get(mailedDocument))
		if err != nil {
			return err
		}
		status = string(d.Status)
	default:
		return nil
	}
	if status == string(stamp.Active) {
		return nil
	}
	return fault.New(fault.Forbidden, fault.CodeForbidden,
		"this document is %s: ask its issuer", strings.ToLower(status))
}

// file serves the file that a signed address names.
func (a *app) file(c echo.Context) error {
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
	owner, err := a.c.Keys.Tenant(r.Context(), query.Get("tenant"))
	if err != nil {
		return err
	}
	if err := tenant.AdmitTo(owner.State, tenant.Plan{}, ""); err != nil {
		return err
	}
	if err := a.stands(r.Context(), tenant.Identity{Tenant: owner}, query); err != nil {
		return err
	}
	name := gate.PathParam(c, "file")
	content, err := a.content(r, name, query)
	if errors.Is(err, blob.ErrNotFound) {
		return gate.NotFound("file")
	}
	if err != nil {
		return err
	}
	defer content.Close()                     // only read from
	if err := r.Context().Err(); err != nil { // the store may not notice that the time is over
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", query.Get("type"))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": query.Get("name")}))
	h.Set("Cache-Control", "private, max-age=900, immutable")
	h.Set("ETag", `"`+name+`"`)
	// This origin shows the file of a customer to other people.
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	return serveContent(c, content)
}

// content opens a stored file, or makes one that is derived from a stamp.
func (a *app) content(r *http.Request, name string, query url.Values) (io.ReadSeekCloser, error) {
	of := query.Get("of")
	if of == "" {
		return a.c.Files.Open(r.Context(), name)
	}
	f, data, err := a.c.Stamps.Derived(r.Context(), query.Get("tenant"), of, query.Get("kind"))
	if err == nil && f.SHA256 != name {
		err = blob.ErrNotFound
	}
	return inMemory{bytes.NewReader(data)}, err
}

// inMemory is a file that needs no closing.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// serveContent is http.ServeContent with our errors.
func serveContent(c echo.Context, content io.ReadSeeker) error {
	w := &refusalWriter{ResponseWriter: gate.Paced(c.Response())}
	http.ServeContent(w, c.Request(), "", time.Time{}, content)
	if w.refusal == 0 {
		return nil
	}
	h := c.Response().Header()
	for _, name := range []string{"Content-Disposition", "Content-Length", "Content-Encoding", "Content-Security-Policy"} {
		h.Del(name)
	}
	if w.refusal == http.StatusPreconditionFailed {
		return fault.New(fault.Precondition, fault.CodePreconditionFailed, "the content is not the one that If-Match names")
	}
	return fault.New(fault.BadRange, fault.CodeRangeNotSatisfiable, "there is no such range, see the Content-Range header")
}

// A refusalWriter holds back the answers 404, 412 and 416 of net/http, which have
// no body or one in plain text.
type refusalWriter struct {
	http.ResponseWriter
	refusal int // status, or 0
}

// WriteHeader notes a refusal and passes on any other status.
func (w *refusalWriter) WriteHeader(status int) {
	switch status {
	case http.StatusNotFound, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable:
		w.refusal = status
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write drops the body of a refusal.
func (w *refusalWriter) Write(p []byte) (int, error) {
	if w.refusal != 0 {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
