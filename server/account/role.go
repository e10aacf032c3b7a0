package account

import "slices"

// Role is the role of a user. The words are in the database.
type Role string

// The roles.
const (
	Owner    Role = "owner"    // of a tenant: everything in it
	Issuer   Role = "issuer"   // of a tenant: its documents
	Viewer   Role = "viewer"   // of a tenant: reads
	Operator Role = "operator" // of the platform; belongs to no tenant
)

// Roles returns all roles, the one with the fewest rights first.
func Roles() []Role { return []Role{Viewer, Issuer, Owner, Operator} }

// OfTenant reports whether users with the role belong to a tenant.
func (r Role) OfTenant() bool { return r == Owner || r == Issuer || r == Viewer }

// Action is something that a user may do in the console.
type Action string

// The actions.
const (
	Self      Action = "self"      // one's own sessions
	See       Action = "see"       // documents, scans and usage of one's tenant
	Issue     Action = "issue"     // make, suspend, revoke and replace documents; templates; bulk jobs
	Integrate Action = "integrate" // API keys and webhooks
	Manage    Action = "manage"    // users, signing keys; retention, erasure and export; the brand
	Audit     Action = "audit"     // the tenant's audit log
	Operate   Action = "operate"   // tenants, plans, roots, the gateway's state
)

// rights is the table of roles and actions. An action that is not in a row is refused.
var rights = map[Role][]Action{
	Viewer:   {Self, See},
	Issuer:   {Self, See, Issue},
	Owner:    {Self, See, Issue, Integrate, Manage, Audit},
	Operator: {Self, Operate},
}

// May reports whether the role permits the action. An unknown role permits nothing.
func (r Role) May(a Action) bool { return slices.Contains(rights[r], a) }
