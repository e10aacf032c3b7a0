package verify

import (
	"context"
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/sync/wire"
)

// clockSlack is how far a device's clock may be ahead of ours.
const clockSlack = 10 * time.Minute

// judge fills in the verdicts and the finding, and the stamp if there is one.
func (sc *scan) judge(records map[payload.Reference]Record, pasts map[string]Past, now time.Time) {
	row := &sc.row
	r, ok := records[sc.reference]
	if ok = ok && sc.lookup && (sc.core == nil || recordCheck(sc.core, r, true).Status == offline.Pass); ok {
		row.Found, row.Tenant, row.Reference, row.Test = true, r.Stamp.Tenant, r.Stamp.Reference, r.Stamp.Test
		st := r.now(now)
		row.Verdict, sc.status = st.word(), st.shown()
		row.VerdictAtScan = pasts[r.Stamp.ID].at(r, row.Item.ScannedAt).word()
	}
	row.Finding = wire.FindingOf(wire.Judged{
		OfflineVerdict: row.Item.OfflineVerdict, Binding: row.Item.Binding,
		Verdict: string(row.Verdict), VerdictAtScan: string(row.VerdictAtScan), Test: row.Test,
		ClockWasAhead: row.Item.ScannedAt.Sub(now) > clockSlack,
	})
}

// Leading is the verdict of a scan that counts: the worse of the device's and
// ours, in the words that the contract has for stamps.
func Leading(offlineVerdict string, gateway Verdict) Verdict {
	if v := Verdict(wire.Worse(offlineVerdict, string(gateway))); v != Expired {
		return v
	}
	return Revoked
}

// Scans returns one page of a document's scans. Anyone sees verdicts and times;
// where, by whom and what the device said is for the document's tenant. An
// unknown reference has no scans. To a viewer that is not the tenant no scan has
// a finding, so none is listed by one.
func (s *Service) Scans(ctx context.Context, v Viewer, reference string, f ScanFilter) (ScanPage, error) {
	var p fault.Fields
	f.Page, f.PageSize = stamp.CheckPage(&p, f.Page, f.PageSize)
	if !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		p.Add("To", "must be after From")
	}
	if err := p.Err(); err != nil {
		return ScanPage{}, err
	}
	empty := ScanPage{Page: f.Page, PageSize: f.PageSize}
	ref, err := payload.ParseReference(reference)
	if err != nil {
		return empty, nil
	}
	r, err := s.c.Store.RecordByReference(ctx, ref)
	if fault.Is(err, fault.NotFound) {
		return empty, nil
	}
	if err != nil {
		return ScanPage{}, err
	}
	own := v.owns(r.Stamp.Tenant, r.Stamp.Test)
	if !own && f.Finding != "" {
		return empty, nil
	}
	page, err := s.c.Store.Scans(ctx, r.Stamp.Tenant, ref, f)
	if err != nil {
		return ScanPage{}, err
	}
	page.OwnTenant = own
	for i, it := range page.Items {
		if !v.accepts(r.Stamp.Test) {
			it.GatewayVerdict, it.VerdictAtScan = NotFound, NotFound
		}
		it.Verdict = Leading(it.OfflineVerdict, it.GatewayVerdict)
		if !own {
			it = Scan{Verdict: it.Verdict, GatewayVerdict: it.GatewayVerdict, VerifiedAt: it.VerifiedAt}
		}
		page.Items[i] = it
	}
	return page, nil
}
