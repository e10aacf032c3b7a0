package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/offline/digest"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type downloadCmd struct {
	Reference string `arg:"" help:"Reference of a stamp (TCR-...) or a document (TRF-...)."`
	Output    string `short:"o" required:"" help:"The output file, or - for standard output." placeholder:"FILE"`
	What      string `help:"stamped: the PDF with its TCode; original: the PDF as it was sent; for a stamp also barcode, the symbol alone as PNG, and payload, its text. Default: stamped, or original for a document without a TCode." enum:",stamped,original,barcode,payload" default:"" placeholder:"KIND"`
	Force     bool   `short:"f" help:"Overwrite the output file."`
}

// Run fetches a file of a stamp or a document.
func (c *downloadCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	if err := a.mayWrite(c.Output, c.Force); err != nil {
		return err
	}
	s, err := find(ctx, cl, c.Reference)
	if err != nil {
		return err
	}
	if s.document && (c.What == "barcode" || c.What == "payload") {
		return cli.Usage("--what %s is for stamps: a document has its own stamp, whose reference \"tcode verify\" shows", c.What)
	}
	var got api.TCodeDownload
	err = a.write(c.Output, c.Force, func(w io.Writer) error {
		got, err = s.fetch(ctx, cl, c.What, w)
		return err
	})
	if err != nil {
		return err
	}
	return a.out.Emit(map[string]any{"reference": s.reference, "file": c.Output, "sizeBytes": got.SizeBytes, "sha256": got.Sha256}, func(w io.Writer) {
		if c.Output != "-" {
			fmt.Fprintf(w, "✓ %s  %s\n", s.reference, c.Output)
		}
	})
}

// fetch writes a file of s to w. The contract names the file; "" means the file
// for people.
func (s subject) fetch(ctx context.Context, cl *client.ClientWithResponses, what string, w io.Writer) (api.TCodeDownload, error) {
	var d api.TCodeDownload
	if s.document {
		params := &api.DownloadDocumentParams{}
		if what != "" {
			params.Type = new(api.DownloadDocumentParamsType(what))
		}
		res, err := cl.DownloadDocumentWithResponse(ctx, s.id, params)
		if err := client.Check(err, res); err != nil {
			return d, err
		}
		d = res.JSON200.Data
	} else {
		params := &api.DownloadStampParams{}
		if what != "" {
			params.Type = new(api.DownloadStampParamsType(what))
		}
		res, err := cl.DownloadStampWithResponse(ctx, s.id, params)
		if err := client.Check(err, res); err != nil {
			return d, err
		}
		d = res.JSON200.Data
	}
	data, err := client.Download(ctx, d.Url, maxFile)
	if err != nil {
		return d, err
	}
	if digest.Of(data).String() != d.Sha256 {
		return d, errors.New("download: the received file differs from the gateway's")
	}
	_, err = w.Write(data)
	return d, err
}

// half returns the error of a command that has made s but could not write its
// file. It reports an interruption too, which otherwise prints nothing.
func (a *app) half(s subject, out string, err error) error {
	if out == "-" {
		out = "FILE"
	}
	err = fmt.Errorf("%s was made, but its file did not come: %w\nGet it with: tcode download %s -o %s", s.reference, err, s.reference, out)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(a.std.Err, "tcode: %v\n", err)
	}
	return err
}
