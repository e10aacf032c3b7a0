package httpapi

import (
	"context"
	"net/http"

	"tcode/server/fault"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// routes describes operations beyond the contract. An operation without an entry
// needs no entitlement: a tenant may always read, suspend, revoke and delete its
// documents. The transaction of a creating operation checks the plan again.
var routes = map[string]gate.Route{
	"createStamp":                {Admit: needs(tenant.EntitledStamps)},
	"replaceStamp":               {Admit: needs(tenant.EntitledStamps)},
	"checkDuplicate":             {Admit: needs(tenant.EntitledStamps)},
	"createPlacementTemplate":    {Admit: needs(tenant.EntitledTemplates)},
	"updatePlacementTemplate":    {Admit: live(tenant.EntitledTemplates)},
	"patchPlacementTemplate":     {Admit: live(tenant.EntitledTemplates)},
	"deletePlacementTemplate":    {Admit: live()},
	"duplicatePlacementTemplate": {Admit: needs(tenant.EntitledTemplates)},
	"previewPlacement":           {Admit: needs(tenant.EntitledTemplates)},
	"createTdocTemplate":         {Admit: needs(tenant.EntitledTemplates)},
	"updateTdocTemplate":         {Admit: live(tenant.EntitledTemplates)},
	"patchTdocTemplate":          {Admit: live(tenant.EntitledTemplates)},
	"deleteTdocTemplate":         {Admit: live()},
	"archiveTdocTemplate":        {Admit: live()},
	"unarchiveTdocTemplate":      {Admit: live(tenant.EntitledTemplates)},
	"issueDocument":              {Admit: needs(tenant.EntitledTrust)},
	"replaceDocument":            {Admit: needs(tenant.EntitledTrust)},
	"resendDocument":             {Admit: needs(tenant.EntitledTrust)},
	"checkDocumentDuplicate":     {Admit: needs(tenant.EntitledTrust)},
	"createTrustTemplate":        {Admit: needs(tenant.EntitledTrust)},
	"updateTrustTemplate":        {Admit: live(tenant.EntitledTrust)},
	"patchTrustTemplate":         {Admit: live(tenant.EntitledTrust)},
	"deleteTrustTemplate":        {Admit: live()},
	"archiveTrustTemplate":       {Admit: live()},
	"unarchiveTrustTemplate":     {Admit: live(tenant.EntitledTrust)},
	"duplicateTrustTemplate":     {Admit: needs(tenant.EntitledTrust)},
	"placeTrustTemplate":         {Admit: live(tenant.EntitledTrust)},
	"createTcodeBulkJob":         {Admit: needs(tenant.EntitledBulk, tenant.EntitledStamps)},
	"retryTcodeBulkJob":          {Admit: needs(tenant.EntitledBulk, tenant.EntitledStamps)},
	"cancelTcodeBulkJob":         {Free: true},
	"createTrustBulkJob":         {Admit: needs(tenant.EntitledBulk, tenant.EntitledTrust)},
	"retryTrustBulkJob":          {Admit: needs(tenant.EntitledBulk, tenant.EntitledTrust)},
	"cancelTrustBulkJob":         {Free: true},

	"suspendStamp":    {Free: true},
	"revokeStamp":     {Free: true},
	"reactivateStamp": {Free: true},
	"changeDocument":  {Free: true},

	"eraseStamp":    {Free: true, Admit: managing},
	"eraseDocument": {Free: true, Admit: managing},
	"getRetention":  {Admit: managing},
	"setRetention":  {Admit: whole},
	"exportTenant":  {Admit: whole},

	"listStamps":                {CheckQuery: listQuery("Active, Suspended, Revoked", stamp.ParseStatus)},
	"listDocuments":             {CheckQuery: listQuery("Active, Suspended, Revoked, Expired", trustdoc.ParseStatus)},
	"listScans":                 {CheckQuery: spanQuery},
	"listVerifications":         {CheckQuery: spanQuery},
	"listDocumentVerifications": {CheckQuery: spanQuery},

	"listAudit":       {CheckQuery: auditQuery},
	"verifyPublicKey": {CheckQuery: keyQuery, Open: true},

	"getFile":      {RawQuery: true},
	"getTrustTime": {Limit: "times", Open: true}, // so that look-ups keep their own limit
	"syncScans": {Packed: wire.MaxBodyBytes, Counted: true, Yields: true, Begin: func(r *http.Request, h http.Header) {
		echoBatchID(h, r.Header.Get(wire.HeaderBatchID))
	}},

	// Verification, reference data and trust store are also for programs on other web
	// sites. Histories and scans are not: with a key they tell more.
	"verifyByReference":         {Open: true},
	"verifyByHash":              {Open: true},
	"verifyPayload":             {Open: true},
	"getDigitalTwin":            {Open: true},
	"verifyDocumentByReference": {Open: true},
	"verifyDocumentByHash":      {Open: true},
	"listTenants":               {Open: true},
	"listDocumentTypes":         {Open: true},
	"listPublicKeys":            {Open: true},
	"getPublicKey":              {Open: true},
	"getTrustRoot":              {Open: true},
	"getTrustTimestamp":         {Open: true},
	"getTrustPack":              {Open: true},
	"getTrustObject":            {Open: true},

	"healthz": {Probe: true},
	"readyz":  {Probe: true},
}

// needs refuses a tenant whose plan does not include all of list.
func needs(list ...tenant.Entitlement) func(tenant.Identity) error {
	return func(id tenant.Identity) error {
		for _, e := range list {
			if err := id.Tenant.Plan.Require(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// live refuses test keys for operations that change templates: the gateway makes
// live documents from them. All other keys need list.
func live(list ...tenant.Entitlement) func(tenant.Identity) error {
	plan := needs(list...)
	return func(id tenant.Identity) error {
		if id.Test {
			return fault.New(fault.Forbidden, fault.CodeForbidden, "templates are shared with live documents: a test key makes them and changes none").
				WithReason(fault.ReasonTestKey)
		}
		return plan(id)
	}
}

// viewerOf returns the caller of a public route. A key without the scope stamp sees no
// more of its tenant's documents than anyone.
func viewerOf(ctx context.Context) verify.Viewer {
	return viewer(gate.CallOf(ctx).Identity, tenant.ScopeStamp)
}

// historianOf returns the viewer of scans and of the verification history. A tenant
// whose plan does not include history sees no more of its documents than anyone, nor does
// a key without the scope.
func historianOf(ctx context.Context) verify.Viewer {
	id := gate.CallOf(ctx).Identity
	v := viewer(id, tenant.ScopeHistory)
	if !id.Tenant.Plan.Has(tenant.EntitledHistory) {
		v.Tenant = ""
	}
	return v
}

// viewer returns the holder of a key as a viewer, of the tenant only if the key has a
// scope.
func viewer(id tenant.Identity, s tenant.Scope) verify.Viewer {
	v := verify.Viewer{KeyPrefix: id.KeyPrefix, Test: id.Test}
	if id.Has(s) {
		v.Tenant = id.Tenant.Reference
	}
	return v
}
