package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/google/uuid"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/openfile"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

const description = `Stamp PDFs, issue Trust documents, take them back, and verify them, through a gateway.

Name the gateway and your API key once with "tcode profile set", or give them in TCODE_GATEWAY and TCODE_API_KEY.`

// grammar is the command line.
type grammar struct {
	Gateway string `help:"Address of the gateway. Default: that of the profile." env:"TCODE_GATEWAY" placeholder:"URL" group:"Flags of every command:"`
	Profile string `help:"Profile to use. Default: the one that \"profile use\" chose." env:"TCODE_PROFILE" placeholder:"NAME" group:"Flags of every command:"`
	Config  string `help:"File of the profiles. Default: tcode/profiles.json in the user's configuration directory." env:"TCODE_CONFIG" placeholder:"FILE" type:"path" group:"Flags of every command:"`
	JSON    bool   `help:"Print one JSON object a line on standard output." env:"TCODE_JSON" group:"Flags of every command:"`

	Stamp    stampCmd    `cmd:"" help:"Stamp a PDF with a TCode, or many."`
	List     listCmd     `cmd:"" help:"List stamps or Trust documents, newest first."`
	Show     showCmd     `cmd:"" help:"Show a stamp or a document."`
	Issue    issueCmd    `cmd:"" help:"Issue a Trust document."`
	Download downloadCmd `cmd:"" help:"Fetch the file of a stamp or a document."`
	Verify   verifyCmd   `cmd:"" help:"Ask the gateway about a reference or a file. No key is needed."`
	Bulk     struct {
		Submit  bulkSubmitCmd  `cmd:"" help:"Stamp or issue all rows of a CSV file with the PDFs of a ZIP archive."`
		List    bulkListCmd    `cmd:"" help:"Show the jobs, newest first."`
		Status  bulkStatusCmd  `cmd:"" help:"Show a job, and the errors in its files."`
		Cancel  bulkCancelCmd  `cmd:"" help:"Stop a job between two rows."`
		Retry   bulkRetryCmd   `cmd:"" help:"Retry the rows of a job that did not succeed."`
		Errors  bulkErrorsCmd  `cmd:"" help:"Write the failed rows to a CSV file, which you correct and submit again."`
		Results bulkResultsCmd `cmd:"" help:"Write all results, with a manifest, to a ZIP archive."`
	} `cmd:"" help:"Jobs for many documents: submit, list, status, cancel, retry, errors, results."`
	Revoke     revokeCmd     `cmd:"" help:"Withdraw a stamp or a document permanently."`
	Suspend    suspendCmd    `cmd:"" help:"Withdraw a stamp or a document for now."`
	Reactivate reactivateCmd `cmd:"" help:"Undo a suspension."`
	Template   struct {
		List    templateListCmd    `cmd:"" help:"List the templates of a kind."`
		Show    templateShowCmd    `cmd:"" help:"Show a template as JSON, ready to be changed and created again."`
		Create  templateCreateCmd  `cmd:"" help:"Make a template from a file with JSON."`
		Archive templateArchiveCmd `cmd:"" help:"Archive a template: nothing new is made with it."`
		Columns templateColumnsCmd `cmd:"" help:"Write the CSV file to fill in for a bulk job with a template."`
	} `cmd:"" help:"Templates of stamps and documents: list, show, create, archive, columns."`
	Webhook struct {
		List       webhookListCmd       `cmd:"" help:"Show the endpoints, and the deliveries of the last 24 hours."`
		Create     webhookCreateCmd     `cmd:"" help:"Make an endpoint. Its secret is shown once."`
		Change     webhookChangeCmd     `cmd:"" help:"Change the address or the events of an endpoint."`
		Enable     webhookEnableCmd     `cmd:"" help:"Let an endpoint receive events."`
		Disable    webhookDisableCmd    `cmd:"" help:"Stop all deliveries to an endpoint."`
		Remove     webhookRemoveCmd     `cmd:"" help:"Remove an endpoint with its deliveries."`
		Rotate     webhookRotateCmd     `cmd:"" name:"rotate-secret" help:"Give an endpoint a new secret. The old one also signs for a day."`
		Test       webhookTestCmd       `cmd:"" help:"Send a ping to an endpoint."`
		Deliveries webhookDeliveriesCmd `cmd:"" help:"Show the deliveries to an endpoint, newest first."`
		Redeliver  webhookRedeliverCmd  `cmd:"" help:"Send a delivery again, or all that failed."`
	} `cmd:"" help:"Endpoints for events: list, create, change, enable, disable, remove, rotate-secret, test, deliveries, redeliver."`
	Key struct {
		List   keyListCmd   `cmd:"" help:"Show the API keys, without their secrets."`
		Create keyCreateCmd `cmd:"" help:"Make an API key. It is shown once."`
		Rotate keyRotateCmd `cmd:"" help:"Make the successor of a key. The old one still works for a time."`
		Revoke keyRevokeCmd `cmd:"" help:"End a key permanently."`
	} `cmd:"" help:"API keys: list, create, rotate, revoke."`
	Usage  usageCmd `cmd:"" help:"Show what was used of the plan, and what was issued and verified by day."`
	Device struct {
		List   deviceListCmd   `cmd:"" help:"Show the devices that scanned your stamps."`
		Name   deviceNameCmd   `cmd:"" help:"Name a device, for yourself."`
		Refuse deviceRefuseCmd `cmd:"" help:"Mark the scans of a device from now on."`
		Accept deviceAcceptCmd `cmd:"" help:"Take back a refusal."`
	} `cmd:"" help:"Scanners of your stamps: list, name, refuse, accept."`
	Audit auditCmd `cmd:"" help:"Show who changed what, newest first."`
	Erase eraseCmd `cmd:"" help:"Erase the personal data and the files of a stamp or a document, forever. Reference, hashes and status stay."`
	Set   struct {
		Set    profileSetCmd    `cmd:"" help:"Store a gateway's address and an API key under a name, and use them from now on. The program asks for the key, or reads it from standard input."`
		List   profileListCmd   `cmd:"" help:"Show the profiles, without their secrets."`
		Use    profileUseCmd    `cmd:"" help:"Choose the profile that is used when none is named."`
		Remove profileRemoveCmd `cmd:"" help:"Remove a profile."`
	} `cmd:"" name:"profile" help:"Gateways and API keys: set, list, use, remove."`
	cli.About
}

// An app is passed to every command.
type app struct {
	out     cli.Output
	std     cli.Streams
	grammar *grammar
}

func run(ctx context.Context, args []string, std cli.Streams) error {
	var g grammar
	kctx, err := cli.Parse("tcode", description, &g, args, std)
	if err != nil {
		return err
	}
	a := &app{out: cli.Output{W: std.Out, JSON: g.JSON}, std: std, grammar: &g}
	return a.told(advise(cli.Run(ctx, kctx, std, a), kctx.Command()))
}

// advise adds advice to an error of a command, if the gateway cannot give it.
func advise(err error, command string) error {
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusUnauthorized {
		return cli.WithHint(err, "This API key is unknown to the gateway, was revoked or has expired. Set another: "+
			"tcode profile set NAME --gateway URL, or "+keyVariable+".")
	}
	if !lost(err) {
		return err
	}
	switch name, rest, _ := strings.Cut(command, " "); {
	case name == "stamp", name == "issue":
		return cli.WithHint(err, "The gateway may have made it nevertheless. With --external-id, a second try cannot make a second one.")
	case name == "bulk" && strings.HasPrefix(rest, "submit"):
		return cli.WithHint(err, "The gateway may have accepted the job nevertheless: \"tcode bulk list\" shows it.")
	}
	return err
}

// lost reports whether a request may have reached the gateway although its
// answer did not come back.
func lost(err error) bool {
	if _, asked := errors.AsType[*url.Error](err); !asked || errors.Is(err, context.Canceled) {
		return false
	}
	if _, refused := errors.AsType[*tls.CertificateVerificationError](err); refused {
		return false
	}
	at, ok := errors.AsType[*net.OpError](err)
	return !ok || at.Op != "dial"
}

// keyVariable holds the API key. There is no flag, because other users see
// command lines.
const keyVariable = "TCODE_API_KEY"

var (
	errNoGateway = errors.New(`no gateway is named: run "tcode profile set NAME --gateway URL", or set TCODE_GATEWAY`)
	errNoKey     = errors.New(`no API key is set: run "tcode profile set NAME --gateway URL", or set ` + keyVariable)
)

// client connects to the gateway of the profile, unless the flags or the
// environment name another.
func (a *app) client(needsKey bool) (*client.ClientWithResponses, error) {
	p, err := a.profile()
	if err != nil {
		return nil, err
	}
	if a.grammar.Gateway != "" && a.grammar.Gateway != p.Gateway {
		p = profile{Gateway: a.grammar.Gateway} // the profile's key is for another gateway
	}
	if key := os.Getenv(keyVariable); key != "" {
		p.Key = key
	}
	switch {
	case p.Gateway == "":
		return nil, errNoGateway
	case p.Key == "" && needsKey:
		return nil, errNoKey
	}
	var options []client.ClientOption
	if p.Key != "" {
		options = append(options, client.WithKey(p.Key))
	}
	return client.New(p.Gateway, options...)
}

// onceKey returns an Idempotency-Key for one run of a creating command: the
// library may send a request twice, but the gateway executes it once.
func onceKey() *api.IdempotencyKey {
	k := uuid.NewString()
	return &k
}

// fields reads flags such as grade=A.
func fields(flags []string) ([]api.FieldValue, error) {
	out := make([]api.FieldValue, 0, len(flags))
	for _, f := range flags {
		key, value, ok := strings.Cut(f, "=")
		if !ok || key == "" {
			return nil, cli.Usage("--field %q: want KEY=VALUE", f)
		}
		out = append(out, api.FieldValue{Key: key, Value: value})
	}
	return out, nil
}

// templateID reads the id of a template; nil for an empty flag.
func templateID(flag, s string) (*uuid.UUID, error) {
	if s == "" {
		return nil, nil
	}
	id, err := uuid.Parse(s)
	if err != nil {
		return nil, cli.Usage("%s %q: want a template's id, such as 0198e3a1-7c2e-7000-8000-000000000001", flag, s)
	}
	return &id, nil
}

// optional is nil for an empty flag.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// These are the largest PDF that gateways accept, in bytes, and the largest
// that they return, which has room for the revision.
const (
	maxPDF  = 25 << 20
	maxFile = 32 << 20
)

// mayWrite refuses an output before the program makes anything: see
// [cli.MayWrite]. "-" is standard output, "" no output.
func (a *app) mayWrite(path string, force bool) error {
	switch {
	case path == "":
		return nil
	case path == "-" && a.out.JSON:
		return cli.Usage("with --json the answer goes to standard output: name a file with -o")
	case path == "-" && cli.IsTerminal(a.std.Out):
		return cli.Usage("standard output is a terminal, which cannot show the file: name one with -o")
	case path == "-":
		return nil
	}
	return cli.MayWrite(path, force)
}

// write writes an output that mayWrite has accepted.
func (a *app) write(path string, force bool, write func(io.Writer) error) error {
	switch path {
	case "":
		return write(io.Discard)
	case "-":
		return write(a.std.Out)
	}
	return cli.WriteFile(path, force, write)
}

// readPDF reads a file to send, or standard input for "-".
func (a *app) readPDF(ctx context.Context, path string) ([]byte, error) {
	return a.readFile(ctx, path, maxPDF, "gateways take PDFs")
}

// readFile reads a file, or standard input for "-", of at most limit bytes. who
// sets the limit; the error for a larger file names it.
func (a *app) readFile(ctx context.Context, path string, limit int, who string) ([]byte, error) {
	var in io.Reader = a.std.In
	if path != "-" {
		f, err := openfile.Open(ctx, path)
		if err != nil {
			return nil, cli.Exit(cli.CodeUnreadable, err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, cli.Exit(cli.CodeUnreadable, err)
	case len(data) > limit:
		return nil, cli.Exit(cli.CodeUnreadable, fmt.Errorf("%s is too large: %s of at most %d MiB", path, who, limit>>20))
	}
	return data, nil
}
