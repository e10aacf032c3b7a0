package server

import (
	"context"
	"runtime"
	"runtime/debug"

	"tcode/server/console/operator"
	"tcode/server/tenant"
)

// The actions of maintenance in the audit log.
const (
	ActionBackup = "gateway.backup"
	ActionFsck   = "gateway.fsck"
)

// Record notes finished maintenance in the audit log, by which operators see in the console
// when it last took place. detail has pairs of name and value.
func (g *Gateway) Record(ctx context.Context, action string, detail ...string) error {
	e := tenant.NewEntry(ctx, "", action, "gateway", g.c.Now().UTC())
	for i := 0; i+1 < len(detail); i += 2 {
		e.With(detail[i], detail[i+1])
	}
	return g.db.Record(ctx, e)
}

// state returns the state of the gateway for operators.
func (g *Gateway) state(ctx context.Context) (st operator.State, err error) {
	head, err := g.db.Head(ctx)
	if err != nil {
		return st, err
	}
	st.Waiting, st.PublishedAt, st.Expires = head.Wanted-head.Published, head.At, head.Bundle.Expires
	if head.Status.Expires.Before(st.Expires) {
		st.Expires = head.Status.Expires
	}
	a, err := g.Publisher.Authority(ctx)
	if err != nil {
		return st, err
	}
	st.RootVersion, st.RootExpires, st.RootKeys, st.RootThreshold, st.RootAlone = a.Root.Version, a.Root.Expires, len(a.Root.Keys), a.Root.Threshold, a.Alone()
	st.OnlineHeld, st.Fingerprint = a.OnlineHeld, g.Publisher.Fingerprint().String()
	if st.Mails, err = g.Delivery.Waiting(ctx); err != nil {
		return st, err
	}
	st.MailsConfigured = g.Delivery.Configured()
	if st.Backup, err = g.lastRun(ctx, ActionBackup); err != nil {
		return st, err
	}
	if st.Fsck, err = g.lastRun(ctx, ActionFsck); err != nil {
		return st, err
	}
	st.Version, st.Go, st.Started = version(), runtime.Version(), g.started
	if st.Database = "SQLite"; g.c.DatabaseURL != "" {
		st.Database = "PostgreSQL"
	}
	return st, nil
}

// lastRun returns the last run of maintenance on record.
func (g *Gateway) lastRun(ctx context.Context, action string) (operator.Run, error) {
	rows, err := g.Tenants.Audit(ctx, tenant.AuditFilter{Action: action, Limit: 1})
	if err != nil || len(rows) == 0 {
		return operator.Run{}, err
	}
	return operator.Run{At: rows[0].At, Detail: rows[0].Detail}, nil
}

// version returns the version of the program, or the revision that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return info.Main.Version
}
