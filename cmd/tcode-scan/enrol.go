package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/offline"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/feed"
	"tcode/sync/transport"
	"tcode/sync/wire"
)

type enrolCmd struct {
	Code    string `arg:"" optional:"" help:"Text of an enrolment code, as \"tcode-gateway enrol-code\" shows it: address and fingerprint in one." placeholder:"CODE"`
	Gateway string `help:"Address of the gateway, with or without /v1 at its end." env:"TCODE_GATEWAY" placeholder:"URL"`
	Root    string `help:"Fingerprint the gateway's trust root must have, from a source other than this network. Without it the first root is pinned and shown." env:"TCODE_ROOT" placeholder:"FINGERPRINT"`
}

// target returns the gateway to enrol with and, unless nil, the root that it
// must have. A code and the flags must agree.
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
			return "", nil, cli.Usage("the gateway is missing: give --gateway URL, or the text of an enrolment code")
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
	dev, err := a.openDevice(ctx, offline.Policy{}, nil)
	if err != nil {
		return err
	}
	defer dev.Close()
	report, err := dev.Enrol(ctx, gateway, want)
	if errors.Is(err, trustbook.ErrOtherRoot) {
		return fmt.Errorf("%w: this scanner trusts another gateway; use another --home for this one", err)
	}
	if errors.Is(err, trust.ErrFingerprint) {
		return cli.WithHint(err, "The server at this address does not have the root with this fingerprint: the address or the code is another gateway's,\n"+
			"or an attacker answers in its place. Nothing was pinned. Ask the issuer for both again.")
	}
	if err != nil {
		return offlineHint(err)
	}
	view := enrolView{report.Fingerprint.String(), dev.ScannerID(), want != nil, viewOf(report)}
	return a.out.Emit(view, func(w io.Writer) {
		fmt.Fprintf(w, "Enrolled as %s\n", view.ScannerID)
		fmt.Fprintf(w, "Trust root %s\n", view.Fingerprint)
		if !view.Checked {
			fmt.Fprintln(w, "This root was pinned because it came first. Compare the fingerprint with what the issuer published,")
			fmt.Fprintln(w, "for example the output of \"tcode-gateway root show\".")
		}
		view.print(w)
	})
}

// offlineHint adds advice for a device without a network, if that is the cause.
func offlineHint(err error) error {
	if !transport.Unanswered(err) {
		return err
	}
	return cli.WithHint(err, `The gateway was not reached. Without a network, take a file from a scanner that has one: "trust export" there, "trust import" here.`)
}

type enrolView struct {
	Fingerprint string `json:"fingerprint"`
	ScannerID   string `json:"scannerId"`
	Checked     bool   `json:"fingerprintChecked"`
	refreshView
}

// A refreshView is the result of a refresh.
type refreshView struct {
	TrustVersion uint64   `json:"trustVersion"`
	NewRoots     int      `json:"newRoots"`
	Bundle       bool     `json:"bundleChanged"`
	Status       bool     `json:"statusChanged"`
	Shards       []uint16 `json:"shardsChanged"`
	// Undone is the number of revocations and compromised keys that this scanner has seen
	// and that the documents lack. It remembers them.
	Undone int `json:"undone,omitempty"`
	// ProvenTime says that the gateway proved the time; null: the documents
	// came from a file.
	ProvenTime *bool `json:"provenTime,omitempty"`
	Requests   int   `json:"requests"`
	Bytes      int64 `json:"bytes"`
}

func viewOf(r feed.Report) refreshView {
	v := refreshView{
		NewRoots: r.Changes.Roots, Bundle: r.Changes.Bundle, Status: r.Changes.Status,
		Shards: r.Changes.Shards, Undone: r.Changes.Undone, Requests: r.Requests, Bytes: r.Bytes,
	}
	proven := !r.Proof.Time.IsZero()
	v.ProvenTime = &proven
	if v.Shards == nil {
		v.Shards = []uint16{}
	}
	if r.Timestamp != nil {
		v.TrustVersion = r.Timestamp.Version
	}
	return v
}

func (v refreshView) print(w io.Writer) {
	if v.Undone > 0 {
		fmt.Fprintf(w, "%d revocations or compromised keys that this scanner has seen are missing in them, as after a restore of the gateway. "+
			"This scanner remembers them; tell the operator of the gateway.\n", v.Undone)
	}
	word := map[bool]string{true: "new", false: "unchanged"}
	fmt.Fprintf(w, "Trust documents: version %d, keys and issuers %s, status %s, ", v.TrustVersion, word[v.Bundle], word[v.Status])
	if v.Requests == 0 { // from a file
		fmt.Fprintf(w, "%d new status shards\n", len(v.Shards))
		return
	}
	fmt.Fprintf(w, "%d status shards fetched (%d requests, %d bytes)\n", len(v.Shards), v.Requests, v.Bytes)
	if v.ProvenTime != nil && !*v.ProvenTime {
		fmt.Fprintln(w, "No proof of time came with them, as from a mirror: verdicts use this device's clock.")
	}
}
