package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

var healthy = map[string]string{"status": "ok"}

// healthz reports that the process runs.
func (a *app) healthz(c echo.Context) error { return c.JSON(http.StatusOK, healthy) }

// readyz reports whether the gateway can serve requests.
func (a *app) readyz(c echo.Context) error {
	if a.c.Ready != nil {
		if err := a.c.Ready(c.Request().Context()); err != nil {
			return err // a fault that names the parts
		}
	}
	return c.JSON(http.StatusOK, healthy)
}
