package server

import (
	"tcode/server/console"
	"tcode/server/console/access"
	"tcode/server/console/bulkdesk"
	"tcode/server/console/dashboard"
	"tcode/server/console/frame"
	"tcode/server/console/oversight"
)

// Console returns the screens of the management console. A new area of screens is a line
// of areas.
func (g *Gateway) Console() (*frame.Frame, error) {
	return console.Frame(console.Config{
		Config:   frame.Config{PublicURL: g.c.PublicURL, TrustedProxies: g.c.TrustedProxies, Outage: outage, Now: g.c.Now, Log: g.c.Log},
		Accounts: g.Accounts,
		Areas:    g.areas(),
	})
}

// areas make the screens behind the door. Each package is one area.
func (g *Gateway) areas() []func(*frame.Frame) frame.Area {
	return []func(*frame.Frame) frame.Area{
		dashboard.New(dashboard.Config{Tenants: g.Tenants, Scans: g.Verify, Bulk: g.Bulk, Webhooks: g.Webhooks, Mails: g.Delivery}),
		bulkdesk.New(bulkdesk.Config{
			Bulk: g.Bulk, Templates: g.Templates, Placements: g.Placements, Documents: g.Documents, People: g.Accounts, Spool: g.spool, Draining: g.draining.Load,
		}),
		access.New(access.Config{Keys: g.Tenants, Webhooks: g.Webhooks}),
		oversight.New(oversight.Config{Tenants: g.Tenants, Users: g.Accounts}),
	}
}
