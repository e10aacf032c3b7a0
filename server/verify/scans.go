package verify

import (
	"context"
	"strings"
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/sync/wire"
)

// clockSlack is the largest accepted difference by which a device's clock is ahead.
const clockSlack = 10 * time.Minute

// judge sets the verdicts and the finding, and the stamp if there is one.
func (sc *scan) judge(records map[payload.Reference]Record, pasts map[string]Past, now time.Time) {
	row := &sc.row
	r, ok := records[sc.reference]
	ok = ok && sc.lookup
	sc.erased = ok && r.Stamp.Erased()
	if ok && sc.genuine && (sc.core == nil || recordCheck(sc.core, r, true).Status == offline.Pass) {
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

// stored returns the scan's row. It has nothing personal of an erased record, not even of a forgery
// that names it. The digest is that of the item as it was sent, so a repeat is still a repeat.
func (sc scan) stored() ScanRow {
	row := sc.row
	if sc.erased {
		row.Item = HuskOf(row.Item)
	}
	return row
}

// HuskOf returns an item without what is personal: payload, place and note.
func HuskOf(it wire.Item) wire.Item {
	it.Payload, it.Context = "", wire.Context{}
	return it
}

// Leading returns the verdict of a scan that counts: the worse of the device's and the
// gateway's, in the contract's words for stamps.
func Leading(offlineVerdict string, gateway Verdict) Verdict {
	if v := Verdict(wire.Worse(offlineVerdict, string(gateway))); v != Expired {
		return v
	}
	return Revoked
}

// Scans returns one page of a document's scans. Any viewer sees verdicts and times; only
// the document's tenant sees place, person and the device's verdict. An unknown
// reference has no scans. Other viewers see no finding, so they cannot list scans by
// one.
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
	ref, err := payload.ParseReference(strings.TrimSpace(reference))
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
