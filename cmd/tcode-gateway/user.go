package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/account"
	"tcode/sync/wire"
)

// userLine is a user as the commands print it.
type userLine struct {
	Tenant     *string    `json:"tenantReference"` // null: an operator
	Email      string     `json:"email"`
	Name       string     `json:"name"`
	Role       string     `json:"role"`
	State      string     `json:"state"`
	Factor     bool       `json:"secondFactor"`
	CreatedAt  time.Time  `json:"createdAt"`
	SignedInAt *time.Time `json:"signedInAt"`
	Link       string     `json:"link,omitempty"` // of create and reset only
	LinkUntil  *time.Time `json:"linkExpiresAt,omitempty"`
	Left       []leftLine `json:"left,omitempty"` // of disable, role and reset only
}

func userLineOf(u account.User) userLine {
	l := userLine{
		Email: u.Email, Name: u.Name, Role: string(u.Role), State: string(u.State), Factor: len(u.Factor) > 0,
		CreatedAt: u.CreatedAt.UTC(), SignedInAt: optionalTime(u.SignedInAt),
	}
	if u.Tenant != "" {
		l.Tenant = &u.Tenant
	}
	return l
}

// linking holds the flag of commands that print a link.
type linking struct {
	PublicURL string `name:"public-url" help:"Address of the gateway in a browser, as for serve; the link begins with it. Default: ${default}." default:"http://127.0.0.1:8080" env:"TCODE_PUBLIC_URL" placeholder:"URL"`
}

// base returns the beginning of the link.
func (l linking) base() (string, error) {
	base, err := wire.BaseURL(l.PublicURL)
	if err != nil {
		return "", cli.Usage("--public-url: %v", err)
	}
	return strings.TrimSuffix(base, "/v1"), nil
}

// emitLink prints an invitation, and what its user leaves behind; stdout holds only the link.
func emitLink(out cli.Output, std cli.Streams, base string, inv account.Invitation, left []leftLine) error {
	line := userLineOf(inv.User)
	line.Left = left
	line.Link, line.LinkUntil = base+"/console/welcome/"+url.PathEscape(inv.Token), optionalTime(inv.ExpiresAt)
	return out.Emit(line, func(w io.Writer) {
		fmt.Fprintln(w, line.Link)
		fmt.Fprintf(std.Err, "This is the only time the link is shown. It works once, until %s: give it to %s only.\n",
			inv.ExpiresAt.UTC().Format("2006-01-02 15:04 MST"), inv.Email)
		printLeft(std.Err, left)
	})
}

type userCreateCmd struct {
	linking
	Email  string `help:"The person's e-mail address, with which they sign in." required:"" placeholder:"ADDRESS"`
	Name   string `help:"The person's name, for people." placeholder:"NAME"`
	Tenant string `help:"The tenant. Default: none, for a platform operator." placeholder:"REF"`
	Role   string `help:"owner, issuer or viewer of the tenant. Default: owner with --tenant, else operator." placeholder:"ROLE"`
}

// Run makes the user.
func (u *userCreateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	base, err := u.base()
	if err != nil {
		return err
	}
	spec := account.Spec{Tenant: u.Tenant, Email: u.Email, Name: u.Name, Role: account.Role(u.Role)}
	if u.Role == "" {
		if spec.Role = account.Operator; u.Tenant != "" {
			spec.Role = account.Owner
		}
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		made, err := g.Accounts.Create(ctx, spec)
		if err != nil {
			return err
		}
		return emitLink(out, std, base, made, nil)
	})
}

type userListCmd struct {
	Tenant string `help:"Users of this tenant only." placeholder:"REF"`
}

// Run shows the users.
func (u *userListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) (err error) {
		var list []account.User
		if u.Tenant == "" {
			list, err = g.Accounts.AllUsers(ctx)
		} else {
			list, err = g.Accounts.Users(ctx, u.Tenant)
		}
		if err != nil {
			return err
		}
		return cli.List(out, linesOf(list, userLineOf), "no users yet: tcode-gateway user create --email ...",
			[]string{"tenant", "role", "state", "second factor", "signed in", "email", "name"}, func(l userLine) []string {
				tenant, factor := "-", "no"
				if l.Tenant != nil {
					tenant = *l.Tenant
				}
				if l.Factor {
					factor = "yes"
				}
				return []string{tenant, l.Role, l.State, factor, dayOf(l.SignedInAt), l.Email, orDash(l.Name)}
			})
	})
}

// ofUser names one user.
type ofUser struct {
	Email  string  `arg:"" help:"The user's e-mail address." placeholder:"ADDRESS"`
	Tenant *string `help:"The user's tenant, or - for a platform operator. Needed if several users have the address." placeholder:"REF"`
}

// find returns the user.
func (u ofUser) find(ctx context.Context, g *server.Gateway) (account.User, error) {
	switch {
	case u.Tenant == nil:
		return g.Accounts.UserByEmail(ctx, u.Email)
	case *u.Tenant == "-":
		return g.Accounts.UserOf(ctx, "", u.Email)
	}
	return g.Accounts.UserOf(ctx, *u.Tenant, u.Email)
}

// change changes the user, and shows it.
func (u ofUser) change(ctx context.Context, c *command, std cli.Streams, do func(g *server.Gateway, u account.User) error) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		found, err := u.find(ctx, g)
		if err != nil {
			return err
		}
		left, err := leftBy(ctx, g, found)
		if err == nil {
			err = do(g, found)
		}
		if err == nil {
			found, err = g.Accounts.UserOf(ctx, found.Tenant, found.Email)
		}
		if err != nil {
			return err
		}
		line := userLineOf(found)
		if !found.MayIssue() {
			line.Left = left
		}
		return out.Emit(line, func(w io.Writer) {
			fmt.Fprintf(w, "%s is %s, %s\n", found.Email, found.Role, found.State)
			printLeft(w, line.Left)
		})
	})
}

type userDisableCmd struct{ ofUser }

// Run disables the user.
func (u *userDisableCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return u.change(ctx, c, std, func(g *server.Gateway, who account.User) error { return g.Accounts.Disable(ctx, who.Tenant, who.ID) })
}

type userRoleCmd struct {
	ofUser
	Role string `arg:"" help:"owner, issuer or viewer." placeholder:"ROLE"`
}

// Run changes the role.
func (u *userRoleCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return u.change(ctx, c, std, func(g *server.Gateway, who account.User) error {
		return g.Accounts.SetRole(ctx, who.Tenant, who.ID, account.Role(u.Role))
	})
}

type userResetCmd struct {
	ofUser
	linking
}

// Run resets the user.
func (u *userResetCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	base, err := u.base()
	if err != nil {
		return err
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		who, err := u.find(ctx, g)
		if err != nil {
			return err
		}
		left, err := leftBy(ctx, g, who)
		if err != nil {
			return err
		}
		inv, err := g.Accounts.Reset(ctx, who.Tenant, who.ID)
		if err != nil {
			return err
		}
		return emitLink(out, std, base, inv, left)
	})
}

type userRemoveCmd struct{ ofUser }

// Run removes the user.
func (u *userRemoveCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		who, err := u.find(ctx, g)
		if err != nil {
			return err
		}
		left, err := leftBy(ctx, g, who)
		if err == nil {
			err = g.Accounts.Remove(ctx, who.Tenant, who.ID)
		}
		if err != nil {
			return err
		}
		return out.Emit(map[string]any{"email": who.Email, "state": "removed", "left": left}, func(w io.Writer) {
			fmt.Fprintf(w, "%s is removed\n", who.Email)
			printLeft(w, left)
		})
	})
}
