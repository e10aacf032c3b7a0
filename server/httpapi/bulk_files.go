package httpapi

import (
	"context"
	"io"

	"github.com/labstack/echo/v4"

	"tcode/server/httpapi/gate"
	"tcode/server/issue/bulk"
)

// exportPlaces limits the number of files of bulk jobs that the gateway makes
// concurrently.
const exportPlaces = 4

// exportBuffer is the number of bytes that the gateway holds back at the beginning
// of a file, so that it can answer an early failure with an error.
const exportBuffer = 32 << 10

// bulkErrors serves the rows of a job that the client has to correct.
func (a *app) bulkErrors(p bulk.Product) echo.HandlerFunc {
	return func(c echo.Context) error {
		return a.bulkFile(c, p, gate.TypeCSV+"; charset=utf-8; header=present", "errors.csv", a.c.Bulk.WriteErrors)
	}
}

// bulkResults serves the results of a job.
func (a *app) bulkResults(p bulk.Product) echo.HandlerFunc {
	return func(c echo.Context) error {
		return a.bulkFile(c, p, "application/zip", "results.zip", a.c.Bulk.WriteResults)
	}
}

// bulkFile serves a file of a job while write makes it.
func (a *app) bulkFile(c echo.Context, p bulk.Product, contentType, name string, write func(context.Context, bulk.Job, io.Writer) error) error {
	ctx := c.Request().Context()
	call := gate.CallOf(ctx)
	j, err := a.c.Bulk.Reach(ctx, call.Identity, p, gate.PathParam(c, "jobId"))
	if err != nil {
		return err
	}
	return a.sendFile(ctx, c.Response(), j.Tenant, contentType, name, func(ctx context.Context, w io.Writer) error {
		return write(ctx, j, w)
	})
}
