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

// exportPlaces is how many files of bulk jobs are made at once.
const exportPlaces = 4

// exportBuffer holds back the beginning of a file, so that what fails at once
// is answered as an error.
const exportBuffer = 32 << 10

// bulkErrors serves the rows of a job that are to be corrected.
func (a *app) bulkErrors(p bulk.Product) echo.HandlerFunc {
	return func(c echo.Context) error {
		return a.bulkFile(c, p, gate.TypeCSV+"; charset=utf-8; header=present", "errors.csv", a.c.Bulk.WriteErrors)
	}
}

// bulkResults serves what a job has made.
func (a *app) bulkResults(p bulk.Product) echo.HandlerFunc {
	return func(c echo.Context) error {
		return a.bulkFile(c, p, "application/zip", "results.zip", a.c.Bulk.WriteResults)
	}
}

// bulkFile serves a file of a job as write makes it.
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
		// What was sent looks like the whole file to nobody: the connection
		// ends before the answer does.
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
