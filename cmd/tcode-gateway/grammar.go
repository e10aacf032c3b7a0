package main

import "tcode/cmd/internal/cli"

// command is the grammar of the command line.
type command struct {
	JSON     bool         `name:"json" help:"Print one JSON object a line, for programs." env:"TCODE_JSON" group:"Flags of every command:"`
	Data     string       `help:"Folder with the gateway's database, files and keys. \"init\" makes it; keep it private and backed up. A master keyset in $$TCODE_MASTER_KEYSET is used instead of the folder's. Default: ./tcode-data." default:"tcode-data" type:"path" env:"TCODE_DATA" placeholder:"DIR" group:"Flags of every command:"`
	Database string       `name:"database-url" help:"PostgreSQL database (15 or later) to keep rows in, postgres://USER@HOST/NAME; give one with a password in the environment. Files and keys stay in --data. Default: an SQLite file in --data." env:"TCODE_DATABASE_URL" placeholder:"URL" group:"Flags of every command:"`
	Module   string       `name:"pkcs11-module" help:"PKCS #11 library of a token that new signing keys are made in and never leave; needs a program built with -tags pkcs11. The user PIN is taken from $$TCODE_PKCS11_PIN. Default: keys are kept sealed in the database." type:"path" env:"TCODE_PKCS11_MODULE" placeholder:"FILE" group:"Flags of every command:"`
	Token    string       `name:"pkcs11-token" help:"Label of that token." env:"TCODE_PKCS11_TOKEN" placeholder:"LABEL" group:"Flags of every command:"`
	LogFlags cli.LogFlags `embed:""`

	Init   beginCmd `cmd:"" help:"Begin a new gateway: an empty data folder or database gets its keys and its trust root."`
	Serve  serveCmd `cmd:"" help:"Serve the HTTP interface until SIGINT or SIGTERM; API docs are at /docs."`
	Tenant struct {
		Create   tenantCreateCmd   `cmd:"" help:"Make a tenant with its first signing key."`
		List     tenantListCmd     `cmd:"" help:"Show all tenants."`
		Show     tenantShowCmd     `cmd:"" help:"Show one tenant: its plan, and what it did this month."`
		Plan     tenantPlanCmd     `cmd:"" help:"Say what a tenant may do, and how much of it a month. Without flags: show it."`
		Suspend  tenantSuspendCmd  `cmd:"" help:"Stop a tenant: its API keys are refused and its stamps verify as suspended."`
		Activate tenantActivateCmd `cmd:"" help:"Undo a suspension."`
	} `cmd:"" help:"Issuing organisations: create, list, show, plan, suspend, activate."`
	Key struct {
		Create keyCreateCmd `cmd:"" help:"Make an API key and print it, once: only its hash is kept."`
		List   keyListCmd   `cmd:"" help:"Show a tenant's API keys by their visible prefixes."`
		Revoke keyRevokeCmd `cmd:"" help:"End an API key permanently."`
	} `cmd:"" help:"API keys of a tenant: create, list, revoke."`
	SigningKey struct {
		List   signingKeyListCmd   `cmd:"" help:"Show signing keys and what they may be used for."`
		Rotate signingKeyRotateCmd `cmd:"" help:"Make a tenant's next signing key. Stamps of the present one stay good."`
		Retire signingKeyRetireCmd `cmd:"" help:"Have a key sign no more, now. Its stamps stay good, and another key signs at once."`

		Compromise signingKeyCompromiseCmd `cmd:"" help:"Say that others may have a key. Only stamps that this gateway holds for it stay good, and another key signs at once. This cannot be undone."`
	} `cmd:"" help:"Keys that sign a tenant's stamps: list, rotate, retire, compromise."`
	Keyset struct {
		List   keysetListCmd   `cmd:"" help:"Show the keys of the master keyset by their numbers."`
		Rotate keysetRotateCmd `cmd:"" help:"Have a new key seal all others. The one before it still opens, until it is pruned."`
		Reseal keysetResealCmd `cmd:"" help:"Seal everything by the present key, after a rotated keyset was put into the environment."`
		Prune  keysetPruneCmd  `cmd:"" help:"Remove the keys that seal nothing any more. Backups made before a rotation need them: keep the old keyset as long as those."`
	} `cmd:"" help:"The master keyset, which seals all other keys: list, rotate, reseal, prune."`
	Webhook struct {
		Create       webhookCreateCmd     `cmd:"" help:"Have events sent to an address. Prints the secret that signs them, once."`
		List         webhookListCmd       `cmd:"" help:"Show a tenant's webhooks."`
		Deliveries   webhookDeliveriesCmd `cmd:"" help:"Show what was sent to a webhook, newest first, or the tries of one delivery."`
		Redeliver    webhookRedeliverCmd  `cmd:"" help:"Send one delivery again, or all of a webhook that failed since a time."`
		Enable       webhookEnableCmd     `cmd:"" help:"Send events again from now on."`
		Disable      webhookDisableCmd    `cmd:"" help:"Send nothing more. What waits fails, and can be redelivered once the webhook is enabled."`
		Remove       webhookRemoveCmd     `cmd:"" help:"Remove a webhook with the record of its deliveries."`
		RotateSecret webhookRotateCmd     `cmd:"" help:"Give a webhook another secret and print it, once. The old one signs too, for 24 hours."`
		Test         webhookTestCmd       `cmd:"" help:"Send a ping event now and say what the receiver answered."`
	} `cmd:"" help:"Where a tenant's systems are told what happens: create, list, deliveries, redeliver, enable, disable, remove, rotate-secret, test."`
	DocumentType struct {
		Add    documentTypeAddCmd    `cmd:"" help:"Add a document type, or change its names."`
		List   documentTypeListCmd   `cmd:"" help:"Show the document types in use."`
		Retire documentTypeRetireCmd `cmd:"" help:"Refuse a document type for new stamps. Scanners keep its name for stamps that bear it."`
	} `cmd:"" help:"Kinds of documents: add, list, retire."`
	Usage usageCmd `cmd:"" help:"What tenants did in a month, and their quotas."`
	Audit auditCmd `cmd:"" help:"The audit log: who changed what, when."`
	Mail  struct {
		List   mailListCmd   `cmd:"" help:"Show the e-mail of a tenant's documents: what was sent, what waits, what failed and why."`
		Resend mailResendCmd `cmd:"" help:"Send an e-mail that is over: one that failed, or once more one that was sent; or all of a tenant that failed, or are held after a restore, since a time. A gateway with --smtp-url does it."`
		Test   mailTestCmd   `cmd:"" help:"Send a line to an address now, to see whether e-mail arrives."`
	} `cmd:"" help:"E-mail to the recipients of documents: list, resend, test."`
	Backup  backupCmd  `cmd:"" help:"Write the gateway's data to one file, also while it serves."`
	Restore restoreCmd `cmd:"" help:"Make a data folder of a backup."`
	Fsck    fsckCmd    `cmd:"" help:"Check rows against files, both ways, and against each other. After a restore: decide whether to publish again."`
	Device  struct {
		List  deviceListCmd  `cmd:"" help:"List devices that sent signed scans. A flag says that two devices seem to have one key."`
		Clock deviceClockCmd `cmd:"" help:"List corrections of a device's clock: what it had dated ahead, and when an operator vouched for its clock."`
		Clear deviceClearCmd `cmd:"" help:"Take the flag off a device, once you know why it was there."`
	} `cmd:"" help:"Devices that send scans: list, clear."`
	EnrolCode enrolCodeCmd `cmd:"" help:"Show the QR code that scanners enrol by: this gateway's address and its root's fingerprint."`
	Root      struct {
		Show    rootShowCmd    `cmd:"" help:"Show the root's fingerprint, which scanners pin: tcode-scan enrol --root FINGERPRINT. Or show a root in a file, and who has signed it."`
		Init    rootInitCmd    `cmd:"" help:"Make root keys in files that a passphrase seals, on a machine without a network. Needs no gateway."`
		Rotate  rootRotateCmd  `cmd:"" help:"Make the next root: other keys, another threshold, another year. Nothing changes until it is signed and published."`
		Sign    rootSignCmd    `cmd:"" help:"Sign a root with a key file, on a machine without a network. Needs no gateway."`
		Publish rootPublishCmd `cmd:"" help:"Publish a root that enough keys have signed. Gateways that run take it at once."`
	} `cmd:"" help:"The trust root that scanners pin at enrolment, and the keys that may change it: show, init, rotate, sign, publish."`
	Mirror    mirrorCmd `cmd:"" help:"Write what scanners fetch as files, for a web server that knows nothing of this gateway."`
	OnlineKey struct {
		Rotate onlineKeyRotateCmd `cmd:"" help:"Make a new online key and the root that names it. With the root key on the gateway it is published at once; else the root must be signed and published. Scanners drop all that the old key said: this is what to do when it was stolen, or when the gateway published with a clock far ahead."`
	} `cmd:"" help:"The key that signs what scanners fetch: rotate, also when it was stolen."`

	webhooksAllowPrivate bool // what a command about webhooks was told
}

const description = `Stamps PDFs with signed barcodes, verifies them, and publishes what offline scanners trust.

A first session:
  tcode-gateway init
  tcode-gateway tenant create --name "Acme University" --reference ACME01
  tcode-gateway key create --tenant ACME01 --name "student office"
  tcode-gateway serve`
