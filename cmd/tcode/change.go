package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type changeFlags struct {
	Reference string `arg:"" help:"Reference of a stamp (TCR-...) or a document (TRF-...)."`
	Reason    string `help:"Reason, for the history." placeholder:"TEXT"`
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

// change changes the status of the stamp or document that the reference names.
func (c *changeFlags) change(ctx context.Context, a *app, action, to string) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	s, err := find(ctx, cl, c.Reference)
	if err != nil {
		return err
	}
	if err := s.change(ctx, cl, action, optional(c.Reason)); err != nil {
		return err
	}
	return a.out.Emit(map[string]string{"reference": s.reference, "status": to}, func(w io.Writer) {
		fmt.Fprintf(w, "✓ %s is %s. Scanners learn it at their next refresh.\n", s.reference, to)
	})
}

func (s subject) change(ctx context.Context, cl *client.ClientWithResponses, action string, reason *string) error {
	body := api.TCodeLifecycleActionRequest{Reason: reason}
	var res client.Response
	var err error
	switch {
	case s.document:
		res, err = cl.ChangeDocumentWithResponse(ctx, s.id, api.TrustLifecycleRequest{Action: api.TrustLifecycleRequestAction(action), Reason: reason})
	case action == "revoke":
		res, err = cl.RevokeStampWithResponse(ctx, s.id, body)
	case action == "suspend":
		res, err = cl.SuspendStampWithResponse(ctx, s.id, body)
	default:
		res, err = cl.ReactivateStampWithResponse(ctx, s.id, body)
	}
	if err := client.Check(err, res); err != nil {
		return err
	}
	if res.StatusCode() != http.StatusNoContent { // only this status means success
		return fmt.Errorf("%w: HTTP status %d", client.ErrNotGateway, res.StatusCode())
	}
	return nil
}

type eraseCmd struct {
	Reference string `arg:"" help:"Reference of a stamp (TCR-...) or a document (TRF-...)."`
	Yes       bool   `help:"Erase: it cannot be undone." required:""`
	Reason    string `help:"Why, for the audit log: asked (the person wants it), unneeded (the purpose is over), withdrawn (consent was), mistaken (the data should not have been taken) or obliged (by law)." enum:",asked,unneeded,withdrawn,mistaken,obliged" default:"" placeholder:"WORD"`
}

// Run erases the personal data of a stamp or document.
func (c *eraseCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	s, err := find(ctx, cl, c.Reference)
	if err != nil {
		return err
	}
	body := api.EraseRequest{}
	if c.Reason != "" {
		why := api.EraseRequestReason(c.Reason)
		body.Reason = &why
	}
	var res client.Response
	if s.document {
		res, err = cl.EraseDocumentWithResponse(ctx, s.id, body)
	} else {
		res, err = cl.EraseStampWithResponse(ctx, s.id, body)
	}
	if err := client.Check(err, res); err != nil {
		return err
	}
	if res.StatusCode() != http.StatusNoContent { // only this status means success
		return fmt.Errorf("%w: HTTP status %d", client.ErrNotGateway, res.StatusCode())
	}
	return a.out.Emit(map[string]string{"reference": s.reference, "state": "erased"}, func(w io.Writer) {
		fmt.Fprintf(w, "✓ %s is erased. Its reference and status are verified as before.\n", s.reference)
	})
}
