package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/tenant"
)

// keyLine is an API key as the commands print it.
type keyLine struct {
	Tenant     string     `json:"tenantReference"`
	Prefix     string     `json:"prefix"`
	Name       string     `json:"name"`
	Scopes     []string   `json:"scopes"`
	Test       bool       `json:"test"`
	State      string     `json:"state"` // active, expired or revoked
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  *time.Time `json:"expiresAt,omitempty"`
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty"`
	LastFrom   string     `json:"lastUsedFrom,omitempty"` // network address
	UsedToday  int64      `json:"usedToday"`              // requests on this UTC day
	RevokedAt  *time.Time `json:"revokedAt,omitempty"`
	Secret     string     `json:"secret,omitempty"` // of key create only
}

func keyLineOf(k tenant.APIKey, now time.Time) keyLine {
	line := keyLine{
		Tenant: k.Tenant, Prefix: k.Prefix, Name: k.Name, Test: k.Test, State: string(k.State(now)), CreatedAt: k.CreatedAt.UTC(),
		ExpiresAt: optionalTime(k.ExpiresAt), LastUsedAt: optionalTime(k.LastUsedAt), RevokedAt: optionalTime(k.RevokedAt),
		LastFrom: k.LastFrom, UsedToday: k.UsedOn(tenant.DayOf(now)),
	}
	for _, s := range k.Scopes {
		line.Scopes = append(line.Scopes, string(s))
	}
	return line
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

type keyCreateCmd struct {
	Tenant  string   `help:"The key's tenant." required:"" placeholder:"REF"`
	Name    string   `help:"Purpose of the key, to tell it from others." required:"" placeholder:"NAME"`
	Expires string   `help:"Lifetime of the key, such as 90d or 12h. Default: it does not expire." placeholder:"DURATION"`
	Scopes  []string `name:"scope" help:"What the key opens: stamp, verify-history, manage. Give it several times, or separate them by commas. Default: stamp,verify-history." placeholder:"SCOPE"`
	Test    bool     `help:"Make a tck_test_ key: everything that it stamps is marked as a test document. It cannot have the scope manage."`
}

// Run makes the key.
func (k *keyCreateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	opt := tenant.KeyOptions{Name: k.Name, Test: k.Test}
	for _, word := range k.Scopes {
		scope, ok := tenant.ParseScope(word)
		if !ok {
			return cli.Usage("--scope %s: want one of %v", word, tenant.Scopes())
		}
		opt.Scopes = append(opt.Scopes, scope)
	}
	if k.Expires != "" {
		life, err := parseLife(k.Expires)
		if err != nil {
			return cli.Usage("--expires %s: %v", k.Expires, err)
		}
		opt.ExpiresAt = time.Now().Add(life)
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		made, err := g.Tenants.CreateKey(ctx, k.Tenant, opt)
		if err != nil {
			return err
		}
		line := keyLineOf(made.APIKey, time.Now())
		line.Secret = made.Secret
		return out.Emit(line, func(w io.Writer) {
			fmt.Fprintln(w, made.Secret)
			fmt.Fprintln(std.Err, "This is the only time the key is shown. Send it in the x-api-key header.")
		})
	})
}

// parseLife reads a duration that may also be in days.
func parseLife(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > 36500 {
			return 0, fmt.Errorf("want a number of days such as 90d")
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("want a duration such as 90d or 12h")
	}
	return d, nil
}

type keyListCmd struct {
	Tenant string `help:"The keys' tenant." required:"" placeholder:"REF"`
}

// Run shows the keys.
func (k *keyListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.Tenants.Keys(ctx, k.Tenant)
		if err != nil {
			return err
		}
		lines := make([]keyLine, 0, len(list))
		for _, key := range list {
			lines = append(lines, keyLineOf(key, time.Now()))
		}
		header := []string{"prefix", "state", "kind", "may", "created", "expires", "last used", "name"}
		return cli.List(out, lines, "no keys yet: tcode-gateway key create --tenant "+k.Tenant+" --name ...", header,
			func(l keyLine) []string {
				kind := "live"
				if l.Test {
					kind = "test"
				}
				return []string{l.Prefix, l.State, kind, strings.Join(l.Scopes, ","), day(l.CreatedAt), dayOf(l.ExpiresAt), dayOf(l.LastUsedAt), l.Name}
			})
	})
}

func dayOf(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return day(*t)
}

type keyRevokeCmd struct {
	Prefix string `arg:"" help:"The key's visible prefix, 8 characters." placeholder:"PREFIX"`
}

// Run revokes the key.
func (k *keyRevokeCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		found, err := g.Tenants.Left(ctx, "", k.Prefix)
		if err == nil {
			err = g.Tenants.RevokeKey(ctx, "", k.Prefix)
		}
		if err != nil {
			return err
		}
		left := leftLines(found)
		return out.Emit(map[string]any{"prefix": k.Prefix, "state": "revoked", "left": left}, func(w io.Writer) {
			fmt.Fprintf(w, "%s is revoked\n", k.Prefix)
			printLeft(w, left)
		})
	})
}
