package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tcode/server/fault"
)

var healthy = map[string]string{"status": "ok"}

// healthz says that the process lives.
func (a *app) healthz(c echo.Context) error { return c.JSON(http.StatusOK, healthy) }

// readyz says whether the gateway can serve.
func (a *app) readyz(c echo.Context) error {
	if a.c.Ready != nil {
		if err := a.c.Ready(c.Request().Context()); err != nil {
			if fault.Is(err, fault.Unavailable) {
				return err // says why
			}
			return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the gateway is not ready").WithErr(err)
		}
	}
	return c.JSON(http.StatusOK, healthy)
}
