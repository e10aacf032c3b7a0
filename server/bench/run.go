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
	// The tests' cluster runs without fsync; the bench measures with it.
	if err := os.Setenv("TCODE_TEST_FSYNC", "on"); err != nil {
		return err
	}
	var rep report
	err = with(ctx, func(h *host) error {
		if slices.Contains(o.only, partBulk) {
			if err := rep.bulk(h, o, progress); err != nil {
				return err
			}
		}
		if slices.Contains(o.only, partFleet) {
			rows, err := fleets(ctx, o, func(format string, args ...any) { fmt.Fprintf(progress, format+"\n", args...) })
			if rep.Fleet = rows; err != nil {
				return err
			}
		}
		if slices.Contains(o.only, partDay) {
			r, err := playDay(ctx, o, func(format string, args ...any) { fmt.Fprintf(progress, "day: "+format+"\n", args...) })
			if rep.Day = &r; err != nil {
				return err
			}
		}
		if !slices.ContainsFunc(o.only, func(part string) bool { return part != partBulk && part != partFleet && part != partDay }) {
			return nil
		}
		peer := buildPocketBase(h, o.pocketbase)
		rep.PocketBase = peer.why
		for _, e := range o.engines {
			rows, err := measure(ctx, o, e, peer, func(format string, args ...any) {
				fmt.Fprintf(progress, "%s: %s\n", e, fmt.Sprintf(format, args...))
			})
			if err != nil {
				return fmt.Errorf("%s: %w", e, err)
			}
			rep.Rows = append(rep.Rows, rows...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	rep.Bars = slices.Concat(bars(rep.Rows), bulkBars(rep.Bulk), fleetBars(rep.Fleet), dayBars(rep.Day))
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", " ")
		return enc.Encode(rep)
	}
	return rep.print(out)
}

// bulk measures bulk jobs on all engines.
func (rep *report) bulk(h *host, o options, progress io.Writer) error {
	program, err := buildGateway(h)
	if err != nil {
		return err
	}
	for _, e := range o.engines {
		rows, err := bulkJobs(h.ctx, o, e, program, func(format string, args ...any) {
			fmt.Fprintf(progress, "%s: %s\n", e, fmt.Sprintf(format, args...))
		})
		if err != nil {
			return fmt.Errorf("%s, bulk: %w", e, err)
		}
		rep.Bulk = append(rep.Bulk, rows...)
	}
	return nil
}

// peer is PocketBase's program, or the reason why there is none.
type peer struct{ program, why string }

// buildPocketBase builds the module in folder. If that fails, the bench measures the
// rest.
func buildPocketBase(h *host, folder string) peer {
	if folder == "" {
		return peer{why: "left out"}
	}
	p := peer{program: filepath.Join(h.TempDir(), "pocketbase")}
	cmd := exec.CommandContext(h.ctx, "go", "build", "-C", folder, "-o", p.program, ".") //nolint:gosec // the user who starts this chooses the folder
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if said, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(string(bytes.TrimSpace(said)), "\n")
		return peer{why: fmt.Sprintf("does not build: %v: %s", err, lines[len(lines)-1])}
	}
	return p
}

// A scale is a database with a number of stamps.
type scale struct {
	stamps int
	*data
}

// measure runs every case on one engine. The scales also take turns, so that other load on
// the machine affects the large and the small database equally.
func measure(ctx context.Context, o options, e storetest.Engine, pb peer, tell func(string, ...any)) (rows []row, err error) {
	err = with(ctx, func(h *host) error {
		var scales []scale
		for _, n := range o.stamps {
			begin := time.Now()
			tell("seeding %d", n)
			d, err := prepare(h, e, n, o.scans)
			if err != nil {
				return fmt.Errorf("%d stamps: %w", n, err)
			}
			tell("seeded in %.0f s", time.Since(begin).Seconds())
			scales = append(scales, scale{n, d})
		}
		if slices.Contains(o.only, partLookUps) {
			if rows, err = lookUps(h, o, e, scales, pb); err != nil {
				return err
			}
			tell("look-ups done")
		}
		var gateways []*process
		for _, s := range scales {
			p, err := own(h, roleGateway, s.data, e, profile(o, e, s.stamps, "gateway lists sync")...)
			if err != nil {
				return err
			}
			gateways = append(gateways, p)
		}
		if slices.Contains(o.only, partLists) {
			more, err := listing(ctx, o, e, scales, gateways)
			if err != nil {
				return err
			}
			rows = append(rows, more...)
			tell("%d lists done", len(lists))
		}
		if slices.Contains(o.only, partSync) {
			more, err := syncs(ctx, e, scales, gateways)
			rows = append(rows, more...)
			if err != nil {
				return err
			}
		}
		if !slices.Contains(o.only, partPublish) {
			return nil
		}
		more, err := publications(ctx, e, scales, gateways)
		rows = append(rows, more...)
		return err
	})
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.Stamps, b.Stamps) })
	return rows, err
}

// listing requests the first page of each list from the gateways of all scales.
func listing(ctx context.Context, o options, e storetest.Engine, scales []scale, gateways []*process) (rows []row, err error) {
	o.duration /= 2
	o.rounds = (o.rounds + 1) / 2
	for _, filter := range lists {
		var in []contender
		for i, s := range scales {
			in = append(in, contender{gateways[i], roleGateway, s.stamps, s.list(filter)})
		}
		r := row{Engine: string(e), Case: "list " + cmp.Or(strings.ReplaceAll(filter, storetest.Template, "T"), "all")}
		more, err := contest(ctx, o, r, in)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// syncs sends scans to the gateway of each scale in turn.
func syncs(ctx context.Context, e storetest.Engine, scales []scale, gateways []*process) (rows []row, err error) {
	for i, s := range scales {
		if e == storetest.Postgres { // package litedb tests SQLite's settings itself
			on, err := s.count(ctx, `SELECT count(*) FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'on'`)
			if err != nil || on != 3 {
				return rows, errors.Join(err, fmt.Errorf("%d of 3 settings that make commits durable are on", on))
			}
		}
		r, err := ingest(ctx, s.data, gateways[i], row{Engine: string(e), Stamps: s.stamps})
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// profile returns the environment for a server that writes a CPU profile, if there is a folder for it.
func profile(o options, e storetest.Engine, n int, server string) []string {
	if o.profile == "" {
		return nil
	}
	name := fmt.Sprintf("%s-%d-%s.pprof", e, n, strings.ReplaceAll(server, " ", "-"))
	return []string{profileEnv + "=" + filepath.Join(o.profile, name)}
}

// lookUps compares the servers for look-ups, at every scale.
func lookUps(h *host, o options, e storetest.Engine, scales []scale, pb peer) (rows []row, err error) {
	var byRef, byText []contender
	err = with(h.ctx, func(h *host) error { // this ends the servers before other cases begin
		for _, s := range scales {
			signed, err := s.signed()
			if err != nil {
				return err
			}
			first := len(byRef)
			for _, who := range []struct{ name, role string }{{roleGateway, roleGateway}, {roleBare, roleBare}, {bareDefaultGC, roleBare}} {
				env := profile(o, e, s.stamps, who.name)
				if who.name == bareDefaultGC {
					env = append(env, "GOGC=100")
				}
				p, err := own(h, who.role, s.data, e, env...)
				if err != nil {
					return err
				}
				byRef = append(byRef, contender{p, who.name, s.stamps, s.references()})
				byText = append(byText, contender{p, who.name, s.stamps, signed})
			}
			for _, all := range [][]contender{byRef[first:], byText[len(byText)-3:]} {
				if err := agree(h.ctx, all[0].process, all[1].process, all[0].load); err != nil {
					return err
				}
			}
			more, err := pb.contenders(h, s.stamps, o.scans)
			if err != nil {
				return err
			}
			byRef = append(byRef, more...)
		}
		if rows, err = contest(h.ctx, o, row{Engine: string(e), Case: byReference}, byRef); err != nil {
			return err
		}
		more, err := contest(h.ctx, o, row{Engine: string(e), Case: byPayload}, byText)
		rows = append(rows, more...)
		return err
	})
	for _, s := range scales {
		if err == nil {
			err = s.recorded(h.ctx, byText)
		}
	}
	return rows, err
}

// contenders starts PocketBase with n stamps, if there is one.
func (pb peer) contenders(h *host, n, scans int) ([]contender, error) {
	if pb.program == "" {
		return nil, nil
	}
	p, err := start(h, pocketBase, exec.CommandContext(h.ctx, pb.program, h.TempDir(), strconv.Itoa(n))) //nolint:gosec // built by us
	if err != nil {
		return nil, err
	}
	picks := active(n, scans)
	return []contender{
		{p, pocketBase, n, pbLookUps(picks, true)},
		{p, pocketBase + " " + pbLookUp, n, pbLookUps(picks, false)},
	}, nil
}

// recorded checks that each look-up is in the history after the servers have ended: a
// server that loses some does less work than the others.
func (s scale) recorded(ctx context.Context, by []contender) error {
	want := 0
	for _, c := range by {
		if c.stamps == s.stamps {
			want += c.asked
		}
	}
	got, err := s.count(ctx, `SELECT count(*) FROM verifications`)
	if err == nil && got != want {
		err = fmt.Errorf("%d verifications recorded, want %d", got, want)
	}
	return err
}

// ingest syncs one scan of each signed stamp and counts the stored scans.
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
