package opstest

import (
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// TestRestoreLater: no restore takes a revocation back. After the backup stamp c is
// revoked, scanner S exports, b is revoked, scanner O sees it, and a stamp is made. The
// restore is confirmed with S alone. O still calls b revoked; O's documents, given after
// the confirmation, make b revoked for all; and the stamp without a record is revoked by
// its payload.
func TestRestoreLater(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		key := r.Tenant("ACME01")
		b, c, back := r.Stamp(key, "b"), r.Stamp(key, "c"), r.Stamp(key, "suspended, then not")
		text := func(id string) string { return string(r.Download(key, id, "payload")) }
		act := func(r *harness.Rig, id, action string) {
			t.Helper()
			r.Want(r.Post(key, "/v1/tcode/stamps/"+id+"/"+action, map[string]any{}), http.StatusNoContent)
		}
		textB, textC := text(b.Id.String()), text(c.Id.String())
		file := filepath.Join(t.TempDir(), "backup.tar")
		m, _, err := r.Admin.Backup(t.Context(), file, server.BackupOptions{Keyset: true})
		must(t, err)
		act(r, c.Id.String(), "revoke")
		s := enrol(t, r, nil)
		exportS := s.export()
		act(r, b.Id.String(), "revoke")
		act(r, back.Id.String(), "suspend")
		o := enrol(t, r, nil)
		exportO := o.export()
		if verdict, _ := o.judge(textB); verdict != offline.Revoked {
			t.Fatalf("b is %s before the restore", verdict)
		}
		lost := r.Stamp(key, "made after the backup")
		textLost := text(lost.Id.String())

		cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Readback: storetest.Readback{}}
		cfg.Data = filepath.Join(t.TempDir(), "data")
		if e == storetest.Postgres {
			cfg.DatabaseURL = storetest.EmptyPostgres(t)
		}
		_, _, err = server.Restore(t.Context(), cfg, file, nil, nil)
		must(t, err)
		g, err := server.Open(t.Context(), cfg)
		must(t, err)
		if _, err := g.RevokeLost(t.Context(), textLost); err == nil {
			t.Error("a lost stamp is revoked before the restore is confirmed")
		}
		report, kinds := confirm(t, g, exportS)
		if !report.Agreed || !slices.Equal(kinds, []string{"lost_revocation"}) {
			t.Fatalf("fsck with S: %+v, %v", report, kinds)
		}
		span := report.Span
		if span == nil || span.From.Before(m.CreatedAt.Truncate(time.Second)) || span.AfterVersion == 0 {
			t.Errorf("span %+v", span)
		}
		must(t, g.Close())

		r2 := harness.StartOn(t, e, func(c *server.Config) {
			c.Data, c.DatabaseURL = cfg.Data, cfg.DatabaseURL
		})
		o.follow(r2)
		o.refresh()
		if verdict, _ := o.judge(textB); verdict != offline.Revoked {
			t.Errorf("O calls b %s after the restore", verdict)
		}
		fresh := enrol(t, r2, nil)
		fresh.refresh()
		for text, want := range map[string]offline.Verdict{
			textB: offline.Valid, textC: offline.Revoked, textLost: offline.Valid,
		} {
			if verdict, _ := fresh.judge(text); verdict != want {
				t.Errorf("with S alone: %s, want %s", verdict, want)
			}
		}
		// What the issuer has done since the restore counts.
		act(r2, back.Id.String(), "suspend")
		act(r2, back.Id.String(), "reactivate")
		later := server.FsckOptions{Trust: readers(exportS, exportO), Apply: true}
		report, kinds = fsck(t, r2.Admin, later)
		if report.Fixed != 1 || !slices.Equal(kinds, []string{"lost_revocation"}) {
			t.Errorf("fsck with O, later: %+v, %v", report, kinds)
		}
		twice := server.FsckOptions{UncoveredSince: m.CreatedAt}
		if _, err := r2.Admin.Fsck(t.Context(), twice, func(store.Problem) {}); !errors.Is(err, server.ErrConfirmed) {
			t.Errorf("confirmed twice: %v", err)
		}
		revokeLost(t, r2.Admin, lost.Reference, textLost, textB)
		fresh.refresh()
		for _, text := range []string{textB, textC, textLost} {
			if verdict, _ := fresh.judge(text); verdict != offline.Revoked {
				t.Errorf("in the end: %s, want revoked", verdict)
			}
		}
	})
}

// revokeLost revokes the stamp without a record, and no others.
func revokeLost(t *testing.T, g *server.Gateway, reference, text, recorded string) {
	t.Helper()
	if _, err := g.RevokeLost(t.Context(), recorded); !errors.Is(err, server.ErrHasRecord) {
		t.Errorf("a stamp with a record: %v", err)
	}
	if _, err := g.RevokeLost(t.Context(), reference); !errors.Is(err, server.ErrNoPayload) {
		t.Errorf("a reference without a scan: %v", err)
	}
	raw, err := payload.DecodeText(text)
	must(t, err)
	raw[len(raw)-1] ^= 1
	_, err = g.RevokeLost(t.Context(), payload.EncodeText(raw))
	if !errors.Is(err, server.ErrForeignPayload) {
		t.Errorf("a forged payload: %v", err)
	}
	for again := range 2 {
		st, err := g.RevokeLost(t.Context(), text)
		if err != nil || st.Again != (again == 1) || st.Reference.String() != reference {
			t.Errorf("RevokeLost = %+v, %v", st, err)
		}
	}
}
