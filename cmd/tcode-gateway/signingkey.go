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

type signingKeyCmd struct {
	List   signingKeyListCmd   `cmd:"" help:"Show signing keys and what they may be used for."`
	Rotate signingKeyRotateCmd `cmd:"" help:"Make a tenant's next signing key. Stamps of the present one stay good."`
}

// signingKeyLine is a signing key as the commands print it.
type signingKeyLine struct {
	Tenant     string     `json:"tenantReference"`
	KeyID      string     `json:"keyId"`
	Seq        uint8      `json:"seq"`
	Algorithm  string     `json:"algorithm"`
	State      string     `json:"state"`
	ValidFrom  time.Time  `json:"validFrom"`
	ValidUntil *time.Time `json:"validUntil,omitempty"`
}

func signingKeyLineOf(k tenant.SigningKey) signingKeyLine {
	return signingKeyLine{
		Tenant: k.Tenant, KeyID: k.ID(), Seq: k.Seq, Algorithm: k.Public.Algorithm().String(),
		State: string(k.State), ValidFrom: k.ValidFrom.UTC(), ValidUntil: optionalTime(k.ValidUntil),
	}
}

type signingKeyListCmd struct {
	Tenant string `help:"Whose keys. Default: all." placeholder:"REF"`
}

// Run shows the keys.
func (s *signingKeyListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.Tenants.SigningKeys(ctx, s.Tenant)
		if err != nil {
			return err
		}
		lines := make([]signingKeyLine, 0, len(list))
		for _, k := range list {
			lines = append(lines, signingKeyLineOf(k))
		}
		return cli.List(out, lines, "no signing keys", []string{"key", "algorithm", "state", "from", "until"},
			func(l signingKeyLine) []string {
				return []string{l.KeyID, l.Algorithm, l.State, day(l.ValidFrom), dayOf(l.ValidUntil)}
			})
	})
}

type signingKeyRotateCmd struct {
	Tenant    string `help:"Whose key." required:"" placeholder:"REF"`
	Algorithm string `help:"Ed25519, or ES256 where a standard or a key store asks for P-256. Default: ${default}." enum:"Ed25519,ES256" default:"Ed25519" placeholder:"NAME"`
	Announce  string `help:"How long the key is published before it signs, such as 8d. Shorter than 8d, devices that are offline longer do not know it when it starts; 0 signs at once. Default: ${default}." default:"8d" placeholder:"DURATION"`
}

// Run makes the next key.
func (s *signingKeyRotateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	opt := tenant.RotateOptions{Algorithm: payload.Ed25519, Announce: -1}
	if s.Algorithm == payload.ES256.String() {
		opt.Algorithm = payload.ES256
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
