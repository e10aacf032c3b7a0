package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/dates"
	"tcode/offline/digest"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type verifyCmd struct {
	Subject string `arg:"" name:"reference|file" help:"Reference of a stamp (TCR-...) or a document (TRF-...), or a file, whose hash is looked up."`
}

// A verdict is the part of the gateway's answer about a stamp or a document
// that people see.
type verdict struct {
	Verdict       string     `json:"verdict"`
	Status        string     `json:"status"`
	Reference     string     `json:"reference"`
	IssuerName    string     `json:"issuerName"`
	DocumentType  string     `json:"documentType"`
	RecipientName string     `json:"recipientName"`
	DocumentTitle string     `json:"documentTitle"`
	IssuedAt      *time.Time `json:"issuedAt"`
	ExpiresAt     *time.Time `json:"expiresAt"`
	ReplacedBy    string     `json:"replacedBy"`
	Stamp         string     `json:"stamp"`         // of a document whose PDF has one
	TrustDocument string     `json:"trustDocument"` // that a stamp belongs to
	MatchedOn     string     `json:"matchedOn"`
	MatchCount    int        `json:"matchCount"` // of a file: number of stamps or documents of this issuer with its hash
	Reason        string     `json:"reason"`     // of a file: why the verdict is not about it
	Test          bool       `json:"test"`

	Fields []api.FieldValue `json:"fields"` // the gateway shows a document's fields only to its issuer
}

// Help explains the exit codes.
func (c *verifyCmd) Help() string {
	return `The gateway looks up its own records. To verify a stamp without a network, use tcode-scan verify.

A file that was stamped, and has no stamp itself, is not verified: anyone may have had it before.

Exit codes: 0 valid, 1 anything else, 2 wrong use, 3 no answer: the file could not be read, or the gateway did not answer.`
}

// Run verifies. The exit code is 1 for every verdict but valid and for a file that is
// not itself stamped, and 3 if the verdict is unknown.
func (c *verifyCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(false)
	if err != nil {
		return err
	}
	raw, err := c.ask(ctx, a, cl)
	if cli.Code(err) == cli.CodeFailed {
		return cli.Exit(cli.CodeUnreadable, err)
	}
	if err != nil {
		return err
	}
	var answer struct {
		Data json.RawMessage `json:"data"`
	}
	var v verdict
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("answer of the gateway: %w", err)
	}
	if err := json.Unmarshal(answer.Data, &v); err != nil {
		return fmt.Errorf("answer of the gateway: %w", err)
	}
	if err := a.out.Emit(answer.Data, func(w io.Writer) { printVerdict(w, v) }); err != nil {
		return err
	}
	if v.Verdict != "valid" || v.unstamped() {
		return cli.Exit(cli.CodeFailed, nil)
	}
	return nil
}

// ask returns the gateway's answer about the subject: a file if one has that
// name, otherwise a reference.
func (c *verifyCmd) ask(ctx context.Context, a *app, cl *client.ClientWithResponses) ([]byte, error) {
	_, err := os.Stat(c.Subject)
	switch {
	case c.Subject == "-" || err == nil:
		data, err := a.readFile(ctx, c.Subject, maxFile, "stamped PDFs are")
		if err != nil {
			return nil, err
		}
		return byHash(ctx, cl, data)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, cli.Exit(cli.CodeUnreadable, err)
	}
	reference, document, err := parseReference(c.Subject)
	if err != nil {
		return nil, cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s: neither a file nor a reference", c.Subject))
	}
	if document {
		res, err := cl.VerifyDocumentByReferenceWithResponse(ctx, api.VerifyDocumentByReferenceJSONRequestBody{Reference: reference})
		if err := client.Check(err, res); err != nil {
			return nil, err
		}
		return res.Body, nil
	}
	res, err := cl.VerifyByReferenceWithResponse(ctx, reference)
	if err := client.Check(err, res); err != nil {
		return nil, err
	}
	return res.Body, nil
}

// byHash asks about a file: as a Trust document, and as a stamp if it is not
// known as one.
func byHash(ctx context.Context, cl *client.ClientWithResponses, data []byte) ([]byte, error) {
	hash := digest.Of(data).String()
	doc, err := cl.VerifyDocumentByHashWithResponse(ctx, api.VerifyDocumentByHashJSONRequestBody{Hash: hash})
	if err := client.Check(err, doc); err != nil {
		return nil, err
	}
	var known struct{ Data verdict }
	if err := json.Unmarshal(doc.Body, &known); err == nil && known.Data.Verdict != "not_found" {
		return doc.Body, nil
	}
	res, err := cl.VerifyByHashWithResponse(ctx, hash)
	if err := client.Check(err, res); err != nil {
		return nil, err
	}
	return res.Body, nil
}

// matched says which file of the record it is.
func (v verdict) matched() string {
	said := "is the " + v.MatchedOn + " one"
	if v.MatchedOn == "content" {
		said = "is the text that was signed"
	}
	if v.MatchCount > 1 {
		said += fmt.Sprintf(" of this and %d more of the same issuer", v.MatchCount-1)
	}
	return said
}

// unstamped reports whether the verdict is that of stamped documents which were made
// of the file, and not of the file.
func (v verdict) unstamped() bool { return v.MatchedOn == "original" && v.Reason != "" }

// words are the verdicts in words, with a sign in addition to the colour.
var words = map[string]string{
	"valid":     "✓ VALID",
	"suspended": "✗ SUSPENDED",
	"revoked":   "✗ REVOKED",
	"expired":   "✗ EXPIRED",
	"not_found": "✗ NOT FOUND",
}

func printVerdict(w io.Writer, v verdict) {
	head, ok := words[v.Verdict]
	if !ok {
		head = "? " + v.Verdict
	}
	if v.Verdict == "not_found" {
		fmt.Fprintf(w, "%s\n   The gateway does not know this reference or content. Treat the document as not verified.\n", head)
		return
	}
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "   %-10s %s\n", name, cli.Printable(value))
		}
	}
	if v.unstamped() {
		printUnstamped(w, v, line)
		return
	}
	fmt.Fprintf(w, "%s  %s\n", head, v.Reference)
	line("issuer", v.IssuerName)
	line("type", v.DocumentType)
	line("recipient", v.RecipientName)
	line("title", v.DocumentTitle)
	if v.IssuedAt != nil {
		line("issued", v.IssuedAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
	if v.ExpiresAt != nil {
		line("expires", dates.LastDay(*v.ExpiresAt))
	}
	for _, f := range v.Fields {
		line("field", f.Key+": "+f.Value)
	}
	line("stamp", v.Stamp)
	line("belongs to", v.TrustDocument)
	line("replaced", v.ReplacedBy)
	if v.MatchedOn != "" {
		line("this file", v.matched())
	}
	if v.Test {
		line("test", "it proves nothing")
	}
}

// printUnstamped prints that a file is an original: nothing about one of the documents
// that were made of it, unless there is one alone.
func printUnstamped(w io.Writer, v verdict, line func(name, value string)) {
	fmt.Fprintln(w, "✗ NOT STAMPED")
	line("issuer", v.IssuerName)
	if v.MatchCount > 1 {
		line("this file", fmt.Sprintf("is an original of %d documents, itself not stamped", v.MatchCount))
	} else {
		line("this file", fmt.Sprintf("is an original of 1 document, itself not stamped: %s, whose verdict is %s", v.Reference, v.Verdict))
	}
	if v.Test {
		line("test", "it proves nothing")
	}
	fmt.Fprintln(w, "   Treat this file as not verified, and ask for the stamped one.")
}
