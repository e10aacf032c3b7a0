package store

import (
	"context"
	"database/sql"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// syncNews is the events of a batch for tenants. An unsigned scan is a claim that any
// client could make, about any device, and causes no event.
type syncNews struct {
	findings  []verify.ScanRow // new scans that have a finding
	conflicts []verify.ScanRow // stored in addition to a first one
	clones    []verify.Clone

	days    dayTally    // new scans
	devices deviceTally // new signed scans
	second  findingTally

	firstAt time.Time // when the device sent its first batch; zero: this is the first
}

// found notes a scan that was stored. Scans of test documents cause no event.
func (n *syncNews) found(r verify.ScanRow) {
	if r.Found && !r.Test {
		n.days.count(r.Tenant, tenant.KindScans, r.ReceivedAt)
	}
	if r.Found && r.Signed {
		n.devices.count(r)
	}
	if r.Signed && r.Found && r.Finding != "" && !r.Test && !r.Quiet {
		n.findings = append(n.findings, r)
		n.second.count(r, r.Finding)
	}
}

// write counts the new scans in a part of the counts, and emits the events.
func (n *syncNews) write(ctx context.Context, tx *sql.Tx, part int) error {
	if err := n.days.write(ctx, tx, part); err != nil {
		return err
	}
	if err := n.devices.write(ctx, tx); err != nil {
		return err
	}
	if err := n.second.write(ctx, tx); err != nil {
		return err
	}
	return n.emit(ctx, tx)
}

func (n *syncNews) emit(ctx context.Context, q queryer) error {
	if err := emitScans(ctx, q, webhook.ScanConflict, n.conflicts); err != nil {
		return err
	}
	if err := emitScans(ctx, q, webhook.ScanFinding, n.findings); err != nil {
		return err
	}
	return emitClones(ctx, q, n.clones)
}

// emitScans sends events about scans of one batch to their tenants, each about its own.
func emitScans(ctx context.Context, q queryer, t webhook.EventType, rows []verify.ScanRow) error {
	of, order := map[string]*webhook.ScanData{}, []string(nil)
	for _, r := range rows {
		if !r.Found || !r.Signed {
			continue
		}
		x := of[r.Tenant]
		if x == nil {
			x = &webhook.ScanData{ScannerID: r.ScannerID, BatchID: r.BatchID}
			of[r.Tenant], order = x, append(order, r.Tenant)
		}
		if x.Count++; x.Count <= webhook.MaxScans {
			x.Scans = append(x.Scans, scanEvent(r))
		}
	}
	for _, tenantRef := range order {
		if err := emit(ctx, q, tenantRef, t, rows[0].ReceivedAt, func() (any, error) { return *of[tenantRef], nil }); err != nil {
			return err
		}
	}
	return nil
}

func scanEvent(r verify.ScanRow) webhook.Scan {
	verdict, atScan := r.Verdict, r.VerdictAtScan
	if r.Test { // a receiver that reads only the verdict must not see it as valid
		verdict, atScan = verify.NotFound, verify.NotFound
	}
	return webhook.Scan{
		ScanID: r.Item.ScanID, Reference: r.Reference.String(), ScannedAt: r.Item.ScannedAt.UTC(),
		Verdict: string(verify.Leading(r.Item.OfflineVerdict, verdict)), GatewayVerdict: string(verdict), VerdictAtScan: string(atScan),
		OfflineVerdict: webhook.OrNull(r.Item.OfflineVerdict), Binding: webhook.OrNull(r.Item.Binding), Finding: webhook.OrNull(string(r.Finding)),
	}
}

// emitClones sends events that two devices seem to have one key, to each tenant about the
// first of its scans that shows it.
func emitClones(ctx context.Context, q queryer, clones []verify.Clone) error {
	told := map[string]bool{}
	for _, c := range clones {
		r := c.Row
		if !r.Found || r.Quiet || told[r.Tenant] {
			continue
		}
		told[r.Tenant] = true
		err := emit(ctx, q, r.Tenant, webhook.DeviceFlagged, r.ReceivedAt, func() (any, error) {
			return webhook.DeviceData{
				ScannerID: r.ScannerID, BatchID: r.BatchID, Reason: string(c.Flag), Seq: r.Item.Seq,
				ScanID: r.Item.ScanID, OtherScanID: webhook.OrNull(c.Other), Reference: r.Reference.String(), ScannedAt: r.Item.ScannedAt.UTC(),
			}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
