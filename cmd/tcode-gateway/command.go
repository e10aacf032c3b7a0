package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/fault"
	"tcode/server/platform/keyring"
	"tcode/server/tenant"
)

// command is the grammar of the command line.
type command struct {
	JSON     bool         `name:"json" help:"Print one JSON object a line, for programs." env:"TCODE_JSON" group:"Flags of every command:"`
	Data     string       `help:"Folder with the gateway's database, files and keys. \"init\" makes it; keep it private and backed up. A master keyset in $$TCODE_MASTER_KEYSET is used instead of the folder's. Default: ./tcode-data." default:"tcode-data" type:"path" env:"TCODE_DATA" placeholder:"DIR" group:"Flags of every command:"`
	Database string       `name:"database-url" help:"PostgreSQL database (15 or later) for the rows, postgres://USER@HOST/NAME; give one with a password in the environment. Files and keys stay in --data. Default: an SQLite file in --data." env:"TCODE_DATABASE_URL" placeholder:"URL" group:"Flags of every command:"`
	Module   string       `name:"pkcs11-module" help:"PKCS #11 library of a token in which new signing keys are made and stay; needs a program built with -tags pkcs11. $$TCODE_PKCS11_PIN holds the user PIN. Default: keys are sealed in the database." type:"path" env:"TCODE_PKCS11_MODULE" placeholder:"FILE" group:"Flags of every command:"`
	Token    string       `name:"pkcs11-token" help:"Label of that token." env:"TCODE_PKCS11_TOKEN" placeholder:"LABEL" group:"Flags of every command:"`
	LogFlags cli.LogFlags `embed:""`

	Init         beginCmd        `cmd:"" help:"Begin a new gateway: an empty data folder or database gets its keys and its trust root."`
	Serve        serveCmd        `cmd:"" help:"Serve the HTTP interface until SIGINT or SIGTERM; API docs are at /docs."`
	Tenant       tenantCmd       `cmd:"" help:"Issuing organisations: create, list, show, plan, suspend, activate."`
	Key          keyCmd          `cmd:"" help:"API keys of a tenant: create, list, revoke."`
	SigningKey   signingKeyCmd   `cmd:"" help:"Keys that sign a tenant's stamps: list, rotate, retire, compromise."`
	Keyset       keysetCmd       `cmd:"" help:"The master keyset, which seals all other keys: list, rotate, reseal, prune."`
	Webhook      webhookCmd      `cmd:"" help:"Addresses that receive a tenant's events: create, list, deliveries, redeliver, enable, disable, remove, rotate-secret, test."`
	DocumentType documentTypeCmd `cmd:"" help:"Kinds of documents: add, list, retire."`
	Usage        usageCmd        `cmd:"" help:"The usage of tenants in a month, and their quotas."`
	Audit        auditCmd        `cmd:"" help:"The audit log: all changes with their actors and times."`
	Mail         mailCmd         `cmd:"" help:"E-mail to the recipients of documents: list, resend, test."`
	Backup       backupCmd       `cmd:"" help:"Write the gateway's data to one file, also while it serves."`
	Restore      restoreCmd      `cmd:"" help:"Make a data folder from a backup."`
	Fsck         fsckCmd         `cmd:"" help:"Check rows against files, both ways, and against each other. After a restore: decide whether to publish again."`
	Device       deviceCmd       `cmd:"" help:"Devices that send scans: list, clear."`
	EnrolCode    enrolCodeCmd    `cmd:"" help:"Show the QR code for enrolling scanners: this gateway's address and its root's fingerprint."`
	Root         rootCmd         `cmd:"" help:"The trust root that scanners pin at enrolment, and the keys that may change it: show, init, rotate, sign, publish."`
	Mirror       mirrorCmd       `cmd:"" help:"Write the trust documents as files, for a web server that scanners fetch from without this gateway."`
	OnlineKey    onlineKeyCmd    `cmd:"" help:"The key that signs the trust documents: rotate, also after a theft."`

	webhooksAllowPrivate bool // the flag of commands about webhooks
}

const description = `Stamps PDFs with signed barcodes, verifies them, and publishes what offline scanners trust.

A first session:
  tcode-gateway init
  tcode-gateway tenant create --name "Acme University" --reference ACME01
  tcode-gateway key create --tenant ACME01 --name "student office"
  tcode-gateway serve`

// run executes one command line.
func run(ctx context.Context, args []string, std cli.Streams) error {
	var c command
	kctx, err := cli.Parse("tcode-gateway", description, &c, args, std)
	if err != nil {
		return err
	}
	return explain(cli.Run(tenant.WithBy(ctx, operator()), kctx, std, &c))
}

// operator returns the actor that the audit log names for a command's changes.
func operator() tenant.By {
	by := tenant.By{Actor: tenant.ActorOperator}
	if u, err := user.Current(); err == nil { // some containers have no user
		by.Name = u.Username
	}
	return by
}

// config returns the configuration with which every command opens the data folder.
func (c *command) config(std cli.Streams) server.Config {
	return server.Config{
		Data: c.Data, DatabaseURL: c.Database, MasterKeyset: os.Getenv(keyring.EnvName), Log: c.LogFlags.Logger(std.Err),
		Token: keyring.TokenConfig{Module: c.Module, Label: c.Token, PIN: os.Getenv(keyring.PINEnvName)}, WebhooksAllowPrivate: c.webhooksAllowPrivate,
	}
}

// output returns the destination of the command's answer.
func (c *command) output(std cli.Streams) cli.Output { return cli.Output{W: std.Out, JSON: c.JSON} }

// with opens the data folder for one operator's command, even while a gateway
// serves it.
func (c *command) with(ctx context.Context, std cli.Streams, do func(g *server.Gateway, out cli.Output) error) (err error) {
	g, err := server.Open(ctx, c.config(std))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return do(g, c.output(std))
}

// explain converts a service's fault to a sentence for the operator.
func explain(err error) error {
	var f *fault.Fault
	if !errors.As(err, &f) {
		return err
	}
	if f.Kind == fault.Internal {
		return err
	}
	message := f.Message
	for _, field := range sortedKeys(f.Fields) {
		for _, m := range f.Fields[field] {
			message += fmt.Sprintf("\n  %s: %s", field, m)
		}
	}
	var advice interface{ Hint() string }
	if errors.As(err, &advice) {
		return cli.WithHint(errors.New(message), advice.Hint())
	}
	return errors.New(message)
}
