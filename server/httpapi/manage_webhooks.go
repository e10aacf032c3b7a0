package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"tcode/server/httpapi/api"
	"tcode/server/outbound/webhook"
)

// Webhooks manages endpoints for events. Package webhook implements it.
type Webhooks interface {
	Check(url *string, events webhook.Filter) error
	CreateWith(ctx context.Context, tenantRef string, opt webhook.CreateOptions) (webhook.Endpoint, string, error)
	List(ctx context.Context, tenantRef string) ([]webhook.Endpoint, error)
	Endpoint(ctx context.Context, tenantRef, id string) (webhook.Endpoint, error)
	Update(ctx context.Context, tenantRef, id string, u webhook.Update) (webhook.Endpoint, error)
	Enable(ctx context.Context, tenantRef, id string) (webhook.Endpoint, error)
	Disable(ctx context.Context, tenantRef, id string) (webhook.Endpoint, error)
	Remove(ctx context.Context, tenantRef, id string) error
	RotateSecret(ctx context.Context, tenantRef, id string) (webhook.Endpoint, string, error)
	Test(ctx context.Context, tenantRef, id string) (webhook.Try, error)
	CountDay(ctx context.Context, tenantRef string) (map[string]webhook.Counts, error)
	DeliveryPage(ctx context.Context, tenantRef, endpoint string, s webhook.State, page, size int) (webhook.DeliveryPage, error)
	DeliveryOf(ctx context.Context, tenantRef, endpoint, id string) (webhook.Delivery, []webhook.Try, error)
	Redeliver(ctx context.Context, tenantRef, id string) error
	RedeliverFailed(ctx context.Context, tenantRef, endpoint string, since time.Time) (int, error)
}

// ListWebhooks returns the tenant's endpoints.
func (h *handlers) ListWebhooks(ctx context.Context, _ ListWebhooksRequestObject) (ListWebhooksResponseObject, error) {
	_, ref := manager(ctx)
	list, err := h.c.Webhooks.List(ctx, ref)
	if err != nil {
		return nil, err
	}
	counts, err := h.c.Webhooks.CountDay(ctx, ref)
	if err != nil {
		return nil, err
	}
	out := ListWebhooks200JSONResponse{Items: make([]api.Webhook, 0, len(list))}
	for _, e := range list {
		out.Items = append(out.Items, webhookRecord(e, counts[e.ID]))
	}
	return out, nil
}

// CreateWebhook makes an endpoint.
func (h *handlers) CreateWebhook(ctx context.Context, r CreateWebhookRequestObject) (CreateWebhookResponseObject, error) {
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	ctx, ref := manager(ctx)
	e, secret, err := h.c.Webhooks.CreateWith(ctx, ref, webhook.CreateOptions{
		URL: r.Body.Url, Events: deref(r.Body.Events), Once: try.Record,
		Answer: func(e webhook.Endpoint) (int, []byte, error) { // no later answer has the secret
			body, err := json.Marshal(api.NewWebhookEnvelope{Data: newWebhookRecord(e, webhook.Counts{}, "")})
			return http.StatusCreated, body, err
		},
	})
	if err != nil {
		return try.failed(ctx, err)
	}
	location := webhookPath(e.ID)
	return CreateWebhook201JSONResponse{
		Body:    api.NewWebhookEnvelope{Data: newWebhookRecord(e, webhook.Counts{}, secret)},
		Headers: CreateWebhook201ResponseHeaders{Location: &location},
	}, nil
}

// VisitCreateWebhookResponse writes the answer.
func (r *replay) VisitCreateWebhookResponse(w http.ResponseWriter) error {
	return r.write(w, func(body []byte, head http.Header) {
		var made api.NewWebhookEnvelope
		if json.Unmarshal(body, &made) == nil {
			head.Set("Location", webhookPath(made.Data.Id.String()))
		}
	})
}

func webhookPath(id string) string { return "/v1/webhooks/" + id }

// webhookData returns an endpoint with the counts of its deliveries.
func (h *handlers) webhookData(ctx context.Context, ref string, e webhook.Endpoint, err error) (api.WebhookEnvelope, error) {
	if err != nil {
		return api.WebhookEnvelope{}, err
	}
	counts, err := h.c.Webhooks.CountDay(ctx, ref)
	return api.WebhookEnvelope{Data: webhookRecord(e, counts[e.ID])}, err
}

// GetWebhook returns one endpoint.
func (h *handlers) GetWebhook(ctx context.Context, r GetWebhookRequestObject) (GetWebhookResponseObject, error) {
	_, ref := manager(ctx)
	e, err := h.c.Webhooks.Endpoint(ctx, ref, r.Id.String())
	out, err := h.webhookData(ctx, ref, e, err)
	if err != nil {
		return nil, err
	}
	return GetWebhook200JSONResponse(out), nil
}

// PatchWebhook changes address or events of an endpoint.
func (h *handlers) PatchWebhook(ctx context.Context, r PatchWebhookRequestObject) (PatchWebhookResponseObject, error) {
	ctx, ref := manager(ctx)
	e, err := h.c.Webhooks.Update(ctx, ref, r.Id.String(), webhook.Update{URL: r.Body.Url, Events: deref(r.Body.Events)})
	out, err := h.webhookData(ctx, ref, e, err)
	if err != nil {
		return nil, err
	}
	return PatchWebhook200JSONResponse(out), nil
}

// EnableWebhook lets an endpoint receive events.
func (h *handlers) EnableWebhook(ctx context.Context, r EnableWebhookRequestObject) (EnableWebhookResponseObject, error) {
	ctx, ref := manager(ctx)
	e, err := h.c.Webhooks.Enable(ctx, ref, r.Id.String())
	out, err := h.webhookData(ctx, ref, e, err)
	if err != nil {
		return nil, err
	}
	return EnableWebhook200JSONResponse(out), nil
}

// DisableWebhook stops all deliveries to an endpoint.
func (h *handlers) DisableWebhook(ctx context.Context, r DisableWebhookRequestObject) (DisableWebhookResponseObject, error) {
	ctx, ref := manager(ctx)
	e, err := h.c.Webhooks.Disable(ctx, ref, r.Id.String())
	out, err := h.webhookData(ctx, ref, e, err)
	if err != nil {
		return nil, err
	}
	return DisableWebhook200JSONResponse(out), nil
}

// DeleteWebhook removes an endpoint.
func (h *handlers) DeleteWebhook(ctx context.Context, r DeleteWebhookRequestObject) (DeleteWebhookResponseObject, error) {
	ctx, ref := manager(ctx)
	if err := h.c.Webhooks.Remove(ctx, ref, r.Id.String()); err != nil {
		return nil, err
	}
	return DeleteWebhook204Response{}, nil
}

// RotateWebhookSecret gives an endpoint a new secret.
func (h *handlers) RotateWebhookSecret(ctx context.Context, r RotateWebhookSecretRequestObject) (RotateWebhookSecretResponseObject, error) {
	ctx, ref := manager(ctx)
	e, secret, err := h.c.Webhooks.RotateSecret(ctx, ref, r.Id.String())
	if err != nil {
		return nil, err
	}
	counts, err := h.c.Webhooks.CountDay(ctx, ref)
	if err != nil {
		return nil, err
	}
	return RotateWebhookSecret200JSONResponse{Data: newWebhookRecord(e, counts[e.ID], secret)}, nil
}

// TestWebhook sends a ping.
func (h *handlers) TestWebhook(ctx context.Context, r TestWebhookRequestObject) (TestWebhookResponseObject, error) {
	_, ref := manager(ctx)
	t, err := h.c.Webhooks.Test(ctx, ref, r.Id.String())
	if err != nil {
		return nil, err
	}
	return TestWebhook200JSONResponse{Data: api.WebhookTest{
		Delivered: t.OK(), Status: optional(int32(t.Status)), Reason: optional(t.Reason), TookMs: t.Took.Milliseconds(),
	}}, nil
}
