package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/offline"
	"tcode/offline/cache"
	"tcode/offline/trust"
	"tcode/sync/feed"
	"tcode/sync/wire"
)

type enrolCmd struct {
	Code    string `arg:"" optional:"" help:"Text of an enrolment code, as \"tcode-gateway enrol-code\" shows it: address and fingerprint in one." placeholder:"CODE"`
	Gateway string `help:"Address of the gateway, with or without /v1 at its end." env:"TCODE_GATEWAY" placeholder:"URL"`
	Root    string `help:"Fingerprint the gateway's trust root must have, from a source other than this network. Without it the first root seen is pinned and shown." env:"TCODE_ROOT" placeholder:"FINGERPRINT"`
}

// target is where to enrol and, unless nil, the root that must be there. What
// a code and the flags say of the same thing must be the same.
func (c *enrolCmd) target() (gateway string, want *trust.Fingerprint, err error) {
	if c.Root != "" {
		fp, err := trust.ParseFingerprint(c.Root)
		if err != nil {
			return "", nil, cli.Usage("--root: %w", err)
		}
		want = &fp
	}
	if c.Gateway != "" {
		if gateway, err = wire.BaseURL(c.Gateway); err != nil {
			return "", nil, cli.Usage("--gateway: %w", err)
		}
	}
	if c.Code == "" {
		if gateway == "" {
			return "", nil, cli.Usage("where to enrol is missing: give --gateway URL, or the text of an enrolment code")
		}
		return gateway, want, nil
	}
	at, fp, err := wire.ParseEnrolmentCode(c.Code)
	switch {
	case err != nil:
		return "", nil, cli.Usage("%w", err)
	case gateway != "" && gateway != at:
		return "", nil, cli.Usage("the code is of %s, and --gateway (or TCODE_GATEWAY) says %s", at, gateway)
	case want != nil && *want != fp:
		return "", nil, cli.Usage("the code and --root (or TCODE_ROOT) name different roots: find out which one is the issuer's")
	}
	return at, &fp, nil
}

func (c *enrolCmd) Run(ctx context.Context, a *app) error {
	gateway, want, err := c.target()
	if err != nil {
		return err
	}
	station, err := a.station(ctx, offline.Policy{})
	if err != nil {
		return err
	}
	defer station.Close()
	report, err := station.Enrol(ctx, gateway, want)
	if errors.Is(err, cache.ErrOtherRoot) {
		return fmt.Errorf("%w: this scanner listens to another gateway; use another --home for this one", err)
	}
	if err != nil {
		return err
	}
	view := enrolView{report.Fingerprint.String(), station.ScannerID(), want != nil, viewOf(report)}
	return a.out.Emit(view, func(w io.Writer) {
		fmt.Fprintf(w, "Enrolled as %s\n", view.ScannerID)
		fmt.Fprintf(w, "Trust root %s\n", view.Fingerprint)
		if !view.Checked {
			fmt.Fprintln(w, "This root was pinned because it came first. Compare the fingerprint with what the issuer published,")
			fmt.Fprintln(w, "for example what \"tcode-gateway root show\" prints.")
		}
		view.print(w)
	})
}

type enrolView struct {
	Fingerprint string `json:"fingerprint"`
	ScannerID   string `json:"scannerId"`
	Checked     bool   `json:"fingerprintChecked"`
	refreshView
}

// refreshView is what a refresh brought.
type refreshView struct {
	TrustVersion uint64   `json:"trustVersion"`
	NewRoots     int      `json:"newRoots"`
	Bundle       bool     `json:"bundleChanged"`
	Status       bool     `json:"statusChanged"`
	Shards       []uint16 `json:"shardsChanged"`
	Requests     int      `json:"requests"`
	Bytes        int64    `json:"bytes"`
}

func viewOf(r feed.Report) refreshView {
	v := refreshView{
		NewRoots: r.Changes.Roots, Bundle: r.Changes.Bundle, Status: r.Changes.Status,
		Shards: r.Changes.Shards, Requests: r.Requests, Bytes: r.Bytes,
	}
	if v.Shards == nil {
		v.Shards = []uint16{}
	}
	if r.Timestamp != nil {
		v.TrustVersion = r.Timestamp.Version
	}
	return v
}

func (v refreshView) print(w io.Writer) {
	word := map[bool]string{true: "new", false: "unchanged"}
	fmt.Fprintf(w, "Trust documents: version %d, keys and issuers %s, status %s, %d status shards fetched (%d requests, %d bytes)\n",
		v.TrustVersion, word[v.Bundle], word[v.Status], len(v.Shards), v.Requests, v.Bytes)
}
