package main

import (
	"context"
	"fmt"
	"io"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/tenant"
)

// leftLine is a thing that a key or a user left behind, as the commands print it.
type leftLine struct {
	Kind  tenant.LeftKind `json:"kind"`
	ID    string          `json:"id"`
	Name  string          `json:"name,omitempty"`
	Ended bool            `json:"ended"` // else it stays
}

// leftLines are those of what was found before its author was refused.
func leftLines(found []tenant.Left) []leftLine {
	return linesOf(found, func(l tenant.Left) leftLine { return leftLine{l.Kind, l.ID, l.Name, l.Kind.Ends()} })
}

// leftBy returns what a user would leave behind now; of an operator nothing.
func leftBy(ctx context.Context, g *server.Gateway, u account.User) ([]leftLine, error) {
	if u.Tenant == "" {
		return nil, nil
	}
	found, err := g.Tenants.Left(ctx, u.Tenant, tenant.Identity{User: u.ID}.Author())
	return leftLines(found), err
}

// printLeft prints what ended, and what does not: a person decides on that.
func printLeft(w io.Writer, lines []leftLine) {
	for _, l := range lines {
		word := "stays"
		if l.Ended {
			word = "ended"
		}
		fmt.Fprintf(w, "%s: %s %s", word, l.Kind, l.ID)
		if l.Name != "" {
			fmt.Fprintf(w, " (%s)", l.Name)
		}
		fmt.Fprintln(w)
	}
}
