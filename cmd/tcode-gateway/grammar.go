package main

import "tcode/cmd/internal/cli"

// command is the grammar of the command line.
type command struct {
	JSON     bool           `name:"json" help:"Print one JSON object a line, for programs." env:"TCODE_JSON" group:"Flags of every command:"`
	Config   cli.ConfigFile `help:"File of settings, a line NAME = VALUE for each: the flags that have an environment variable, by their names without the dashes. A flag has priority over the environment, and that over the file. A name in capitals, such as AWS_ACCESS_KEY_ID, is that of an environment variable. \"config\" shows the result." env:"TCODE_GATEWAY_CONFIG" variables:"TCODE_MASTER_KEYSET,TCODE_OIDC_CLIENT_SECRET,TCODE_PKCS11_PIN,AWS_*,PG*,SSL_CERT_*,HTTP_PROXY,HTTPS_PROXY,NO_PROXY" placeholder:"FILE" group:"Flags of every command:"`
	Data     string         `help:"Folder with the gateway's database, files and keys. \"init\" makes it; keep it private and backed up. A master keyset in $$TCODE_MASTER_KEYSET is used instead of the folder's. Default: ./tcode-data." default:"tcode-data" type:"path" env:"TCODE_DATA" placeholder:"DIR" group:"Flags of every command:"`
	Database string         `name:"database-url" help:"PostgreSQL database (15 or later) for the rows, postgres://USER@HOST/NAME; give one with a password in the environment or in --config. Keys stay in --data, and files without --blob-url. Default: an SQLite file in --data." secret:"" env:"TCODE_DATABASE_URL" placeholder:"URL" group:"Flags of every command:"`
	Blobs    string         `name:"blob-url" help:"Store for the files, instead of the folder files in --data: s3://BUCKET/PREFIX?endpoint=URL&region=NAME&path_style=true (all but the bucket may be left out), or file:///FOLDER. Credentials are those of the tools of AWS. All gateways of a database need the same one." env:"TCODE_BLOB_URL" placeholder:"URL" group:"Flags of every command:"`
	Module   string         `name:"pkcs11-module" help:"PKCS #11 library of a token in which new signing keys are made and stay; needs a program built with -tags pkcs11. $$TCODE_PKCS11_PIN holds the user PIN. Default: keys are sealed in the database." type:"path" env:"TCODE_PKCS11_MODULE" placeholder:"FILE" group:"Flags of every command:"`
	Token    string         `name:"pkcs11-token" help:"Label of that token." env:"TCODE_PKCS11_TOKEN" placeholder:"LABEL" group:"Flags of every command:"`
	LogFlags cli.LogFlags   `embed:""`

	Init     beginCmd  `cmd:"" help:"Begin a new gateway: an empty data folder or database gets its keys and its trust root."`
	Settings configCmd `cmd:"" name:"config" help:"Show the settings that \"serve\" with the same flags would have, and where each is from. Passwords are hidden."`
	Serve    serveCmd  `cmd:"" help:"Serve the HTTP interface until SIGINT or SIGTERM; API docs are at /docs."`
	Tenant   struct {
		Create   tenantCreateCmd   `cmd:"" help:"Make a tenant with its first signing key."`
		List     tenantListCmd     `cmd:"" help:"Show all tenants."`
		Show     tenantShowCmd     `cmd:"" help:"Show one tenant: its plan and its usage of this month."`
		Plan     tenantPlanCmd     `cmd:"" help:"Set a tenant's permissions and monthly limits. Without flags: show them."`
		Brand    tenantBrandCmd    `cmd:"" help:"Set how a tenant looks on public pages: logo, colour, and how to reach it. Without flags: show it."`
		Suspend  tenantSuspendCmd  `cmd:"" help:"Stop a tenant: its API keys are refused and its stamps verify as suspended."`
		Activate tenantActivateCmd `cmd:"" help:"Undo a suspension."`
		Export   tenantExportCmd   `cmd:"" help:"Write everything that is kept of a tenant, rows and files, to a ZIP archive."`
	} `cmd:"" help:"Issuing organisations: create, list, show, plan, suspend, activate, export."`
	Key struct {
		Create keyCreateCmd `cmd:"" help:"Make an API key and print it, once: only its hash is kept."`
		List   keyListCmd   `cmd:"" help:"Show a tenant's API keys by their visible prefixes."`
		Revoke keyRevokeCmd `cmd:"" help:"Revoke an API key permanently."`
	} `cmd:"" help:"API keys of a tenant: create, list, revoke."`
	User struct {
		Create  userCreateCmd  `cmd:"" help:"Make a user of the console and print a one-time link, with which the person chooses a password and a second factor."`
		List    userListCmd    `cmd:"" help:"Show the users of a tenant, or all users."`
		Role    userRoleCmd    `cmd:"" help:"Change the role of a tenant's user, and end the user's sessions."`
		Disable userDisableCmd `cmd:"" help:"End a user's sessions, bulk jobs and orders, and refuse to sign the user in. It lists what ended, and what the user made and stays."`
		Reset   userResetCmd   `cmd:"" help:"Remove a user's password and second factor, end the sessions, and print a one-time link for choosing new ones. Also for a disabled user."`
		Remove  userRemoveCmd  `cmd:"" help:"Delete a user with everything that lets the user in, and end the user's bulk jobs and orders. Documents and the audit log stay."`
	} `cmd:"" help:"Users of the console: create, list, role, disable, reset, remove."`
	Provider struct {
		Set    providerSetCmd    `cmd:"" help:"Let a tenant's users sign in to the console at an OpenID provider of their own. No other provider then speaks for them."`
		Remove providerRemoveCmd `cmd:"" help:"Undo it: the provider of the gateway, if it has one, speaks for them again."`
	} `cmd:"" help:"OpenID providers of tenants, for the console: set, remove."`
	SigningKey struct {
		List   signingKeyListCmd   `cmd:"" help:"Show signing keys and their permitted uses."`
		Rotate signingKeyRotateCmd `cmd:"" help:"Make a tenant's next signing key. Stamps of the present key stay valid."`
		Retire signingKeyRetireCmd `cmd:"" help:"Stop signing with a key, now. Its stamps stay valid, and another key signs immediately."`

		Compromise signingKeyCompromiseCmd `cmd:"" help:"Mark a key as known to others. Only the stamps of it that this gateway holds stay valid, and another key signs immediately. This cannot be undone."`
	} `cmd:"" help:"Keys that sign a tenant's stamps: list, rotate, retire, compromise."`
	Keyset struct {
		List   keysetListCmd   `cmd:"" help:"Show the keys of the master keyset by their numbers."`
		Rotate keysetRotateCmd `cmd:"" help:"Make a new key that seals all others. The last one still opens them, until it is pruned."`
		Reseal keysetResealCmd `cmd:"" help:"Seal everything with the present key, after a rotated keyset was put into the environment."`
		Prune  keysetPruneCmd  `cmd:"" help:"Remove the keys that no longer seal anything. Backups from before a rotation need them: keep the old keyset as long as those backups."`
	} `cmd:"" help:"The master keyset, which seals all other keys: list, rotate, reseal, prune."`
	Webhook struct {
		Create       webhookCreateCmd     `cmd:"" help:"Send events to an address. Prints the secret that signs them, once."`
		List         webhookListCmd       `cmd:"" help:"Show a tenant's webhooks."`
		Deliveries   webhookDeliveriesCmd `cmd:"" help:"Show the deliveries to a webhook, newest first, or the tries of one delivery."`
		Redeliver    webhookRedeliverCmd  `cmd:"" help:"Send one delivery again, or all of a webhook that failed since a time."`
		Enable       webhookEnableCmd     `cmd:"" help:"Send events again from now on."`
		Disable      webhookDisableCmd    `cmd:"" help:"Stop sending. Waiting deliveries fail, and can be redelivered once the webhook is enabled."`
		Remove       webhookRemoveCmd     `cmd:"" help:"Remove a webhook with the record of its deliveries."`
		RotateSecret webhookRotateCmd     `cmd:"" help:"Give a webhook another secret and print it, once. The old one also signs for 24 hours."`
		Test         webhookTestCmd       `cmd:"" help:"Send a ping event now and show the receiver's answer."`
	} `cmd:"" help:"Addresses that receive a tenant's events: create, list, deliveries, redeliver, enable, disable, remove, rotate-secret, test."`
	DocumentType struct {
		Add    documentTypeAddCmd    `cmd:"" help:"Add a document type, or change its names."`
		List   documentTypeListCmd   `cmd:"" help:"Show the document types in use."`
		Retire documentTypeRetireCmd `cmd:"" help:"Refuse a document type for new stamps. Scanners keep its name for existing stamps."`
	} `cmd:"" help:"Kinds of documents: add, list, retire."`
	Usage usageCmd `cmd:"" help:"The usage of tenants in a month, and their quotas."`
	Audit auditCmd `cmd:"" help:"The audit log: all changes with their actors and times."`
	Mail  struct {
		List   mailListCmd   `cmd:"" help:"Show the e-mail of a tenant's documents: sent, waiting and failed messages, and the reasons."`
		Resend mailResendCmd `cmd:"" help:"Send an e-mail again that has failed or was sent; or all of a tenant that failed, or are held after a restore, since a time. A gateway with --smtp-url sends them."`
		Test   mailTestCmd   `cmd:"" help:"Send a line to an address now, to test e-mail."`
	} `cmd:"" help:"E-mail to the recipients of documents: list, resend, test."`
	Job struct {
		List   jobListCmd   `cmd:"" help:"Show the work in the background: what is due, running, may have stopped a gateway, or was set aside because it stopped the gateway twice."`
		Show   jobShowCmd   `cmd:"" help:"Show one piece of work, and its items that stopped the gateway."`
		Cancel jobCancelCmd `cmd:"" help:"End a piece of work, or an item of it permanently, also while no gateway serves."`
		Retry  jobRetryCmd  `cmd:"" help:"Try again what has failed or was set aside."`
	} `cmd:"" help:"Work in the background, such as bulk jobs: list, show, cancel, retry."`
	Retention struct {
		Show retentionShowCmd `cmd:"" help:"Show how long each kind of a tenant's data is kept."`
		Set  retentionSetCmd  `cmd:"" help:"Set how long kinds of a tenant's data are kept. What is older is deleted within an hour or two."`
	} `cmd:"" help:"How long data is kept: show, set."`
	Erase   eraseCmd      `cmd:"" help:"Erase the personal data and files of Trust documents and stamps, forever. References, hashes and status stay, and are verified as before."`
	Backup  backupCmd     `cmd:"" help:"Write the gateway's data to one file, also while it serves."`
	Restore restoreCmd    `cmd:"" help:"Make a data folder from a backup."`
	Fsck    fsckCmd       `cmd:"" help:"Check rows against files, both ways, and against each other. After a restore: decide whether to publish again."`
	Lost    revokeLostCmd `cmd:"" name:"revoke-lost" help:"Revoke stamps that were made after the backup of a restore, so that this gateway has no record of them."`
	Device  struct {
		List   deviceListCmd   `cmd:"" help:"List devices that sent signed scans. A flag says that two devices seem to have one key."`
		Clock  deviceClockCmd  `cmd:"" help:"List corrections of a device's clock: the documents and scans that it had dated ahead, and each time that an operator confirmed its clock."`
		Clear  deviceClearCmd  `cmd:"" help:"Remove the flag of a device, once its cause is known."`
		Name   deviceNameCmd   `cmd:"" help:"Give a device a name."`
		Refuse deviceRefuseCmd `cmd:"" help:"Take no more scans of a device, such as a lost phone. It shows the reason and keeps its scans. Scans that arrived before stay."`
		Accept deviceAcceptCmd `cmd:"" help:"Take scans of a refused device again."`
	} `cmd:"" help:"Devices that send scans: list, clear, name, refuse, accept."`
	EnrolCode enrolCodeCmd `cmd:"" help:"Show the QR code for enrolling scanners: this gateway's address and its root's fingerprint."`
	Root      struct {
		Show    rootShowCmd    `cmd:"" help:"Show the root's fingerprint, which scanners pin: tcode-scan enrol --root FINGERPRINT. Or show a root in a file, and its signers."`
		Init    rootInitCmd    `cmd:"" help:"Make root keys in files that a passphrase seals, on a machine without a network. Needs no gateway."`
		Rotate  rootRotateCmd  `cmd:"" help:"Make the next root: other keys, another threshold, another year. Nothing changes until it is signed and published."`
		Sign    rootSignCmd    `cmd:"" help:"Sign a root with a key file, on a machine without a network. Needs no gateway."`
		Publish rootPublishCmd `cmd:"" help:"Publish a root that enough keys have signed. Running gateways accept it immediately."`
	} `cmd:"" help:"The trust root that scanners pin at enrolment, and the keys that may change it: show, init, rotate, sign, publish."`
	Mirror    mirrorCmd `cmd:"" help:"Write the trust documents as files, for a web server that scanners fetch from without this gateway."`
	OnlineKey struct {
		Rotate onlineKeyRotateCmd `cmd:"" help:"Make a new online key and the root that names it. With the root key on the gateway it is published immediately; otherwise the root must be signed and published. Scanners drop the documents that the old key signed: do this when the key was stolen, or when the gateway published with a clock far ahead."`
	} `cmd:"" help:"The key that signs the trust documents: rotate, also after a theft."`
	About cli.About `embed:""`

	webhooksAllowPrivate bool // the flag of commands about webhooks
	adoptFiles           bool // the flag of fsck
}

const description = `Stamps PDFs with signed barcodes, verifies them, and publishes what offline scanners trust.

A first session:
  tcode-gateway init
  tcode-gateway tenant create --name "Acme University" --reference ACME01
  tcode-gateway key create --tenant ACME01 --name "student office"
  tcode-gateway serve`
