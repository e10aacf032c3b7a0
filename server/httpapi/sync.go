package httpapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"

	"github.com/labstack/echo/v4"

	"tcode/server/fault"
	"tcode/server/httpapi/gate"
	"tcode/server/platform/pace"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// echoBatchID writes a batch's id to a header of the answer, errors included: it
// proves to the device that the gateway answered and not a captive portal. It does
// not repeat a malformed id.
func echoBatchID(h http.Header, id string) {
	if wire.ValidBatchID(id) {
		h.Set(wire.HeaderBatchID, id)
	}
}

// syncScans stores scans that devices judged offline.
func (a *app) syncScans(c echo.Context) error {
	r := c.Request()
	call := gate.CallOf(r.Context())
	release, err := a.syncs.Take(r.Context(), gate.ClientOf(call.Remote), int64(len(call.Body)))
	if err != nil {
		return err
	}
	defer release()
	// Not before: when a fleet is online again, its batches arrive concurrently, and
	// unpacking them takes every processor for longer than a look-up should wait.
	if call.Body, err = call.Unpack(call.Body); err != nil {
		return err
	}
	ctx := a.pacer.Work(r.Context())
	work := pace.Of(ctx)
	work.Rest()
	batch, err := wire.DecodeBatchWith(call.Body, work.Rest)
	if err != nil {
		return batchFault(call, err)
	}
	gate.NameIgnored(c.Response().Header(), "X-Ignored-Properties", batch.Ignored)
	header := r.Header.Get(wire.HeaderBatchID)
	if header != "" && batch.ID != "" && header != batch.ID {
		return gate.Invalid(gate.Fields{wire.HeaderBatchID: {"must be the body's batchId"}})
	}
	if batch.ID == "" && wire.ValidBatchID(header) {
		batch.ID = header
	}
	echoBatchID(c.Response().Header(), batch.ID)
	if batch.Single {
		batch.Items[0].ScanID = scanIDOf(batch.ScannerID, r.Header.Get("Idempotency-Key"))
	}
	site, h := gate.ClientOf(call.Remote), c.Response().Header()
	if err := a.sites.Take(h, site, len(batch.Items)); err != nil {
		return err
	}
	if err := a.scans.Take(h, batch.ScannerID+" "+site, len(batch.Items)); err != nil {
		return err
	}
	reply, err := a.c.Verify.Sync(ctx, batch, verify.Proof{
		DeviceKey: r.Header.Get(wire.HeaderDeviceKey), Signature: r.Header.Get(wire.HeaderBatchSignature),
		Client: site, Test: call.Identity.Test,
	})
	if err != nil {
		return err
	}
	echoBatchID(c.Response().Header(), reply.BatchID)
	work.Rest()
	body, err := reply.Encode()
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "application/json", body)
}

// recordScan stores a verification of a payload that names its scanner among the scans of the stamp:
// its body is that of one scan alone. It is an unsigned claim as any other, with their budgets. A
// verification beyond them is answered too, and is in the history alone.
func (a *app) recordScan(ctx context.Context) {
	call := gate.CallOf(ctx)
	batch, err := wire.DecodeBatch(call.Body)
	if err != nil || !batch.Single {
		return // it names no scanner, or in no form that a scan can have
	}
	site := gate.ClientOf(call.Remote)
	err = a.sites.Take(http.Header{}, site, 1) // one scan needs no turn among the batches
	if err == nil {
		err = a.scans.Take(http.Header{}, batch.ScannerID+" "+site, 1)
	}
	if err == nil {
		_, err = a.c.Verify.Sync(ctx, batch, verify.Proof{Client: site, Test: call.Identity.Test})
	}
	if err != nil && !fault.Is(err, fault.RateLimited) {
		a.c.Log.WarnContext(ctx, "a verification is not among the scans", slog.Any("err", err))
	}
}

// scanIDOf derives the id of a scan sent alone from its Idempotency-Key, so that
// a repeat finds the row of the first (RFC 9562 section 5.8, a version 8 UUID).
// Without a key it returns no id, and the service draws one.
func scanIDOf(scanner, key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "tcode single scan\x00%d\x00%s%s", len(scanner), scanner, key))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// batchFault turns a refusal of package wire, which names only the first error,
// into a fault with all errors of the body against the contract.
func batchFault(call *gate.Call, err error) error {
	var bad *wire.FieldError
	if !errors.As(err, &bad) {
		return err
	}
	if errors.Is(err, wire.ErrTooLarge) {
		return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the batch is too large: at most %d items in %d bytes", wire.MaxItems, wire.MaxBodyBytes).
			WithField(bad.Path, "%v", bad.Err)
	}
	message := sentence(bad)
	all := call.CheckBody()
	if _, named := all[bad.Path]; !named && (bad.Path != gate.BodyPath || len(all) == 0) {
		all = maps.Clone(all)
		if all == nil {
			all = gate.Fields{}
		}
		all.Add(bad.Path, "%s", message)
	}
	for _, more := range wire.Problems(call.Body) {
		if _, named := all[more.Path]; !named {
			all.Add(more.Path, "%s", sentence(more))
		}
	}
	return gate.Invalid(all)
}

// sentence says what is wrong with a member of a batch.
func sentence(bad *wire.FieldError) string {
	if bad.Detail == "" {
		return bad.Err.Error()
	}
	return bad.Err.Error() + ": " + bad.Detail
}
