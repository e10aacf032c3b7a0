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

// documentTypeLine is a document type as the commands print it.
type documentTypeLine struct {
	Code   string                       `json:"code"`
	Names  map[string]string            `json:"names"`
	Labels map[string]map[string]string `json:"fieldLabels,omitempty"`
}

type documentTypeAddCmd struct {
	Code  string            `arg:"" help:"3 characters of A-Z and 0-9: the DK field of payloads." placeholder:"CODE"`
	Names map[string]string `name:"name" help:"A name by language, such as en=Diploma. English is required; may be repeated." required:"" placeholder:"LANG=NAME" mapsep:"none"`
	// Labels are the names that scanners show for signed fields.
	Labels map[string]string `name:"label" help:"Scanners' label of a signed field, by language, such as holder.en=Holder. May be repeated; without any, the labels do not change." placeholder:"FIELD.LANG=LABEL" mapsep:"none"`
}

// Run adds the document type.
func (d *documentTypeAddCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	made := refdata.DocumentType{Code: strings.ToUpper(d.Code), Names: d.Names}
	var err error
	if made.FieldLabels, err = parseLabels(d.Labels); err != nil {
		return err
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if made.FieldLabels == nil {
			list, err := g.Reference.DocumentTypes(ctx)
			if err != nil {
				return err
			}
			for _, t := range list {
				if t.Code == made.Code {
					made.FieldLabels = t.FieldLabels
				}
			}
		}
		if err := g.Reference.AddDocumentType(ctx, made); err != nil {
			return err
		}
		return out.Emit(documentTypeLine{made.Code, made.Names, made.FieldLabels}, func(w io.Writer) {
			fmt.Fprintf(w, "%s  %s\n", made.Code, namesText(made.Names))
			for _, field := range sortedKeys(made.FieldLabels) {
				fmt.Fprintf(w, "     %s: %s\n", field, namesText(made.FieldLabels[field]))
			}
		})
	})
}

// parseLabels splits field.language; nil for none.
func parseLabels(flat map[string]string) (map[string]map[string]string, error) {
	var out map[string]map[string]string
	for at, label := range flat {
		field, language, ok := strings.Cut(at, ".")
		if !ok {
			return nil, cli.Usage("--label %s=%s: want the field's key and a language, such as holder.en=Holder", at, label)
		}
		if out == nil {
			out = map[string]map[string]string{}
		}
		if out[field] == nil {
			out[field] = map[string]string{}
		}
		out[field][language] = label
	}
	return out, nil
}

type documentTypeListCmd struct{}

// Run shows the document types.
func (*documentTypeListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.Reference.DocumentTypes(ctx)
		if err != nil {
			return err
		}
		line := func(d refdata.DocumentType) documentTypeLine { return documentTypeLine{d.Code, d.Names, d.FieldLabels} }
		return cli.List(out, linesOf(list, line), "no document types", []string{"code", "names"},
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
