package main

import (
	"context"
	"fmt"
	"time"

	"tcode/cmd/internal/repaint"
	"tcode/sync/outbox"
)

func (s *story) attacks(ctx context.Context) error {
	s.table.chapter("Offline: forgeries")
	victim, other := s.named("diploma.pdf"), s.named("contract.pdf")
	attacks := []struct {
		name, want string
		make       func() ([]byte, error)
	}{
		{"forged-payload.pdf", "not_found, signature_invalid", func() ([]byte, error) {
			return s.lab.forge(ctx, victim.stamped.pdf, other.pdf)
		}},
		{"altered-payload.png", "not_found, signature_invalid", func() ([]byte, error) {
			return s.lab.alter(ctx, victim.stamped.pdf)
		}},
		{"stamp-pasted-on-another.pdf", "not_found, binding_mismatch", func() ([]byte, error) {
			return s.lab.paste(ctx, victim.stamped.pdf, other.pdf)
		}},
		{"page-repainted-in-the-revision.pdf", "not_found, binding_mismatch", func() ([]byte, error) {
			return repaint.Ground(victim.stamped.pdf, len(victim.pdf))
		}},
		{"changed-after-stamping.pdf", "not_found, binding_mismatch", func() ([]byte, error) {
			return change(victim.stamped.pdf, len(victim.pdf))
		}},
		{"added-to-after-stamping.pdf", "valid, appended", func() ([]byte, error) {
			return append(append([]byte{}, victim.stamped.pdf...), "% a remark after the end\n"...), nil
		}},
	}
	for _, a := range attacks {
		data, err := a.make()
		if err != nil {
			return fmt.Errorf("make %s: %w", a.name, err)
		}
		if err := s.write(a.name, data); err != nil {
			return err
		}
		if err := s.verify(ctx, a.name, "", data, a.want); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) sync(ctx context.Context) error {
	s.table.chapter("The gateway is back: the scan history is sent, once")
	if err := s.gateway.start(ctx); err != nil {
		return err
	}
	before, err := s.dev.Outbox.Counts(ctx)
	if err != nil {
		return err
	}
	up, err := s.dev.Uplink(ctx, "", "")
	if err != nil {
		return err
	}
	report, err := up.FlushNow(ctx)
	if err != nil {
		return err
	}
	s.table.step("scans sent", fmt.Sprintf("%d done, 0 waiting", before.Queued), fmt.Sprintf("%d done, %d waiting", report.Done, before.Queued-report.Done))
	again, err := up.FlushNow(ctx)
	if err != nil {
		return err
	}
	s.table.step("scans sent when asked again", "0", fmt.Sprint(again.Sent))
	return s.gatewayVerdicts(ctx)
}

// gatewayVerdicts shows the gateway's own verdict on each scan. The gateway
// judges the stamp, not the file: the binding is the scanner's task.
func (s *story) gatewayVerdicts(ctx context.Context) error {
	rows, err := s.dev.Outbox.History(ctx, outbox.Filter{Limit: 1000})
	if err != nil {
		return err
	}
	for i := len(rows) - 1; i >= 0; i-- { // in the order of the scans
		row := rows[i]
		want := "valid"
		if row.Scan.Verdict == "not_found" && row.Scan.Binding != "mismatch" {
			want = "not_found"
		}
		s.table.step("gateway on "+row.Scan.Source, want, string(row.Result.Verdict))
	}
	return nil
}

func (s *story) revocation(ctx context.Context) error {
	s.table.chapter("One stamp is revoked; the scanner refreshes and goes offline again")
	revoked, kept := s.named("diploma.pdf"), s.named("contract.pdf")
	if err := s.gateway.revoke(ctx, revoked.id); err != nil {
		return err
	}
	verdict, err := s.gateway.verdict(ctx, revoked.reference)
	if err != nil {
		return err
	}
	s.table.step("gateway on "+revoked.reference, "revoked", verdict)
	if err := s.verify(ctx, revoked.name, "before the refresh", revoked.stamped.pdf, "valid, match"); err != nil {
		return err
	}
	if _, err := s.dev.Refresh(ctx, ""); err != nil {
		return err
	}
	if err := s.gateway.down(); err != nil {
		return err
	}
	if err := s.verify(ctx, revoked.name, "after the refresh", revoked.stamped.pdf, "revoked, revoked"); err != nil {
		return err
	}
	return s.verify(ctx, kept.name, "after the refresh", kept.stamped.pdf, "valid, match")
}

func (s *story) time(ctx context.Context) error {
	s.table.chapter("Time passes without connectivity")
	d := s.named("contract.pdf")
	const day = 24 * time.Hour
	for _, tt := range []struct {
		passed, clock time.Duration
		restart       bool
		how, want     string
	}{
		{2 * day, 2 * day, false, "two days later", "valid, stale, match"},
		{8 * day, 8 * day, false, "eight days later", "unverified, trust_expired"},
		// The gateway's answer about the time counts until the machine restarts.
		{0, -3 * day, false, "with the clock set back three days", "valid, clock_suspect, match"},
		{2 * day, -3 * day, false, "set back three days, two days later", "valid, stale, clock_suspect, match"},
		{0, -3 * day, true, "set back three days, restarted", "unverified, clock_suspect"},
		{0, -time.Hour, true, "set back an hour, restarted", "unverified, clock_suspect"},
	} {
		dev, err := s.later(ctx, tt.passed, tt.clock, tt.restart)
		if err != nil {
			return err
		}
		err = s.verifyOn(ctx, dev, d.name, tt.how, d.stamped.pdf, tt.want)
		if closeErr := dev.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
	}
	return nil
}
