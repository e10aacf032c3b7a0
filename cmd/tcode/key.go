package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type (
	keyListCmd   struct{}
	keyCreateCmd struct {
		Name    string   `required:"" help:"Purpose of the key, to tell it from others." placeholder:"NAME"`
		Scope   []string `help:"What the key opens: stamp, verify-history, manage, separated by commas. Default: stamp,verify-history." placeholder:"SCOPES"`
		Expires string   `help:"Lifetime of the key in days, such as 90d. Default: it does not expire." placeholder:"DAYS"`
		Test    bool     `help:"Make a test key: all that it makes is a test document."`
	}
	keyRotateCmd struct {
		Prefix  string `arg:"" help:"The key's visible prefix, 8 characters."`
		Overlap int    `help:"Hours for which the old key still works. Default: ${default}." default:"24" placeholder:"HOURS"`
		Expires string `help:"Lifetime of the new key in days, such as 90d. Default: that of the old key." placeholder:"DAYS"`
	}
	keyRevokeCmd struct {
		Prefix string `arg:"" help:"The key's visible prefix, 8 characters."`
	}
)

// Run lists the keys.
func (c *keyListCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	res, err := cl.ListApiKeysWithResponse(ctx, &api.ListApiKeysParams{})
	if err := client.Check(err, res); err != nil {
		return err
	}
	return cli.List(a.out, res.JSON200.Items, "no keys", []string{"prefix", "state", "may", "expires", "last used", "from", "today", "name"}, func(k api.ApiKey) []string {
		var scopes []string
		for _, s := range k.Scopes {
			scopes = append(scopes, string(s))
		}
		expires := "never"
		if k.ExpiresAt != nil {
			expires = day(*k.ExpiresAt)
		}
		return []string{k.Prefix, string(k.State) + testMark(k.Test), strings.Join(scopes, ","), expires, minute(k.LastUsedAt), orDash(k.LastUsedFrom), fmt.Sprint(k.UsedToday), k.Name}
	})
}

// Run makes a key.
func (c *keyCreateCmd) Run(ctx context.Context, a *app) error {
	body := api.ApiKeyRequest{Name: c.Name}
	var err error
	if body.ExpiresAt, err = lifetime(c.Expires); err != nil {
		return err
	}
	if len(c.Scope) > 0 {
		scopes := make([]api.Scope, len(c.Scope))
		for i, s := range c.Scope {
			scopes[i] = api.Scope(s)
		}
		body.Scopes = &scopes
	}
	if c.Test {
		body.Test = &c.Test
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	res, err := cl.CreateApiKeyWithResponse(ctx, &api.CreateApiKeyParams{IdempotencyKey: onceKey()}, body)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.secretKey(res.JSON201.Data)
}

// secretKey prints a new key: the key alone goes to standard output.
func (a *app) secretKey(k api.NewApiKey) error {
	return a.out.Emit(k, func(w io.Writer) {
		if k.Secret != nil {
			fmt.Fprintln(w, *k.Secret)
		}
		fmt.Fprintln(a.std.Err, "This is the only time the key is shown. Send it in the x-api-key header.")
	})
}

// Run makes the successor of a key.
func (c *keyRotateCmd) Run(ctx context.Context, a *app) error {
	hours := int32(c.Overlap)
	body := api.ApiKeyRotateRequest{OverlapHours: &hours}
	var err error
	if body.ExpiresAt, err = lifetime(c.Expires); err != nil {
		return err
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	res, err := cl.RotateApiKeyWithResponse(ctx, c.Prefix, &api.RotateApiKeyParams{IdempotencyKey: onceKey()}, body)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.secretKey(res.JSON201.Data)
}

// Run ends a key.
func (c *keyRevokeCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	res, err := cl.RevokeApiKeyWithResponse(ctx, c.Prefix)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.done("prefix", c.Prefix, "revoked", "is revoked. Its stamps and documents stay as they are.")
}

// lifetime returns the end of a lifetime that begins now; nil for none.
func lifetime(s string) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	days, err := strconv.Atoi(strings.TrimSuffix(s, "d"))
	if err != nil || days < 1 || days > 36500 {
		return nil, cli.Usage("--expires %q: want a number of days such as 90d", s)
	}
	end := time.Now().UTC().AddDate(0, 0, days)
	return &end, nil
}
