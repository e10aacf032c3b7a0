package httpapi

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"tcode/offline/payload"
	"tcode/server/httpapi/gate"
	"tcode/server/pages"
	"tcode/server/verify"
)

const typeModule = "text/javascript; charset=utf-8"

// people adds the pages that belong to no record, and their modules.
func (a *app) people(e *echo.Echo) error {
	e.GET("/", a.indexPage)
	e.GET("/verify", a.verifyPage)
	e.GET("/source", a.source)
	modules, err := pages.Scripts()
	if err != nil {
		return err
	}
	for address, module := range modules {
		plain, packed := document(typeModule, module.Plain), document(typeModule, module.Packed)
		e.GET(address, func(c echo.Context) error {
			c.Response().Header().Set("Vary", "Accept-Encoding")
			if !pages.ReaderOf(c.Request()).Gzip {
				return plain(c)
			}
			c.Response().Header().Set("Content-Encoding", "gzip")
			return packed(c)
		})
	}
	return nil
}

// indexPage says what this is. A client that asks for JSON is led to the documentation.
func (a *app) indexPage(c echo.Context) error {
	if !gate.PrefersPage(c.Request()) {
		c.Response().Header().Set("Vary", pages.Vary)
		return c.Redirect(http.StatusFound, "/docs/")
	}
	return a.pages.Index(c.Response(), pages.ReaderOf(c.Request()))
}

// verifyPage takes a reference or a file. The form sends the reference as a parameter, so
// that it needs no script, and is led to the page of that reference. The text of a symbol, as
// handheld scanners type it, is led there too if it is genuine.
func (a *app) verifyPage(c echo.Context) error {
	who := pages.ReaderOf(c.Request())
	typed := c.QueryParam("reference")
	prefix, r, err := payload.ReadReference(typed)
	if err == nil {
		return lead(c, who, r.Shown(prefix))
	}
	if _, _, err := verify.ParsePayload(typed); err != nil {
		return a.pages.Verify(c.Response(), who, typed, false)
	}
	if err := a.typed.Take(c.Response().Header(), gate.ClientOf(gate.CallOf(c.Request().Context()).Remote), 1); err != nil {
		return err
	}
	res, err := a.c.Verify.ByPayload(c.Request().Context(), verify.Viewer{}, typed)
	switch {
	case err != nil:
		return err
	case res.Verdict == verify.NotFound && !res.Test:
		return a.pages.Verify(c.Response(), who, typed, true)
	case res.Test: // its page says so
		p, _, err := verify.ParsePayload(typed)
		if err != nil {
			return err
		}
		res.Reference = p.Reference
	}
	return lead(c, who, res.Reference.String())
}

// lead leads a person to the page of a reference.
func lead(c echo.Context, who pages.Reader, reference string) error {
	address := pagePath + reference
	if who.Choice != "" {
		address += "?" + url.Values{"lang": {who.Choice}}.Encode()
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Redirect(http.StatusSeeOther, address)
}

// site says what this gateway offers beside its pages.
func (a *app) site() pages.Site {
	return pages.Site{
		App: a.c.ScannerApp, Engine: a.c.Engine != nil && a.c.Engine(), Console: a.c.Console, Root: a.c.Trust.Fingerprint().String(),
	}
}
