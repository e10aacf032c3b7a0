package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/server/store/storetest"
)

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	// The cluster of the tests does without fsync; here it is measured.
	if err := os.Setenv("TCODE_TEST_FSYNC", "on"); err != nil {
		return err
	}
	var rep report
	err = with(ctx, func(h *host) error {
		peer := buildPocketBase(h, o.pocketbase)
		rep.PocketBase = peer.why
		for _, e := range o.engines {
			for _, n := range o.stamps {
				rows, err := measure(ctx, o, e, n, peer, func(format string, args ...any) {
					fmt.Fprintf(progress, "%s %d: %s\n", e, n, fmt.Sprintf(format, args...))
				})
				if err != nil {
					return fmt.Errorf("%s, %d stamps: %w", e, n, err)
				}
				rep.Rows = append(rep.Rows, rows...)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	rep.Bars = bars(rep.Rows)
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", " ")
		return enc.Encode(rep)
	}
	return rep.print(out)
}

// peer is PocketBase's program, or why there is none.
type peer struct{ program, why string }

// buildPocketBase builds the module in folder. Whoever cannot fetch it measures
// the rest.
func buildPocketBase(h *host, folder string) peer {
	if folder == "" {
		return peer{why: "left out"}
	}
	p := peer{program: filepath.Join(h.TempDir(), "pocketbase")}
	cmd := exec.CommandContext(h.ctx, "go", "build", "-C", folder, "-o", p.program, ".") //nolint:gosec // whoever starts this chooses the folder
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if said, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(string(bytes.TrimSpace(said)), "\n")
		return peer{why: fmt.Sprintf("does not build: %v: %s", err, lines[len(lines)-1])}
	}
	return p
}

// measure runs every case on one engine with n stamps.
func measure(ctx context.Context, o options, e storetest.Engine, n int, pb peer, tell func(string, ...any)) (rows []row, err error) {
	err = with(ctx, func(h *host) error {
		begin := time.Now()
		tell("seeding")
		d, err := prepare(h, e, n, o.scans)
		if err != nil {
			return err
		}
		tell("seeded in %.0f s", time.Since(begin).Seconds())
		base := row{Engine: string(e), Stamps: n}
		if slices.Contains(o.only, partLookUps) {
			if rows, err = lookUps(h, o, e, n, d, pb, base); err != nil {
				return err
			}
			tell("look-ups done")
		}
		gateway, err := own(h, roleGateway, d, e, profile(o, e, n, "gateway lists sync")...)
		if err != nil {
			return err
		}
		filters := lists
		if !slices.Contains(o.only, partLists) {
			filters = nil
		}
		for _, filter := range filters {
			r := base
			r.Case = "list " + cmp.Or(strings.ReplaceAll(filter, storetest.Template, "T"), "all")
			turn := o
			turn.duration /= 4
			turn.rounds = max(1, turn.rounds/4)
			more, err := contest(ctx, turn, r, []contender{{gateway, roleGateway, d.list(filter)}})
			if err != nil {
				return err
			}
			rows = append(rows, more...)
		}
		tell("%d lists done", len(filters))
		if !slices.Contains(o.only, partSync) {
			return nil
		}
		if e == storetest.Postgres { // package litedb proves SQLite's settings itself
			on, err := d.count(ctx, `SELECT count(*) FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'on'`)
			if err != nil || on != 3 {
				return errors.Join(err, fmt.Errorf("%d of 3 settings that make commits durable are on", on))
			}
		}
		r, err := ingest(ctx, d, gateway, base)
		rows = append(rows, r)
		return err
	})
	return rows, err
}

// profile has a server write a CPU profile, if there is a folder for it.
func profile(o options, e storetest.Engine, n int, server string) []string {
	if o.profile == "" {
		return nil
	}
	name := fmt.Sprintf("%s-%d-%s.pprof", e, n, strings.ReplaceAll(server, " ", "-"))
	return []string{profileEnv + "=" + filepath.Join(o.profile, name)}
}

// lookUps compares the servers that answer them.
func lookUps(h *host, o options, e storetest.Engine, n int, d *data, pb peer, base row) (rows []row, err error) {
	signed, err := d.signed()
	if err != nil {
		return nil, err
	}
	var byRef, byText []contender
	err = with(h.ctx, func(h *host) error { // ends the servers before other cases begin
		for _, s := range []struct{ name, role string }{{roleGateway, roleGateway}, {roleBare, roleBare}, {bareDefaultGC, roleBare}} {
			env := profile(o, e, n, s.name)
			if s.name == bareDefaultGC {
				env = append(env, "GOGC=100")
			}
			p, err := own(h, s.role, d, e, env...)
			if err != nil {
				return err
			}
			byRef = append(byRef, contender{p, s.name, d.references()})
			byText = append(byText, contender{p, s.name, signed})
		}
		for _, all := range [][]contender{byRef, byText} {
			if err := agree(h.ctx, all[0].process, all[1].process, all[0].load); err != nil {
				return err
			}
		}
		if pb.program != "" {
			p, err := start(h, pocketBase, exec.CommandContext(h.ctx, pb.program, h.TempDir(), strconv.Itoa(n))) //nolint:gosec // built by us
			if err != nil {
				return err
			}
			picks := active(n, o.scans)
			byRef = append(byRef, contender{p, pocketBase, pbLookUps(picks, true)}, contender{p, pocketBase + " " + pbLookUp, pbLookUps(picks, false)})
		}
		base.Case = byReference
		if rows, err = contest(h.ctx, o, base, byRef); err != nil {
			return err
		}
		base.Case = byPayload
		more, err := contest(h.ctx, o, base, byText)
		rows = append(rows, more...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, d.recorded(h.ctx, byText)
}

// recorded checks that each look-up of servers that have ended is in the
// history: a server that forgets some does less than the others.
func (d *data) recorded(ctx context.Context, by []contender) error {
	want := 0
	for _, c := range by {
		want += c.asked
	}
	got, err := d.count(ctx, `SELECT count(*) FROM verifications`)
	if err == nil && got != want {
		err = fmt.Errorf("%d verifications recorded, want %d", got, want)
	}
	return err
}

// ingest syncs one scan of each signed stamp and counts what is stored.
func ingest(ctx context.Context, d *data, gateway *process, r row) (row, error) {
	r.Case, r.Server = syncing, roleGateway
	s, err := syncAll(ctx, gateway, d.payloads)
	if err != nil {
		return r, fmt.Errorf("sync: %w", err)
	}
	r.fill([]sample{s})
	r.Requests, r.PerSecond = len(d.payloads), float64(len(d.payloads))/s.took.Seconds()
	r.CPU = micros(s.cpu) / float64(len(d.payloads))
	stored, err := d.count(ctx, `SELECT count(*) FROM scans WHERE signed = 1 AND verdict = 'valid'`)
	if err != nil {
		return r, err
	}
	if stored != len(d.payloads) {
		return r, fmt.Errorf("%d scans stored, want %d", stored, len(d.payloads))
	}
	memory, err := gateway.rss()
	r.RSS = float64(memory) / (1 << 20)
	return r, err
}
