package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
)

type changeFlags struct {
	Reference string `arg:"" help:"Reference of a stamp (TCR-...) or a document (TRF-...)."`
	Reason    string `help:"Why, for the history." placeholder:"TEXT"`
}

type (
	revokeCmd     struct{ changeFlags }
	suspendCmd    struct{ changeFlags }
	reactivateCmd struct{ changeFlags }
)

// Run revokes.
func (c *revokeCmd) Run(ctx context.Context, a *app) error {
	return c.change(ctx, a, "revoke", "Revoked")
}

// Run suspends.
func (c *suspendCmd) Run(ctx context.Context, a *app) error {
	return c.change(ctx, a, "suspend", "Suspended")
}

// Run reactivates.
func (c *reactivateCmd) Run(ctx context.Context, a *app) error {
	return c.change(ctx, a, "reactivate", "Active")
}

// change moves what the reference names.
func (c *changeFlags) change(ctx context.Context, a *app, action, to string) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	do := changeStamp
	if isDocument(c.Reference) {
		do = changeDocument
	}
	reference, err := do(ctx, cl, c.Reference, action, optional(c.Reason))
	if err != nil {
		return err
	}
	return a.out.Emit(map[string]string{"reference": reference, "status": to}, func(w io.Writer) {
		fmt.Fprintf(w, "✓ %s is %s. Scanners learn it at their next refresh.\n", reference, to)
	})
}

// isDocument tells references of Trust documents from those of stamps.
func isDocument(reference string) bool {
	return len(reference) >= 3 && strings.EqualFold(reference[:3], "TRF")
}

func changeStamp(ctx context.Context, cl *client.ClientWithResponses, reference, action string, reason *string) (string, error) {
	list, err := cl.ListStampsWithResponse(ctx, &client.ListStampsParams{Search: &reference})
	if err := client.Check(err, list); err != nil {
		return "", err
	}
	if len(list.JSON200.Items) != 1 {
		return "", notFound(reference)
	}
	st := list.JSON200.Items[0]
	body := client.TCodeLifecycleActionRequest{Reason: reason}
	var res client.Response
	switch action {
	case "revoke":
		res, err = cl.RevokeStampWithResponse(ctx, st.Id, body)
	case "suspend":
		res, err = cl.SuspendStampWithResponse(ctx, st.Id, body)
	default:
		res, err = cl.ReactivateStampWithResponse(ctx, st.Id, body)
	}
	return st.Reference, client.Check(err, res)
}

func changeDocument(ctx context.Context, cl *client.ClientWithResponses, reference, action string, reason *string) (string, error) {
	list, err := cl.ListDocumentsWithResponse(ctx, &client.ListDocumentsParams{Search: &reference})
	if err := client.Check(err, list); err != nil {
		return "", err
	}
	if len(list.JSON200.Items) != 1 {
		return "", notFound(reference)
	}
	d := list.JSON200.Items[0]
	res, err := cl.ChangeDocumentWithResponse(ctx, d.Id, client.TrustLifecycleRequest{Action: client.TrustLifecycleRequestAction(action), Reason: reason})
	return d.Reference, client.Check(err, res)
}

func notFound(reference string) error {
	return cli.Exit(cli.CodeFailed, fmt.Errorf("%s: this tenant has nothing of that reference", reference))
}
