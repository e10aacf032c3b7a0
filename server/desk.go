package server

import (
	"time"

	"tcode/server/account/openid"
	"tcode/server/console"
	"tcode/server/console/access"
	"tcode/server/console/branddesk"
	"tcode/server/console/bulkdesk"
	"tcode/server/console/dashboard"
	"tcode/server/console/frame"
	"tcode/server/console/operator"
	"tcode/server/console/oversight"
	"tcode/server/console/privacydesk"
	"tcode/server/console/records"
	"tcode/server/console/scanners"
	"tcode/server/console/stampdesk"
	"tcode/server/console/team"
	"tcode/server/console/templatedesk"
	"tcode/server/httpapi"
	"tcode/server/issue/stamp"
	"tcode/server/pages"
)

// Console returns the screens of the management console. A new area of screens is a line
// of areas.
func (g *Gateway) Console() (*frame.Frame, error) {
	public, err := pages.New(func() pages.Site { return pages.Site{Console: true} })
	if err != nil {
		return nil, err
	}
	return console.Frame(console.Config{
		Config:    frame.Config{PublicURL: g.c.PublicURL, TrustedProxies: g.c.TrustedProxies, Outage: g.outage, Now: g.c.Now, Log: g.c.Log},
		Accounts:  g.Accounts,
		Providers: openid.New(openid.Config{Now: g.c.Now}),
		Areas:     g.areas(public),
	})
}

// areas make the screens behind the door. Each package is one area; public draws public
// pages.
func (g *Gateway) areas(public *pages.Pages) []func(*frame.Frame) frame.Area {
	return []func(*frame.Frame) frame.Area{
		dashboard.New(dashboard.Config{Tenants: g.Tenants, Scans: g.Verify, Bulk: g.Bulk, Webhooks: g.Webhooks, Mails: g.Delivery}),
		bulkdesk.New(bulkdesk.Config{
			Bulk: g.Bulk, Templates: g.Templates, Placements: g.Placements, Documents: g.Documents, People: g.Accounts, Spool: g.spool, Draining: g.draining.Load,
		}),
		stampdesk.New(stampdesk.Config{
			Drafts: g.Drafts, Stamps: g.Stamps, Placements: g.Placements, Templates: g.Templates, Types: g.Reference, Files: g.files, Once: g.db,
			Spool: g.spool, MaxFile: g.c.Limits.MaxPDF,
		}),
		access.New(access.Config{Keys: g.Tenants, Webhooks: g.Webhooks}),
		scanners.New(scanners.Config{Devices: g.Verify, Fingerprint: g.Publisher.Fingerprint, PublicURL: g.c.PublicURL}),
		operator.New(operator.Config{State: g.state, Tenants: g.Tenants, Types: g.Reference, Mails: g.Delivery, Work: g}),
		oversight.New(oversight.Config{Tenants: g.Tenants, Users: g.Accounts}),
		team.Area(g.Accounts),
		records.New(records.Config{
			Stamps: g.Stamps, Documents: g.Documents, Orders: g.Batches, Verified: g.Verify, Types: g.Reference, Templates: g.Templates, Placements: g.Placements,
			People: g.Accounts, Keys: g.Tenants, Erasures: g.Privacy, Log: g.Tenants, Spool: g.spool, FileURL: g.fileURL, MaxPDF: int64(g.c.Limits.MaxPDF),
		}),
		privacydesk.New(privacydesk.Config{Privacy: g.Privacy, Stamps: g.Stamps, Documents: g.Documents, Log: g.Tenants, People: g.Accounts}),
		branddesk.New(branddesk.Config{Brands: g.Brands, Pages: public, Page: httpapi.PageBrand}),
		templatedesk.New(templatedesk.Config{Trust: g.Documents, TDocs: g.Templates, Placements: g.Placements, Types: g.Reference}),
	}
}

// fileURL returns the signed address of a tenant's file, without a host.
func (g *Gateway) fileURL(tenantRef string, f stamp.File, expires time.Time) string {
	return httpapi.FileURL(g.urls, "", tenantRef, f, expires)
}
