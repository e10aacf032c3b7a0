package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/tenant"
)

// ListApiKeys returns the tenant's API keys.
func (h *handlers) ListApiKeys(ctx context.Context, r ListApiKeysRequestObject) (ListApiKeysResponseObject, error) {
	_, ref := manager(ctx)
	list, err := h.c.Management.Keys(ctx, ref)
	if err != nil {
		return nil, err
	}
	list, info := pageOf(list, r.Params.Page, r.Params.PageSize)
	out := ListApiKeys200JSONResponse{Items: make([]api.ApiKey, 0, len(list))}
	info.fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, k := range list {
		out.Items = append(out.Items, keyRecord(k, h.c.Now()))
	}
	return out, nil
}

// GetApiKey returns one API key, with what it leaves behind.
func (h *handlers) GetApiKey(ctx context.Context, r GetApiKeyRequestObject) (GetApiKeyResponseObject, error) {
	_, ref := manager(ctx)
	k, err := h.c.Management.Key(ctx, ref, r.Prefix)
	if err != nil {
		return nil, err
	}
	left, err := h.c.Management.Left(ctx, ref, k.Prefix)
	if err != nil {
		return nil, err
	}
	out := GetApiKey200JSONResponse{Data: keyRecord(k, h.c.Now()), LeftBehind: make([]api.LeftBehind, 0, len(left))}
	for _, l := range left {
		out.LeftBehind = append(out.LeftBehind, api.LeftBehind{Kind: api.LeftBehindKind(l.Kind), Id: l.ID, Name: optional(l.Name), EndsWithKey: l.Kind.Ends()})
	}
	return out, nil
}

// CreateApiKey makes an API key.
func (h *handlers) CreateApiKey(ctx context.Context, r CreateApiKeyRequestObject) (CreateApiKeyResponseObject, error) {
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	opt := keyOptions(gate.CallOf(ctx), r.Body)
	opt.Once, opt.Answer = try.Record, h.keyAnswer
	ctx, ref := manager(ctx)
	made, err := h.c.Management.CreateKey(ctx, ref, opt)
	if err != nil {
		return try.failed(ctx, err)
	}
	location := keyPath(made.Prefix)
	return CreateApiKey201JSONResponse{
		Body:    api.NewApiKeyEnvelope{Data: newKeyRecord(made.APIKey, made.Secret, h.c.Now())},
		Headers: CreateApiKey201ResponseHeaders{Location: &location},
	}, nil
}

// RotateApiKey makes a key that succeeds an old one.
func (h *handlers) RotateApiKey(ctx context.Context, r RotateApiKeyRequestObject) (RotateApiKeyResponseObject, error) {
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	opt := tenant.RenewOptions{Within: gate.CallOf(ctx).Identity.Scopes, Once: try.Record, Answer: h.keyAnswer}
	if r.Body != nil {
		opt.ExpiresAt = deref(r.Body.ExpiresAt)
		if hours := r.Body.OverlapHours; hours != nil {
			if opt.Overlap = time.Duration(*hours) * time.Hour; *hours == 0 {
				opt.Overlap = -1 // no overlap
			}
		}
	}
	ctx, ref := manager(ctx)
	made, err := h.c.Management.RotateKey(ctx, ref, r.Prefix, opt)
	if err != nil {
		return try.failed(ctx, err)
	}
	location := keyPath(made.Prefix)
	return RotateApiKey201JSONResponse{
		Body:    api.NewApiKeyEnvelope{Data: newKeyRecord(made.APIKey, made.Secret, h.c.Now())},
		Headers: RotateApiKey201ResponseHeaders{Location: &location},
	}, nil
}

// RevokeApiKey ends a key.
func (h *handlers) RevokeApiKey(ctx context.Context, r RevokeApiKeyRequestObject) (RevokeApiKeyResponseObject, error) {
	ctx, ref := manager(ctx)
	if err := h.c.Management.RevokeKey(ctx, ref, r.Prefix); err != nil {
		return nil, err
	}
	return RevokeApiKey204Response{}, nil
}

func keyOptions(call *gate.Call, b *api.ApiKeyRequest) tenant.KeyOptions {
	return tenant.KeyOptions{
		Name: b.Name, Test: deref(b.Test), ExpiresAt: deref(b.ExpiresAt), Scopes: scopesOf(deref(b.Scopes)),
		Within: call.Identity.Scopes,
	}
}

func keyPath(prefix string) string { return "/v1/api-keys/" + prefix }

// keyAnswer makes the stored answer for an Idempotency-Key. The secret is kept nowhere, so
// a repeat cannot have it.
func (h *handlers) keyAnswer(k tenant.APIKey) (int, []byte, error) {
	body, err := json.Marshal(api.NewApiKeyEnvelope{Data: newKeyRecord(k, "", h.c.Now())})
	return http.StatusCreated, body, err
}

// VisitCreateApiKeyResponse writes the answer.
func (r *replay) VisitCreateApiKeyResponse(w http.ResponseWriter) error { return r.key(w) }

// VisitRotateApiKeyResponse writes the answer.
func (r *replay) VisitRotateApiKeyResponse(w http.ResponseWriter) error { return r.key(w) }

func (r *replay) key(w http.ResponseWriter) error {
	return r.write(w, func(body []byte, head http.Header) {
		var made api.NewApiKeyEnvelope
		if json.Unmarshal(body, &made) == nil {
			head.Set("Location", keyPath(made.Data.Prefix))
		}
	})
}

func scopesOf(in []api.Scope) (out []tenant.Scope) {
	for _, s := range in {
		out = append(out, tenant.Scope(s))
	}
	return out
}

// keyRecord returns a key as the contract shows it.
func keyRecord(k tenant.APIKey, now time.Time) api.ApiKey {
	out := api.ApiKey{
		Prefix: k.Prefix, Name: k.Name, Test: k.Test, State: api.ApiKeyState(k.State(now)), Scopes: make([]api.Scope, 0, len(k.Scopes)),
		CreatedAt: wholeMillis(k.CreatedAt), ExpiresAt: optionalTime(k.ExpiresAt), RevokedAt: optionalTime(k.RevokedAt),
		LastUsedAt: optionalTime(k.LastUsedAt), LastUsedFrom: optional(k.LastFrom), UsedToday: k.UsedOn(tenant.DayOf(now)),
	}
	for _, s := range k.Scopes {
		out.Scopes = append(out.Scopes, api.Scope(s))
	}
	return out
}

func newKeyRecord(k tenant.APIKey, secret string, now time.Time) api.NewApiKey {
	r := keyRecord(k, now)
	return api.NewApiKey{
		Prefix: r.Prefix, Name: r.Name, Test: r.Test, State: api.NewApiKeyState(r.State), Scopes: r.Scopes, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt,
		RevokedAt: r.RevokedAt, LastUsedAt: r.LastUsedAt, LastUsedFrom: r.LastUsedFrom, UsedToday: r.UsedToday, Secret: optional(secret),
	}
}
