package httpapi

import (
	"context"

	"github.com/labstack/echo/v4"
)

// GetDigitalTwin returns stamp, verification and document in one record.
func (h *handlers) GetDigitalTwin(context.Context, GetDigitalTwinRequestObject) (GetDigitalTwinResponseObject, error) {
	return nil, errNotYet()
}

// twinPage shows the digital twin to people.
func (a *api) twinPage(echo.Context) error { return errNotYet() }
