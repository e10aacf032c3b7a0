package httpapi

import (
	"context"
	"encoding/json"
	"slices"

	"tcode/server/fault"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/tenant"
)

// PatchPlacementTemplate changes some members of a placement template.
func (h *handlers) PatchPlacementTemplate(ctx context.Context, r PatchPlacementTemplateRequestObject) (PatchPlacementTemplateResponseObject, error) {
	id, who := r.Id.String(), gate.CallOf(ctx).Identity
	load := func() (any, int64, error) {
		t, err := h.c.Placements.Get(ctx, who.Tenant.Reference, id)
		return placementRecord(t), t.Version, err
	}
	return patch(r.Params.IfMatch, load, placementChange(gate.CallOf(ctx).Body), func(b *api.TCodePlacementTemplateRequest, from []int64) (PatchPlacementTemplateResponseObject, error) {
		spec, err := placementSpec(b)
		if err != nil {
			return nil, err
		}
		t, err := h.c.Placements.Update(ctx, who, id, from, spec)
		return PatchPlacementTemplate200JSONResponse{placementFound(t)}, err
	})
}

// placementChange returns a patch of a placement template under the names of its
// record.
func placementChange(body []byte) map[string]any {
	change := object(body)
	for other, name := range map[string]string{"positionX": "xNorm", "positionY": "yNorm", "width": "wNorm", "height": "hNorm"} {
		// A patch with both names keeps both, which is an error.
		if _, both := change[name]; !both && change[other] != nil {
			change[name] = change[other]
			delete(change, other)
		}
	}
	_, scope := change["pageScope"]
	_, custom := change["customPages"]
	switch {
	case change["page"] != nil && !scope && !custom:
		change["pageScope"], change["customPages"] = nil, nil
	case scope && !custom: // the pages of another scope
		change["customPages"] = nil
	}
	return change
}

// PatchTdocTemplate changes some members of a TDoc template.
func (h *handlers) PatchTdocTemplate(ctx context.Context, r PatchTdocTemplateRequestObject) (PatchTdocTemplateResponseObject, error) {
	id, who := r.Id.String(), gate.CallOf(ctx).Identity
	load := func() (any, int64, error) {
		t, err := h.c.Templates.Get(ctx, who.Tenant.Reference, id)
		return tdocRecord(t), t.Version, err
	}
	return patch(r.Params.IfMatch, load, object(gate.CallOf(ctx).Body), func(b *api.TCodeTdocTemplateRequest, from []int64) (PatchTdocTemplateResponseObject, error) {
		t, err := h.c.Templates.Update(ctx, who, id, from, tdocSpec(b))
		return PatchTdocTemplate200JSONResponse{tdocFound(t)}, err
	})
}

// PatchTrustTemplate changes some members of a Trust template.
func (h *handlers) PatchTrustTemplate(ctx context.Context, r PatchTrustTemplateRequestObject) (PatchTrustTemplateResponseObject, error) {
	id, who := r.Id.String(), gate.CallOf(ctx).Identity
	load := func() (any, int64, error) {
		t, err := h.c.Documents.Template(ctx, who.Tenant.Reference, id)
		return trustTemplateRecord(t), t.Version, err
	}
	return patch(r.Params.IfMatch, load, object(gate.CallOf(ctx).Body), func(b *api.TrustTemplateUpdateRequest, from []int64) (PatchTrustTemplateResponseObject, error) {
		t, err := h.c.Documents.UpdateTemplate(ctx, who, id, from, trustSpecUpdate(b))
		return PatchTrustTemplate200JSONResponse{trustTemplateFound(t)}, err
	})
}

// patchTries bounds the tries of a patch that others always precede.
const patchTries = 8

// patch changes a record: load returns it and its version, and put stores it in the
// form of the request T if it has one of some versions still. Without If-Match a patch
// of a record that changes meanwhile is done again.
func patch[T, R any](ifMatch *api.IfMatch, load func() (record any, version int64, err error), change map[string]any, put func(b *T, from []int64) (R, error)) (R, error) {
	var none R
	want := versions(ifMatch)
	for try := 1; ; try++ {
		record, version, err := load()
		if err != nil {
			return none, err
		}
		if want != nil && !slices.Contains(want, version) {
			return none, tenant.Changed("template")
		}
		body := new(T) // members that a request does not have are left out
		whole, err := merged(record, change)
		if err == nil {
			err = json.Unmarshal(whole, body)
		}
		if err != nil {
			return none, err
		}
		out, err := put(body, []int64{version})
		switch {
		case err == nil:
			return out, nil
		case want == nil && try < patchTries && fault.Is(err, fault.Precondition):
			continue
		}
		return none, err
	}
}

// merged returns a record with the members of a merge patch (RFC 7396).
func merged(record any, change map[string]any) ([]byte, error) {
	raw, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	return json.Marshal(merge(object(raw), change))
}

func merge(into, change map[string]any) map[string]any {
	if into == nil {
		into = map[string]any{}
	}
	for name, v := range change {
		inner, isObject := v.(map[string]any)
		switch {
		case v == nil:
			delete(into, name)
		case isObject:
			old, _ := into[name].(map[string]any)
			into[name] = merge(old, inner)
		default:
			into[name] = v
		}
	}
	return into
}

// object decodes an object, which the gate or this package has written or checked.
func object(raw []byte) (m map[string]any) {
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}
