package operator

import (
	"fmt"

	"tcode/server/console/frame"
	"tcode/server/outbound/delivery"
	"tcode/server/tenant"
)

// texts are the words of the screens in one language.
type texts struct {
	Gateway, GatewayText, Publication, Behind, WaitingChanges, PublishedAt, Root, RootFor, RootKeys, RootAlone, Backup, NoBackup, BackupHow, Fsck, NoFsck, FsckHow, Problems string
	MailQueue, NoMail, Running, Version, Database, Since, Fingerprint, FingerprintText, OnlineMissing                                                                        string

	Tenants, Tenant, State, Active, Suspended, StampsOf, Key, KeyAge, NewTenant, Name, Reference, ReferenceHint, Create                        string
	Plan, Everything, Quotas, QuotaHint, PerMinute, Save, Suspend, SuspendText, ToType, Mistyped, Activate, ActivateText, NoNumber, MadeOn     string
	Types, TypesText, Code, CodeHint, NameIn, AddType, Retire, Mail, MailText, AllStates, Show, When, Tries, Reason, NextTry, Resend, SentMany string
	NoMails, Document                                                                                                                          string
	Work, WorkText, Input, WorkAgain, WorkGiveUp, NoWork                                                                                       string
	WorkKinds                                                                                                                                  map[string]string
	Kinds                                                                                                                                      map[tenant.Kind]string
	Entitlements                                                                                                                               map[tenant.Entitlement]string
	MailStates                                                                                                                                 map[delivery.State]string
	Done                                                                                                                                       map[string]string
}

// With returns a sentence with its values, for templates.
func (*texts) With(sentence string, values ...any) string { return fmt.Sprintf(sentence, values...) }

var words = frame.Lexicon[texts]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}
