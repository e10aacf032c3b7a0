package server

import (
	"tcode/server/console"
	"tcode/server/console/access"
	"tcode/server/console/frame"
	"tcode/server/console/operator"
	"tcode/server/console/oversight"
	"tcode/server/console/scanners"
	"tcode/server/console/stampdesk"
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
		stampdesk.New(stampdesk.Config{
			Drafts: g.Drafts, Stamps: g.Stamps, Placements: g.Placements, Templates: g.Templates, Types: g.Reference, Files: g.files, Once: g.db,
			Spool: g.spool, MaxFile: g.c.Limits.MaxPDF,
		}),
		access.New(access.Config{Keys: g.Tenants, Webhooks: g.Webhooks}),
		scanners.New(scanners.Config{Devices: g.Verify, Fingerprint: g.Publisher.Fingerprint, PublicURL: g.c.PublicURL}),
		operator.New(operator.Config{State: g.state, Tenants: g.Tenants, Types: g.Reference, Mails: g.Delivery}),
		oversight.New(oversight.Config{Tenants: g.Tenants, Users: g.Accounts}),
	}
}
