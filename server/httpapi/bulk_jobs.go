package httpapi

import (
	"context"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/bulk"
)

// ListTcodeBulkJobs returns one page of the tenant's jobs of stamps.
func (h *handlers) ListTcodeBulkJobs(ctx context.Context, r ListTcodeBulkJobsRequestObject) (ListTcodeBulkJobsResponseObject, error) {
	p, err := h.bulkPage(ctx, bulk.TCode, r.Params.Page, r.Params.PageSize)
	return ListTcodeBulkJobs200JSONResponse(p), err
}

// ListTrustBulkJobs returns one page of the tenant's jobs of Trust documents.
func (h *handlers) ListTrustBulkJobs(ctx context.Context, r ListTrustBulkJobsRequestObject) (ListTrustBulkJobsResponseObject, error) {
	p, err := h.bulkPage(ctx, bulk.Trust, r.Params.Page, r.Params.PageSize)
	return ListTrustBulkJobs200JSONResponse(p), err
}

func (h *handlers) bulkPage(ctx context.Context, product bulk.Product, page *api.Page, size *api.PageSize) (out api.BulkJobPage, err error) {
	p, err := h.c.Bulk.List(ctx, gate.CallOf(ctx).Identity, product, pageNumber(page), pageSize(size))
	if err != nil {
		return out, err
	}
	out.Items = make([]api.BulkJob, 0, len(p.Items))
	paging(p.Page, p.PageSize, p.TotalCount, p.TotalIsLowerBound, len(p.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, j := range p.Items {
		out.Items = append(out.Items, bulkRecord(j))
	}
	return out, nil
}

// GetTcodeBulkJob returns one job.
func (h *handlers) GetTcodeBulkJob(ctx context.Context, r GetTcodeBulkJobRequestObject) (GetTcodeBulkJobResponseObject, error) {
	d, err := h.bulkDetail(ctx, bulk.TCode, r.JobId)
	return GetTcodeBulkJob200JSONResponse(d), err
}

// GetTrustBulkJob returns one job.
func (h *handlers) GetTrustBulkJob(ctx context.Context, r GetTrustBulkJobRequestObject) (GetTrustBulkJobResponseObject, error) {
	d, err := h.bulkDetail(ctx, bulk.Trust, r.JobId)
	return GetTrustBulkJob200JSONResponse(d), err
}

func (h *handlers) bulkDetail(ctx context.Context, product bulk.Product, id openapi_types.UUID) (api.BulkJobDetailEnvelope, error) {
	j, err := h.c.Bulk.Reach(ctx, gate.CallOf(ctx).Identity, product, id.String())
	if err != nil {
		return api.BulkJobDetailEnvelope{}, err
	}
	return api.BulkJobDetailEnvelope{Data: bulkDetailRecord(j)}, nil
}

// GetTcodeBulkProgress returns the progress of a job.
func (h *handlers) GetTcodeBulkProgress(ctx context.Context, r GetTcodeBulkProgressRequestObject) (GetTcodeBulkProgressResponseObject, error) {
	p, err := h.bulkProgress(ctx, bulk.TCode, r.JobId)
	return GetTcodeBulkProgress200JSONResponse(p), err
}

// GetTrustBulkProgress returns the progress of a job.
func (h *handlers) GetTrustBulkProgress(ctx context.Context, r GetTrustBulkProgressRequestObject) (GetTrustBulkProgressResponseObject, error) {
	p, err := h.bulkProgress(ctx, bulk.Trust, r.JobId)
	return GetTrustBulkProgress200JSONResponse(p), err
}

func (h *handlers) bulkProgress(ctx context.Context, product bulk.Product, id openapi_types.UUID) (api.BulkProgressEnvelope, error) {
	p, err := h.c.Bulk.Progress(ctx, gate.CallOf(ctx).Identity, product, id.String())
	if err != nil {
		return api.BulkProgressEnvelope{}, err
	}
	return api.BulkProgressEnvelope{Data: progressRecord(p)}, nil
}

// ListTcodeBulkRows returns one page of the rows of a job.
func (h *handlers) ListTcodeBulkRows(ctx context.Context, r ListTcodeBulkRowsRequestObject) (ListTcodeBulkRowsResponseObject, error) {
	p, err := h.bulkRows(ctx, bulk.TCode, r.JobId, r.Params.State, r.Params.Page, r.Params.PageSize)
	return ListTcodeBulkRows200JSONResponse(p), err
}

// ListTrustBulkRows returns one page of the rows of a job.
func (h *handlers) ListTrustBulkRows(ctx context.Context, r ListTrustBulkRowsRequestObject) (ListTrustBulkRowsResponseObject, error) {
	p, err := h.bulkRows(ctx, bulk.Trust, r.JobId, r.Params.State, r.Params.Page, r.Params.PageSize)
	return ListTrustBulkRows200JSONResponse(p), err
}

func (h *handlers) bulkRows(ctx context.Context, product bulk.Product, id openapi_types.UUID, state *api.BulkRowState, page *api.Page, size *api.PageSize) (out api.BulkRowPage, err error) {
	p, err := h.c.Bulk.RowPage(ctx, gate.CallOf(ctx).Identity, product, id.String(), bulk.RowState(deref(state)), pageNumber(page), pageSize(size))
	if err != nil {
		return out, err
	}
	out.Items = make([]api.BulkRow, 0, len(p.Items))
	paging(p.Page, p.PageSize, p.TotalCount, false, len(p.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, row := range p.Items {
		out.Items = append(out.Items, bulkRowRecord(row))
	}
	return out, nil
}

// RetryTcodeBulkJob processes the failed rows of a job again.
func (h *handlers) RetryTcodeBulkJob(ctx context.Context, r RetryTcodeBulkJobRequestObject) (RetryTcodeBulkJobResponseObject, error) {
	j, err := h.changeBulk(ctx, bulk.TCode, r.JobId, bulk.Retry)
	return RetryTcodeBulkJob200JSONResponse(j), err
}

// RetryTrustBulkJob processes the failed rows of a job again.
func (h *handlers) RetryTrustBulkJob(ctx context.Context, r RetryTrustBulkJobRequestObject) (RetryTrustBulkJobResponseObject, error) {
	j, err := h.changeBulk(ctx, bulk.Trust, r.JobId, bulk.Retry)
	return RetryTrustBulkJob200JSONResponse(j), err
}

// CancelTcodeBulkJob stops a job between rows.
func (h *handlers) CancelTcodeBulkJob(ctx context.Context, r CancelTcodeBulkJobRequestObject) (CancelTcodeBulkJobResponseObject, error) {
	_, err := h.changeBulk(ctx, bulk.TCode, r.JobId, bulk.Cancel)
	return CancelTcodeBulkJob204Response{}, err
}

// CancelTrustBulkJob stops a job between rows.
func (h *handlers) CancelTrustBulkJob(ctx context.Context, r CancelTrustBulkJobRequestObject) (CancelTrustBulkJobResponseObject, error) {
	_, err := h.changeBulk(ctx, bulk.Trust, r.JobId, bulk.Cancel)
	return CancelTrustBulkJob204Response{}, err
}

func (h *handlers) changeBulk(ctx context.Context, product bulk.Product, id openapi_types.UUID, a bulk.Action) (api.BulkJobEnvelope, error) {
	j, err := h.c.Bulk.Change(ctx, gate.CallOf(ctx).Identity, product, id.String(), a)
	if err != nil {
		return api.BulkJobEnvelope{}, err
	}
	return api.BulkJobEnvelope{Data: bulkRecord(j)}, nil
}
