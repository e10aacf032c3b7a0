package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"tcode/server/fault"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/bulk"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

// Bulk makes many documents from one upload. Package bulk implements it.
type Bulk interface {
	Create(ctx context.Context, id tenant.Identity, r bulk.Request) (bulk.Job, error)
	CheckOrder(ctx context.Context, id tenant.Identity, o bulk.Order, scheduledFor time.Time) error
	Reach(ctx context.Context, id tenant.Identity, p bulk.Product, jobID string) (bulk.Job, error)
	List(ctx context.Context, id tenant.Identity, p bulk.Product, page, pageSize int) (bulk.Page, error)
	Progress(ctx context.Context, id tenant.Identity, p bulk.Product, jobID string) (bulk.Progress, error)
	RowPage(ctx context.Context, id tenant.Identity, p bulk.Product, jobID string, state bulk.RowState, page, pageSize int) (bulk.RowPage, error)
	Change(ctx context.Context, id tenant.Identity, p bulk.Product, jobID string, a bulk.Action) (bulk.Job, error)
	// WriteErrors and WriteResults write the files of a job that Get returned.
	WriteErrors(ctx context.Context, j bulk.Job, w io.Writer) error
	WriteResults(ctx context.Context, j bulk.Job, w io.Writer) error
}

// CreateTcodeBulkJob creates a job of stamps.
func (h *handlers) CreateTcodeBulkJob(ctx context.Context, r CreateTcodeBulkJobRequestObject) (CreateTcodeBulkJobResponseObject, error) {
	j, answered, err := h.createBulk(ctx, r.Params.IdempotencyKey, bulk.Request{Order: tcodeOrder(r.Body)})
	if err != nil || answered != nil {
		return answered, err
	}
	location := bulkPath(j)
	return CreateTcodeBulkJob201JSONResponse{
		Body: api.BulkJobEnvelope{Data: bulkRecord(j)}, Headers: CreateTcodeBulkJob201ResponseHeaders{Location: &location},
	}, nil
}

// CreateTrustBulkJob creates a job of Trust documents.
func (h *handlers) CreateTrustBulkJob(ctx context.Context, r CreateTrustBulkJobRequestObject) (CreateTrustBulkJobResponseObject, error) {
	order, err := trustOrder(r.Body)
	if err != nil {
		return nil, h.checkTrustBulk(ctx, r.Body)
	}
	j, answered, err := h.createBulk(ctx, r.Params.IdempotencyKey, bulk.Request{ScheduledFor: deref(r.Body.ScheduledFor), Order: order})
	if err != nil || answered != nil {
		return answered, err
	}
	location := bulkPath(j)
	return CreateTrustBulkJob201JSONResponse{
		Body: api.BulkJobEnvelope{Data: bulkRecord(j)}, Headers: CreateTrustBulkJob201ResponseHeaders{Location: &location},
	}, nil
}

func tcodeOrder(b *api.TCodeBulkJobRequest) bulk.Order {
	return bulk.Order{
		Product: bulk.TCode, DryRun: deref(b.DryRun), Test: deref(b.ModeType) == api.TCodeBulkJobRequestModeTypeTest,
		TdocTemplateID: uuidText(b.TdocTemplateId), PlacementTemplateID: uuidText(b.PlacementTemplateId),
	}
}

// checkTrustBulk returns the fault of a body with all of its problems.
func (h *handlers) checkTrustBulk(ctx context.Context, b *api.TrustBulkJobRequest) error {
	o, err := trustOrder(b)
	return together(err, untilNamed(o, h.c.Bulk.CheckOrder(ctx, gate.CallOf(ctx).Identity, o, deref(b.ScheduledFor))))
}

// trustOrder reads the order of a job. The fault is that of the validity of its documents.
func trustOrder(b *api.TrustBulkJobRequest) (bulk.Order, error) {
	v := trustdoc.Validity{
		Type: string(deref(b.ValidityType)), Value: int(deref(b.ValidityValue)), Unit: string(deref(b.ValidityUnit)), Until: deref(b.ValidUntil),
	}
	o := bulk.Order{
		Product: bulk.Trust, DryRun: deref(b.DryRun), Test: deref(b.ModeType) == api.TrustBulkJobRequestModeTypeTest,
		TemplateID: b.TemplateId.String(), Path: trustdoc.Path(b.IssuancePath), Validity: v,
	}
	bad := gate.Fields{}
	needs := func(given bool, name, kind string) {
		switch {
		case given && v.Type != kind:
			bad.Add(name, "needs the validityType %s", kind)
		case !given && v.Type == kind:
			bad.Add(name, "is required with the validityType %s", kind)
		}
	}
	needs(b.ValidityValue != nil, "validityValue", trustdoc.ValidityDuration)
	needs(b.ValidityUnit != nil, "validityUnit", trustdoc.ValidityDuration)
	needs(b.ValidUntil != nil, "validUntil", trustdoc.ValidityUntil)
	if len(bad) > 0 {
		return o, gate.Invalid(bad)
	}
	return o, nil
}

// createBulk creates a job from the files of the call.
func (h *handlers) createBulk(ctx context.Context, key *string, r bulk.Request) (j bulk.Job, answered *replay, err error) {
	call := gate.CallOf(ctx)
	try, answered, end, err := h.attempt(ctx, key)
	if err != nil {
		return j, nil, err
	}
	defer end()
	if answered != nil {
		return j, answered, nil
	}
	r.CSV, r.ZIP = call.Files["csvFileBase64"], call.Files["zipFileBase64"]
	if r.Idempotency = try.Record; r.Idempotency != nil {
		r.Answer = bulkAnswer
	}
	j, err = h.c.Bulk.Create(ctx, call.Identity, r)
	if err != nil {
		answered, err = try.failed(ctx, untilNamed(r.Order, err))
	}
	return j, answered, err
}

// untilNamed returns err with the contract's name of the end of validity.
func untilNamed(o bulk.Order, err error) error {
	if err == nil || o.Validity.Type != trustdoc.ValidityUntil {
		return err
	}
	return renamed(err, "validityValue", "validUntil")
}

// renamed returns err with the messages of one field under the name of another.
func renamed(err error, from, to string) error {
	f := fault.As(err)
	said, ok := f.Fields[from]
	if !ok {
		return err
	}
	out := *f
	out.Fields = map[string][]fault.Text{}
	for name, messages := range f.Fields {
		if name != from {
			out.Fields[name] = messages
		}
	}
	out.Fields[to] = said
	return &out
}

// bulkAnswer makes the stored answer for an Idempotency-Key.
func bulkAnswer(j bulk.Job) (int, []byte, error) {
	body, err := json.Marshal(api.BulkJobEnvelope{Data: bulkRecord(j)})
	return http.StatusCreated, body, err
}

// VisitCreateTcodeBulkJobResponse writes the answer.
func (r *replay) VisitCreateTcodeBulkJobResponse(w http.ResponseWriter) error { return r.bulk(w) }

// VisitCreateTrustBulkJobResponse writes the answer.
func (r *replay) VisitCreateTrustBulkJobResponse(w http.ResponseWriter) error { return r.bulk(w) }

func (r *replay) bulk(w http.ResponseWriter) error {
	return r.write(w, func(body []byte, h http.Header) {
		var made api.BulkJobEnvelope
		if json.Unmarshal(body, &made) == nil {
			h.Set("Location", bulkPaths[bulk.Product(made.Data.Product)]+made.Data.Id.String())
		}
	})
}
