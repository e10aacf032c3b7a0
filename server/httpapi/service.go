package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"tcode/server/fault"
)

var healthy = map[string]string{"status": "ok"}

// healthz says that the process lives.
func (a *api) healthz(c echo.Context) error { return c.JSON(http.StatusOK, healthy) }

// readyz says whether the gateway can serve.
func (a *api) readyz(c echo.Context) error {
	if a.c.Ready != nil {
		if err := a.c.Ready(c.Request().Context()); err != nil {
			return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the gateway is not ready").WithErr(err)
		}
	}
	return c.JSON(http.StatusOK, healthy)
}

// docsPolicy lets the documentation page run its own embedded scripts and
// nothing else; Swagger UI sets styles and starts inline.
const docsPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

// docs serves the contract and a page to read it, all from the binary.
func (a *api) docs(e *echo.Echo) {
	e.GET("/openapi.yaml", document("application/yaml", contractYAML))
	e.GET("/openapi.json", document("application/json", a.contract.json))
	page := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: a.contract.doc.Info.Title, SwaggerJSON: "/openapi.json", BasePath: "/docs/", HideCurl: false,
		SettingsUI: map[string]string{"defaultModelsExpandDepth": "1", "docExpansion": `"list"`},
	})
	show := func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("X-Frame-Options", "DENY")
		page.ServeHTTP(c.Response(), c.Request())
		return nil
	}
	e.GET("/docs/", show)
	e.GET("/docs/*", show)
	e.GET("/docs", func(c echo.Context) error { return c.Redirect(http.StatusMovedPermanently, "/docs/") })
	e.GET("/", func(c echo.Context) error { return c.Redirect(http.StatusFound, "/docs/") })
}

func document(contentType string, data []byte) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", recheck)
		c.Request().Header.Del("Range")
		return serveContent(c, data)
	}
}
