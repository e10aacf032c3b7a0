package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/payload"
	"tcode/server"
	"tcode/server/tenant"
)

// signingKeyLine is a signing key as the commands print it.
type signingKeyLine struct {
	Tenant     string     `json:"tenantReference"`
	KeyID      string     `json:"keyId"`
	Seq        uint8      `json:"seq"`
	Algorithm  string     `json:"algorithm"`
	State      string     `json:"state"`
	ValidFrom  time.Time  `json:"validFrom"`
	ValidUntil *time.Time `json:"validUntil,omitempty"`

	CompromisedSince *time.Time `json:"compromisedSince,omitempty"`
	SurvivorList     string     `json:"survivorList,omitempty"` // SHA-256
}

func signingKeyLineOf(k tenant.SigningKey) signingKeyLine {
	return signingKeyLine{
		Tenant: k.Tenant, KeyID: k.ID(), Seq: k.Seq, Algorithm: k.Public.Algorithm().String(),
		State: string(k.State), ValidFrom: k.ValidFrom.UTC(), ValidUntil: optionalTime(k.ValidUntil),
		CompromisedSince: optionalTime(k.CompromisedSince), SurvivorList: k.SurvivorList,
	}
}

type signingKeyListCmd struct {
	Tenant string `help:"The keys' tenant. Default: all." placeholder:"REF"`
}

// Run shows the keys.
func (s *signingKeyListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.Tenants.SigningKeys(ctx, s.Tenant)
		if err != nil {
			return err
		}
		return cli.List(out, linesOf(list, signingKeyLineOf), "no signing keys", []string{"key", "algorithm", "state", "from", "until"},
			func(l signingKeyLine) []string {
				return []string{l.KeyID, l.Algorithm, l.State, day(l.ValidFrom), dayOf(l.ValidUntil)}
			})
	})
}

type signingKeyRotateCmd struct {
	Tenant    string `help:"The key's tenant." required:"" placeholder:"REF"`
	Algorithm string `help:"Ed25519, or ES256 if a standard or a key store requires P-256. Default: Ed25519, in a token ES256." enum:",Ed25519,ES256" default:"" placeholder:"NAME"`
	Announce  string `help:"How long the key is published before it signs, such as 8d. With less than 8d, devices that are offline longer do not know the key when it starts; 0 signs immediately. Default: ${default}." default:"8d" placeholder:"DURATION"`
}

// Run makes the next key.
func (s *signingKeyRotateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	opt := tenant.RotateOptions{Announce: -1}
	if s.Algorithm != "" {
		alg, err := payload.ParseAlgorithm(s.Algorithm)
		if err != nil {
			return cli.Usage("--algorithm %s: want Ed25519 or ES256", s.Algorithm)
		}
		opt.Algorithm = alg
	}
	if s.Announce != "0" {
		announce, err := parseLife(s.Announce)
		if err != nil {
			return cli.Usage("--announce %s: %v, or 0", s.Announce, err)
		}
		opt.Announce = announce
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		key, err := g.Tenants.RotateSigningKey(ctx, s.Tenant, opt)
		if err != nil {
			return err
		}
		return out.Emit(signingKeyLineOf(key), func(w io.Writer) {
			fmt.Fprintf(w, "%s is %s, signs from %s\n", key.ID(), key.State, key.ValidFrom.UTC().Format(time.RFC3339))
		})
	})
}

type signingKeyRetireCmd struct {
	Tenant string `help:"The key's tenant." required:"" placeholder:"REF"`
	Key    int    `help:"The key's sequence number, the part of its id after the hyphen." required:"" placeholder:"SEQ"`
}

// Run retires the key.
func (s *signingKeyRetireCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		key, next, err := g.Tenants.RetireSigningKey(ctx, s.Tenant, s.Key)
		if err != nil {
			return err
		}
		return emitWithNext(out, signingKeyLineOf(key), next, func(w io.Writer) {
			fmt.Fprintf(w, "%s is retired: its stamps stay valid\n", key.ID())
		})
	})
}

type signingKeyCompromiseCmd struct {
	Tenant string `help:"The key's tenant." required:"" placeholder:"REF"`
	Key    int    `help:"The key's sequence number, the part of its id after the hyphen." required:"" placeholder:"SEQ"`
	Since  string `help:"Time from which others may have it, such as 2026-11-20T12:00:00Z; devices show it. Default: now." placeholder:"TIME"`
}

// A compromiseLine is the result of marking a key as compromised.
type compromiseLine struct {
	signingKeyLine
	Survivors int             `json:"survivors"`         // stamps that stay valid
	Omitted   int             `json:"omitted,omitempty"` // oldest stamps, for which the list has no room
	Next      *signingKeyLine `json:"next,omitempty"`
}

// Run marks the key.
func (s *signingKeyCompromiseCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	since, err := parseTime("--since", s.Since)
	if err != nil {
		return err
	}
	if since.IsZero() {
		since = time.Now()
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		done, err := g.Tenants.CompromiseSigningKey(ctx, s.Tenant, s.Key, since)
		if err != nil {
			return err
		}
		line := compromiseLine{signingKeyLine: signingKeyLineOf(done.Key), Survivors: done.Survivors, Omitted: done.Omitted}
		if done.Next != nil {
			next := signingKeyLineOf(*done.Next)
			line.Next = &next
		}
		return out.Emit(line, func(w io.Writer) {
			fmt.Fprintf(w, "%s is compromised since %s; %d stamps stay valid\n",
				line.KeyID, line.CompromisedSince.Format(time.RFC3339), line.Survivors)
			if line.Omitted > 0 {
				fmt.Fprintf(w, "%d older stamps do not fit the survivor list: devices call them unverified\n", line.Omitted)
			}
			if line.Next != nil {
				fmt.Fprintf(w, "%s signs from now on\n", line.Next.KeyID)
			}
		})
	})
}

// emitWithNext prints a key and the key that replaces it, a line each.
func emitWithNext(out cli.Output, line signingKeyLine, next *tenant.SigningKey, text func(io.Writer)) error {
	if err := out.Emit(line, text); err != nil || next == nil {
		return err
	}
	return out.Emit(signingKeyLineOf(*next), func(w io.Writer) { fmt.Fprintf(w, "%s signs from now on\n", next.ID()) })
}
