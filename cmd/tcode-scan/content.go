package main

import (
	"fmt"
	"io"
	"strings"

	"tcode/offline/trust"
	"tcode/scanner/elements"
	"tcode/scanner/symbol"
)

// Symbology identifiers of GS1 data (ISO/IEC 15424), without and with an ECI.
const (
	gs1Data    = "]d2"
	gs1DataECI = "]d5"
)

// contentOf says how the text of a symbol is to be understood (`read --json`).
type contentOf struct {
	Symbology string `json:"symbology"`         // such as "]d1", or "]d2" for GS1 data
	ECI       []int  `json:"eci,omitempty"`     // character sets that the symbol names
	Guessed   []int  `json:"guessed,omitempty"` // those whose bytes stand as ISO 8859-1 in the text
	// GS1 holds the element strings of GS1 data, and Messages the format envelopes of ISO/IEC 15434. Their separators
	// are left out: the text has them.
	GS1      []elements.Element `json:"gs1,omitempty"`
	Messages []elements.Message `json:"iso15434,omitempty"`
}

// content takes the text of s apart.
func content(s *symbol.Symbol) contentOf {
	c := contentOf{Symbology: s.Symbology, ECI: s.ECI, Guessed: s.Guessed}
	if s.Symbology == gs1Data || s.Symbology == gs1DataECI {
		c.GS1, _ = elements.GS1(s.Text)
	} else {
		c.Messages, _ = elements.Messages(s.Text)
	}
	return c
}

// print writes the parts of structured data, one line each, and a warning about guessed characters.
func (c *contentOf) print(w io.Writer) {
	if len(c.GS1) > 0 {
		parts := make([]string, len(c.GS1))
		for i, e := range c.GS1 {
			parts[i] = trust.Escape(e.String())
		}
		fmt.Fprintf(w, "  GS1: %s\n", strings.Join(parts, " "))
	}
	for _, m := range c.Messages {
		fields := make([]string, len(m.Fields))
		for i, f := range m.Fields {
			fields[i] = trust.Escape(f)
		}
		fmt.Fprintf(w, "  ISO 15434 format %s: %s\n", m.Format, strings.Join(fields, ", "))
	}
	for _, n := range c.Guessed {
		fmt.Fprintf(w, "  The character set %06d is not known, or does not have these bytes: they stand as ISO 8859-1.\n", n)
	}
}
