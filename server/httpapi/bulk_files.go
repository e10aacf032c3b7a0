package httpapi

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"

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
	release, err := a.exports.Turn(ctx, j.Tenant)
	if err != nil {
		return err
	}
	defer release()
	h := c.Response().Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	out := bufio.NewWriterSize(gate.Paced(c.Response()), exportBuffer)
	if err = write(ctx, j, out); err == nil {
		err = out.Flush()
	}
	if err != nil && c.Response().Committed {
		// No client takes the part for the whole file: the connection ends
		// before the answer does.
		if !gate.ClientGone(ctx, err) {
			a.c.Log.ErrorContext(ctx, "file of a bulk job is cut short", slog.String("job", j.ID), slog.Any("err", err))
		}
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		h.Del("Content-Disposition")
	}
	return err
}
