package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/labstack/echo/v4"

	"tcode/server/fault"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// withRules returns the routes with the checks of bodies that no schema can express.
func (a *app) withRules() map[string]gate.Route {
	h, out := &handlers{a}, maps.Clone(routes)
	for _, rules := range []map[string]bodyRule{h.documentRules(), h.templateRules(), h.otherRules()} {
		for id, rule := range rules {
			r := out[id]
			r.CheckBody = rule
			out[id] = r
		}
	}
	return out
}

// A bodyRule is [gate.Route.CheckBody] of an operation: it asks the service that the handler
// asks. It changes nothing.
type bodyRule func(c echo.Context, body []byte) error

// An asked is what a rule needs beside the body: the call, and the id in its address.
type asked struct {
	*gate.Call
	id string
}

// ruled returns the rule of a body of type T.
func ruled[T any](check func(ctx context.Context, a asked, b *T) error) bodyRule {
	return func(c echo.Context, body []byte) error {
		b, ctx := new(T), c.Request().Context()
		if json.Unmarshal(body, b) != nil {
			return nil // the gate has named what is wrong
		}
		return check(ctx, asked{gate.CallOf(ctx), gate.PathParam(c, "id")}, b)
	}
}

// patched returns the rule of a patch: that of the whole record with the patch.
func patched(
	load func(ctx context.Context, a asked) (record any, err error),
	change func(body []byte) map[string]any, rule bodyRule,
) bodyRule {
	return func(c echo.Context, body []byte) error {
		ctx := c.Request().Context()
		record, err := load(ctx, asked{gate.CallOf(ctx), gate.PathParam(c, "id")})
		if err != nil {
			return err
		}
		whole, err := merged(record, change(body))
		if err != nil {
			return err
		}
		return rule(c, whole)
	}
}

func (h *handlers) documentRules() map[string]bodyRule {
	act := func(action stamp.Action) bodyRule {
		return ruled(func(_ context.Context, _ asked, b *api.TCodeLifecycleActionRequest) error {
			return checkAction(b, action)
		})
	}
	return map[string]bodyRule{
		"createStamp": ruled(func(ctx context.Context, a asked, b *api.TCodeCreateStampRequest) error {
			return h.c.Stamps.Check(ctx, a.Identity, stampRequest(a.Call, b))
		}),
		"replaceStamp": ruled(func(ctx context.Context, a asked, b *api.TCodeReplaceStampRequest) error {
			return h.c.Stamps.CheckReplacement(ctx, a.Identity, a.id, stampReplacement(a.Call, b))
		}),
		"checkDuplicate": ruled(func(_ context.Context, a asked, b *api.TCodeDuplicateCheckRequest) error {
			return stampQuery(a.Identity, b).Check()
		}),
		"suspendStamp": act(stamp.ActionSuspend), "revokeStamp": act(stamp.ActionRevoke), "reactivateStamp": act(stamp.ActionReactivate),
		"issueDocument": ruled(func(ctx context.Context, a asked, b *api.TrustIssuanceRequest) error {
			return h.c.Documents.Check(ctx, a.Identity, issuance(a.Call, b))
		}),
		"replaceDocument": ruled(func(ctx context.Context, a asked, b *api.TrustReplaceRequest) error {
			return h.c.Documents.CheckReplacement(ctx, a.Identity, a.id, documentReplacement(a.Call, b))
		}),
		"resendDocument": ruled(func(ctx context.Context, a asked, b *api.TrustResendRequest) error {
			return h.c.Documents.CheckResend(ctx, a.Identity, a.id, deref(b.RecipientEmail))
		}),
		"checkDocumentDuplicate": ruled(func(_ context.Context, a asked, b *api.TrustDuplicateCheckRequest) error {
			return documentQuery(a.Identity, b).Check()
		}),
		"createTcodeBulkJob": ruled(func(ctx context.Context, a asked, b *api.TCodeBulkJobRequest) error {
			return h.c.Bulk.CheckOrder(ctx, a.Identity, tcodeOrder(b), time.Time{})
		}),
		"createTrustBulkJob": ruled(func(ctx context.Context, _ asked, b *api.TrustBulkJobRequest) error {
			return h.checkTrustBulk(ctx, b)
		}),
	}
}

func (h *handlers) templateRules() map[string]bodyRule {
	place := ruled(func(_ context.Context, _ asked, b *api.TCodePlacementTemplateRequest) error {
		_, err := placementSpec(b)
		return err
	})
	tdoc := ruled(func(ctx context.Context, a asked, b *api.TCodeTdocTemplateRequest) error {
		return h.c.Templates.Check(ctx, a.Identity, a.id, tdocSpec(b))
	})
	trust := ruled(func(ctx context.Context, a asked, b *api.TrustTemplateUpdateRequest) error {
		return h.c.Documents.CheckTemplate(ctx, a.Identity, a.id, trustSpecUpdate(b))
	})
	return map[string]bodyRule{
		"createPlacementTemplate": place,
		"updatePlacementTemplate": place,
		"patchPlacementTemplate": patched(func(ctx context.Context, a asked) (any, error) {
			t, err := h.c.Placements.Get(ctx, a.Identity.Tenant.Reference, a.id)
			return placementRecord(t), err
		}, placementChange, place),
		"previewPlacement": ruled(func(ctx context.Context, a asked, b *api.TCodePlacementPreviewRequest) error {
			req, err := previewRequest(a.Call, b)
			return together(err, h.c.Stamps.CheckPreview(ctx, a.Identity, req))
		}),
		"createTdocTemplate": tdoc,
		"updateTdocTemplate": tdoc,
		"patchTdocTemplate": patched(func(ctx context.Context, a asked) (any, error) {
			t, err := h.c.Templates.Get(ctx, a.Identity.Tenant.Reference, a.id)
			return tdocRecord(t), err
		}, object, tdoc),
		"createTrustTemplate": ruled(func(ctx context.Context, a asked, b *api.TrustTemplateRequest) error {
			return h.c.Documents.CheckTemplate(ctx, a.Identity, "", trustSpec(b))
		}),
		"updateTrustTemplate": trust,
		"patchTrustTemplate": patched(func(ctx context.Context, a asked) (any, error) {
			t, err := h.c.Documents.Template(ctx, a.Identity.Tenant.Reference, a.id)
			return trustTemplateRecord(t), err
		}, object, trust),
	}
}

func (h *handlers) otherRules() map[string]bodyRule {
	return map[string]bodyRule{
		"createApiKey": ruled(func(_ context.Context, a asked, b *api.ApiKeyRequest) error {
			_, err := h.c.Management.CheckKey(keyOptions(a.Call, b))
			return err
		}),
		"rotateApiKey": ruled(func(_ context.Context, _ asked, b *api.ApiKeyRotateRequest) error {
			// A new key has the end that a request names, and the name of the old one.
			_, err := h.c.Management.CheckKey(tenant.KeyOptions{Name: "-", ExpiresAt: deref(b.ExpiresAt)})
			return err
		}),
		"createWebhook": ruled(func(_ context.Context, _ asked, b *api.WebhookRequest) error {
			return h.c.Webhooks.Check(&b.Url, deref(b.Events))
		}),
		"patchWebhook": ruled(func(_ context.Context, _ asked, b *api.WebhookPatch) error {
			return h.c.Webhooks.Check(b.Url, deref(b.Events))
		}),
		"setRetention": ruled(func(_ context.Context, _ asked, b *api.RetentionRequest) error {
			_, err := retention(b)
			return err
		}),
	}
}

// together returns one fault with the fields of all errs, of which some may be nil.
func together(errs ...error) error {
	all := gate.Fields{}
	for _, err := range errs {
		if err == nil {
			continue
		}
		for path, messages := range fault.As(err).Texts() {
			if all[path] == nil {
				all[path] = messages
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return gate.Invalid(all)
}
