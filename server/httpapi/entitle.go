package httpapi

import (
	"context"

	"tcode/server/fault"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// entitlements are what a plan must open for an operation. Operations that are not
// here need none: what a tenant has made it may always read, suspend, revoke and
// delete. That a creating operation is still within its plan is asked again in
// the transaction that does it.
var entitlements = map[string][]tenant.Entitlement{
	"createStamp":                {tenant.EntitledStamps},
	"replaceStamp":               {tenant.EntitledStamps},
	"checkDuplicate":             {tenant.EntitledStamps},
	"createPlacementTemplate":    {tenant.EntitledTemplates},
	"updatePlacementTemplate":    {tenant.EntitledTemplates},
	"duplicatePlacementTemplate": {tenant.EntitledTemplates},
	"previewPlacement":           {tenant.EntitledTemplates},
	"createTdocTemplate":         {tenant.EntitledTemplates},
	"updateTdocTemplate":         {tenant.EntitledTemplates},
	"unarchiveTdocTemplate":      {tenant.EntitledTemplates},
	"issueDocument":              {tenant.EntitledTrust},
	"replaceDocument":            {tenant.EntitledTrust},
	"checkDocumentDuplicate":     {tenant.EntitledTrust},
	"createTrustTemplate":        {tenant.EntitledTrust},
	"updateTrustTemplate":        {tenant.EntitledTrust},
	"duplicateTrustTemplate":     {tenant.EntitledTrust},
	"placeTrustTemplate":         {tenant.EntitledTrust},
	"unarchiveTrustTemplate":     {tenant.EntitledTrust},
	"createTcodeBulkJob":         {tenant.EntitledBulk, tenant.EntitledStamps},
	"retryTcodeBulkJob":          {tenant.EntitledBulk, tenant.EntitledStamps},
	"createTrustBulkJob":         {tenant.EntitledBulk, tenant.EntitledTrust},
	"retryTrustBulkJob":          {tenant.EntitledBulk, tenant.EntitledTrust},
}

// free are operations that no quota stands in the way of.
var free = map[string]bool{"suspendStamp": true, "revokeStamp": true, "reactivateStamp": true, "changeDocument": true, "cancelTcodeBulkJob": true, "cancelTrustBulkJob": true}

// meter counts a request against its tenant's month.
func (a *app) meter(ctx context.Context, c *call) error {
	if !c.op.protected {
		return nil
	}
	return a.c.Keys.CountRequest(ctx, c.identity, free[c.op.id])
}

// shared are operations that change templates: live documents are made from
// them, whichever tenant made them.
var shared = map[string]bool{
	"updatePlacementTemplate": true, "deletePlacementTemplate": true,
	"updateTdocTemplate": true, "deleteTdocTemplate": true, "archiveTdocTemplate": true, "unarchiveTdocTemplate": true,
	"updateTrustTemplate": true, "deleteTrustTemplate": true, "archiveTrustTemplate": true, "unarchiveTrustTemplate": true, "placeTrustTemplate": true,
}

// entitled refuses an operation that is not open to the key, or that the
// tenant's plan does not open.
func (c *call) entitled() error {
	if c.identity.Test && shared[c.op.id] {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "templates are shared with live documents: a test key makes them and changes none").
			WithReason(fault.ReasonTestKey)
	}
	for _, e := range entitlements[c.op.id] {
		if err := c.identity.Tenant.Plan.Require(e); err != nil {
			return err
		}
	}
	return nil
}

// historian is the viewer of scans and of the verification history: to a tenant
// whose plan does not include history, its documents are anyone's there.
func (c *call) historian() verify.Viewer {
	v := c.viewer()
	if !c.identity.Tenant.Plan.Has(tenant.EntitledHistory) {
		v.Tenant = ""
	}
	return v
}
