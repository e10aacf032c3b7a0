package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"tcode/cmd/internal/cli"
	"tcode/offline/payload"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

// A subject is a stamp or a Trust document of the tenant.
type subject struct {
	id        uuid.UUID
	reference string
	document  bool
}

// parseReference returns a reference in the gateway's form, and whether it is that of a Trust
// document.
func parseReference(s string) (reference string, document bool, err error) {
	prefix, r, err := payload.ReadReference(s)
	return r.Shown(prefix), prefix == payload.DocumentPrefix, err
}

// find searches for the object of a reference. The gateway's list also matches
// words and the tenant's own ids: neither counts as a reference.
func find(ctx context.Context, cl *client.ClientWithResponses, s string) (subject, error) {
	reference, document, err := parseReference(s)
	if err != nil {
		return subject{}, cli.Usage("%q is not a reference: want one such as TCR-7KQ2M4X9T1C3V5B8 or TRF-7KQ2M4X9T1C3V5B8", s)
	}
	if document {
		list, err := cl.ListDocumentsWithResponse(ctx, &api.ListDocumentsParams{Search: &reference})
		if err := client.Check(err, list); err != nil {
			return subject{}, err
		}
		for _, d := range list.JSON200.Items {
			if d.Reference == reference {
				return subject{d.Id, reference, true}, nil
			}
		}
		return subject{}, notFound(reference)
	}
	list, err := cl.ListStampsWithResponse(ctx, &api.ListStampsParams{Search: &reference})
	if err := client.Check(err, list); err != nil {
		return subject{}, err
	}
	for _, st := range list.JSON200.Items {
		if st.Reference == reference {
			return subject{st.Id, reference, false}, nil
		}
	}
	return subject{}, notFound(reference)
}

func notFound(reference string) error {
	return cli.Exit(cli.CodeFailed, fmt.Errorf("%s: this tenant has no stamp or document with that reference", reference))
}
