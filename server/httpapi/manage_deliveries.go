package httpapi

import (
	"context"

	"tcode/server/httpapi/api"
	"tcode/server/outbound/webhook"
)

// ListWebhookDeliveries returns a page of the deliveries to an endpoint.
func (h *handlers) ListWebhookDeliveries(ctx context.Context, r ListWebhookDeliveriesRequestObject) (ListWebhookDeliveriesResponseObject, error) {
	_, ref := manager(ctx)
	page, size := pageNumber(r.Params.Page), pageSize(r.Params.PageSize)
	list, err := h.c.Webhooks.DeliveryPage(ctx, ref, r.Id.String(), webhook.State(deref(r.Params.State)), page, size)
	if err != nil {
		return nil, err
	}
	out := ListWebhookDeliveries200JSONResponse{Items: make([]api.WebhookDelivery, 0, len(list.Items))}
	paging(page, size, list.TotalCount, list.TotalIsLowerBound, len(list.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, d := range list.Items {
		out.Items = append(out.Items, eventDelivery(d))
	}
	return out, nil
}

// GetWebhookDelivery returns one delivery with its tries.
func (h *handlers) GetWebhookDelivery(ctx context.Context, r GetWebhookDeliveryRequestObject) (GetWebhookDeliveryResponseObject, error) {
	_, ref := manager(ctx)
	d, tries, err := h.c.Webhooks.DeliveryOf(ctx, ref, r.Id.String(), r.DeliveryId.String())
	if err != nil {
		return nil, err
	}
	rec := eventDelivery(d)
	out := api.WebhookDeliveryDetail{
		Id: rec.Id, WebhookId: rec.WebhookId, Type: rec.Type, State: api.WebhookDeliveryDetailState(rec.State), Tries: rec.Tries, Status: rec.Status, Reason: rec.Reason,
		DueAt: rec.DueAt, CreatedAt: rec.CreatedAt, FinishedAt: rec.FinishedAt, Body: d.Body, Attempts: make([]api.WebhookAttempt, 0, len(tries)),
	}
	for _, t := range tries {
		out.Attempts = append(out.Attempts, api.WebhookAttempt{
			Number: int32(t.Number), At: wholeMillis(t.At), TookMs: t.Took.Milliseconds(), Status: optional(int32(t.Status)), Reason: optional(t.Reason),
		})
	}
	return GetWebhookDelivery200JSONResponse{Data: out}, nil
}

// RedeliverWebhook sends a delivery again.
func (h *handlers) RedeliverWebhook(ctx context.Context, r RedeliverWebhookRequestObject) (RedeliverWebhookResponseObject, error) {
	ctx, ref := manager(ctx)
	if _, _, err := h.c.Webhooks.DeliveryOf(ctx, ref, r.Id.String(), r.DeliveryId.String()); err != nil {
		return nil, err
	}
	if err := h.c.Webhooks.Redeliver(ctx, ref, r.DeliveryId.String()); err != nil {
		return nil, err
	}
	return RedeliverWebhook204Response{}, nil
}

// RedeliverFailedWebhooks sends all failed deliveries of an endpoint again.
func (h *handlers) RedeliverFailedWebhooks(ctx context.Context, r RedeliverFailedWebhooksRequestObject) (RedeliverFailedWebhooksResponseObject, error) {
	ctx, ref := manager(ctx)
	var body api.WebhookRedeliverRequest
	if r.Body != nil {
		body = *r.Body
	}
	n, err := h.c.Webhooks.RedeliverFailed(ctx, ref, r.Id.String(), deref(body.Since))
	if err != nil {
		return nil, err
	}
	return RedeliverFailedWebhooks200JSONResponse{Data: api.WebhookRedelivery{Count: int32(n)}}, nil
}

// webhookRecord returns an endpoint as the contract shows it.
func webhookRecord(e webhook.Endpoint, n webhook.Counts) api.Webhook {
	return api.Webhook{
		Id: mustUUID(e.ID), Url: e.URL, Events: append([]string{}, e.Events...), State: api.WebhookState(e.State), Reason: optional(e.Reason),
		Failures: int32(e.Failures), FailingSince: optionalTime(e.Since), OldSecretUntil: optionalTime(e.OldUntil), CreatedAt: wholeMillis(e.CreatedAt), UpdatedAt: wholeMillis(e.UpdatedAt),
		LastDay: api.WebhookCounts{Waiting: int32(n.Waiting), Delivered: int32(n.Delivered), Failed: int32(n.Failed)},
	}
}

func newWebhookRecord(e webhook.Endpoint, n webhook.Counts, secret string) api.NewWebhook {
	r := webhookRecord(e, n)
	return api.NewWebhook{
		Id: r.Id, Url: r.Url, Events: r.Events, State: api.NewWebhookState(r.State), Reason: r.Reason, Failures: r.Failures, FailingSince: r.FailingSince,
		OldSecretUntil: r.OldSecretUntil, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, LastDay: r.LastDay, Secret: optional(secret),
	}
}

// eventDelivery returns a delivery as the contract shows it.
func eventDelivery(d webhook.Delivery) api.WebhookDelivery {
	out := api.WebhookDelivery{
		Id: mustUUID(d.ID), WebhookId: mustUUID(d.Endpoint), Type: string(d.Type), State: api.WebhookDeliveryState(d.State), Tries: int32(d.Tries),
		Status: optional(int32(d.Status)), Reason: optional(d.Reason), CreatedAt: wholeMillis(d.CreatedAt), FinishedAt: optionalTime(d.FinishedAt),
	}
	if d.State == webhook.Waiting {
		out.DueAt = optionalTime(d.DueAt)
	}
	return out
}
