package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"tcode/server/client/python"
	"tcode/server/httpapi/gate"
	"tcode/server/pages"
)

// referencePath is where the reference of the contract is, with the files that it loads.
const referencePath = "/docs/reference/"

// docs serves the guide, the contract, a page to read it and the client in Python, all from
// the binary. It returns an error if it cannot render the page.
func (a *app) docs(e *echo.Echo) error {
	contract, err := published()
	if err != nil {
		return err
	}
	e.GET("/openapi.yaml", document("application/yaml", contract.yaml))
	e.GET("/openapi.json", document("application/json", contract.json))
	e.GET("/docs/tcode_client.py", document("text/x-python; charset=utf-8", python.Source))
	e.GET("/docs", func(c echo.Context) error { return c.Redirect(http.StatusMovedPermanently, "/docs/") })
	e.GET("/docs/", func(c echo.Context) error {
		return a.pages.Guide(c.Response(), pages.ReaderOf(c.Request()), gate.CallOf(c.Request().Context()).BaseURL)
	})
	return reference(e)
}

// reference serves Swagger UI, which shows the contract.
func reference(e *echo.Echo) error {
	ui := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "TCode gateway", SwaggerJSON: "/openapi.json", BasePath: referencePath, HideCurl: false,
		SettingsUI: map[string]string{"defaultModelsExpandDepth": "1", "docExpansion": `"list"`},
	})
	page, err := drawn(ui, referencePath)
	if err != nil {
		return err
	}
	policy := docsPolicy(page)
	guard := func(c echo.Context) {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Frame-Options", "DENY")
	}
	e.GET(referencePath, func(c echo.Context) error {
		guard(c)
		return document("text/html; charset=utf-8", page)(c)
	})
	e.GET(referencePath+"*", func(c echo.Context) error {
		guard(c)
		w := &refusalWriter{ResponseWriter: c.Response()}
		if ui.ServeHTTP(w, c.Request()); w.refusal != 0 {
			return echo.ErrNotFound
		}
		return nil
	})
	e.GET("/docs/reference", func(c echo.Context) error { return c.Redirect(http.StatusMovedPermanently, referencePath) })
	return nil
}

// drawn returns the page of a handler. The page never changes, so that docs renders
// it once.
func drawn(h http.Handler, path string) ([]byte, error) {
	r, err := http.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	w := &held{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(w, r)
	if w.status != http.StatusOK {
		return nil, fmt.Errorf("draw %s: status %d", path, w.status)
	}
	return w.Bytes(), nil
}

// held keeps an answer instead of sending it.
type held struct {
	bytes.Buffer
	header http.Header
	status int
}

func (w *held) Header() http.Header    { return w.header }
func (w *held) WriteHeader(status int) { w.status = status }

// inline matches the scripts and styles in a page.
var inline = regexp.MustCompile(`(?s)<(script|style)>(.*?)</`)

// docsPolicy returns a policy that allows a page to load scripts and styles from
// this gateway, and to run the inline ones that the page has now, by their hashes.
// The icons of Swagger UI are data: addresses.
func docsPolicy(page []byte) string {
	allowed := map[string]string{}
	for _, m := range inline.FindAllSubmatch(page, -1) {
		sum := sha256.Sum256(m[2])
		allowed[string(m[1])] += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{
		"default-src 'self'", "script-src 'self'" + allowed["script"], "style-src 'self'" + allowed["style"],
		"img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
}

// document returns a handler that answers with one of the gateway's own documents,
// which changes only with the binary.
func document(contentType string, data []byte) echo.HandlerFunc {
	sum := sha256.Sum256(data)
	etag := `"` + hex.EncodeToString(sum[:]) + `"`
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", recheck)
		h.Set("ETag", etag)
		c.Request().Header.Del("Range")
		return serveContent(c, bytes.NewReader(data))
	}
}
