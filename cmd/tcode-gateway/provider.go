package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/openfile"
	"tcode/server"
	"tcode/server/account"
	"tcode/server/account/openid"
)

// secretVariable holds the secret of the gateway at an OpenID provider, because every user
// of the machine can see a command line.
const secretVariable = "TCODE_OIDC_CLIENT_SECRET"

// maxSecret is the size of a file with a secret in bytes.
const maxSecret = 4 << 10

// providerFlags describe a client of an OpenID provider.
type providerFlags struct {
	ClientID   string `name:"oidc-client-id" help:"Id of this gateway at the OpenID provider." env:"TCODE_OIDC_CLIENT_ID" placeholder:"ID"`
	SecretFile string `name:"oidc-client-secret-file" help:"File with the secret for it. Default: the secret in $$TCODE_OIDC_CLIENT_SECRET; none for a public client." type:"path" env:"TCODE_OIDC_CLIENT_SECRET_FILE" placeholder:"FILE"`
}

// provider returns the provider with an issuer.
func (f providerFlags) provider(ctx context.Context, issuer string) (p account.Provider, err error) {
	if err := openid.CheckIssuer(issuer); err != nil {
		return p, cli.Usage("--oidc-issuer: %v", err)
	}
	if f.ClientID == "" {
		return p, cli.Usage("--oidc-issuer needs --oidc-client-id")
	}
	p = account.Provider{Issuer: issuer, ClientID: f.ClientID, Secret: os.Getenv(secretVariable)}
	if f.SecretFile != "" {
		file, err := openfile.Open(ctx, f.SecretFile)
		if err != nil {
			return p, err
		}
		defer file.Close()
		raw, err := io.ReadAll(io.LimitReader(file, maxSecret))
		if err != nil {
			return p, err
		}
		p.Secret = strings.TrimSpace(string(raw))
	}
	return p, nil
}

// openIDFlags configure the provider of the gateway.
type openIDFlags struct {
	Issuer string `name:"oidc-issuer" help:"OpenID provider at which operators, and users of tenants without a provider of their own, may sign in to the console: its issuer, https://... Register PUBLIC-URL/console/openid/callback there. Needs --public-url. Default: none." env:"TCODE_OIDC_ISSUER" placeholder:"URL"`
	providerFlags
}

// config returns the provider of the flags; it is zero if they name none.
func (f openIDFlags) config(ctx context.Context, publicURL string) (account.Provider, error) {
	switch {
	case f.Issuer == "":
		return account.Provider{}, nil
	case publicURL == "":
		return account.Provider{}, cli.Usage("--oidc-issuer needs --public-url: the provider sends browsers back to it")
	}
	return f.provider(ctx, f.Issuer)
}

type providerSetCmd struct {
	Tenant string `help:"The tenant." required:"" placeholder:"REF"`
	Issuer string `name:"oidc-issuer" help:"Issuer of the OpenID provider, https://..." required:"" placeholder:"URL"`
	providerFlags
}

// Run sets the provider.
func (p *providerSetCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	made, err := p.provider(ctx, p.Issuer)
	if err != nil {
		return err
	}
	made.Tenant = p.Tenant
	return setProvider(ctx, c, std, made)
}

type providerRemoveCmd struct {
	Tenant string `help:"The tenant." required:"" placeholder:"REF"`
}

// Run removes the provider.
func (p *providerRemoveCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return setProvider(ctx, c, std, account.Provider{Tenant: p.Tenant})
}

// setProvider stores the provider of a tenant, and shows it.
func setProvider(ctx context.Context, c *command, std cli.Streams, p account.Provider) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Accounts.SetProvider(ctx, p); err != nil {
			return err
		}
		ref := strings.ToUpper(p.Tenant)
		line := map[string]any{"tenantReference": ref, "issuer": p.Issuer, "clientId": p.ClientID}
		return out.Emit(line, func(w io.Writer) {
			if p.Issuer == "" {
				fmt.Fprintf(w, "Users of %s sign in at no OpenID provider of their own\n", ref)
				return
			}
			fmt.Fprintf(w, "Users of %s sign in at %s, and begin at /console/openid/start/%s\n", ref, p.Issuer, ref)
		})
	})
}
