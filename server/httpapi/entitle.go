package httpapi

import "tcode/server/tenant"

// entitlement is what a plan must open for an operation. Operations that are not
// here need none: what a tenant has made it may always read, suspend, revoke and
// delete. That a creating operation is still within its plan is asked again in
// the transaction that does it.
var entitlement = map[string]tenant.Entitlement{
	"createStamp":                tenant.EntitledStamps,
	"replaceStamp":               tenant.EntitledStamps,
	"checkDuplicate":             tenant.EntitledStamps,
	"createPlacementTemplate":    tenant.EntitledTemplates,
	"updatePlacementTemplate":    tenant.EntitledTemplates,
	"duplicatePlacementTemplate": tenant.EntitledTemplates,
	"createTdocTemplate":         tenant.EntitledTemplates,
	"updateTdocTemplate":         tenant.EntitledTemplates,
	"unarchiveTdocTemplate":      tenant.EntitledTemplates,
}

// entitled refuses an operation that the tenant's plan does not open.
func (c *call) entitled() error {
	return c.identity.Tenant.Plan.Require(entitlement[c.op.id])
}
