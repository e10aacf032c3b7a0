package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/refdata"
)

type documentTypeCmd struct {
	Add    documentTypeAddCmd    `cmd:"" help:"Add a document type, or change its names."`
	List   documentTypeListCmd   `cmd:"" help:"Show the document types in use."`
	Retire documentTypeRetireCmd `cmd:"" help:"Refuse a document type for new stamps. Scanners keep its name for stamps that bear it."`
}

// documentTypeLine is a document type as the commands print it.
type documentTypeLine struct {
	Code  string            `json:"code"`
	Names map[string]string `json:"names"`
}

type documentTypeAddCmd struct {
	Code  string            `arg:"" help:"3 characters of A-Z and 0-9: the DK field of payloads." placeholder:"CODE"`
	Names map[string]string `name:"name" help:"A name by language, such as en=Diploma. English is needed; may be repeated." required:"" placeholder:"LANG=NAME" mapsep:"none"`
}

// Run adds the document type.
func (d *documentTypeAddCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	code := strings.ToUpper(d.Code)
	return c.withNew(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Reference.AddDocumentType(ctx, refdata.DocumentType{Code: code, Names: d.Names}); err != nil {
			return err
		}
		return out.Emit(documentTypeLine{code, d.Names}, func(w io.Writer) {
			fmt.Fprintf(w, "%s  %s\n", code, namesText(d.Names))
		})
	})
}

type documentTypeListCmd struct{}

// Run shows the document types.
func (*documentTypeListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.Reference.DocumentTypes(ctx)
		if err != nil {
			return err
		}
		lines := make([]documentTypeLine, 0, len(list))
		for _, d := range list {
			lines = append(lines, documentTypeLine{d.Code, d.Names})
		}
		return cli.List(out, lines, "no document types", []string{"code", "names"},
			func(l documentTypeLine) []string { return []string{l.Code, namesText(l.Names)} })
	})
}

// namesText shows names in a fixed order.
func namesText(names map[string]string) string {
	var parts []string
	for _, lang := range sortedKeys(names) {
		parts = append(parts, lang+"="+names[lang])
	}
	return strings.Join(parts, ", ")
}

type documentTypeRetireCmd struct {
	Code string `arg:"" help:"The document type." placeholder:"CODE"`
}

// Run retires the document type.
func (d *documentTypeRetireCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	code := strings.ToUpper(d.Code)
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Reference.RetireDocumentType(ctx, code); err != nil {
			return err
		}
		return out.Emit(map[string]string{"code": code, "state": "retired"}, func(w io.Writer) {
			fmt.Fprintf(w, "%s is retired\n", code)
		})
	})
}
