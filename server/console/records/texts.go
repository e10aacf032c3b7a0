package records

import (
	"tcode/server/console/frame"
	"tcode/server/issue/batch"
	"tcode/server/outbound/delivery"
	"tcode/sync/wire"
)

// words are the words of these screens in one language.
type words struct {
	Stamps, Documents, Export, IssueTitle, StampOne, OrderRuns, OrderOpen, Status, All, SearchHint, Type, Any, Template string
	From, To, Kinds, Live, Test, Sort, Newest, Oldest, SelectPage, Reference, Name, Issued, Select, Pages               string
	NoneMatch, NoneMatchText, NoneYet, FirstDocument, FirstStamp                                                        string
	AllMatching, Range, Tries, VerifiedTimes                                                                            string // with numbers

	Replace, OwnedBy, OwnedText, OpenDocument, Facts, External, ByWhom, Expires, Signed, Mail, Key, Fingerprint, Symbol, Page, Grade string
	Chain, ThisOne, Warnings, Timeline, Changes, Scans, Scanned, DeviceSaid, GatewaySaid, Device, Gateway, NoLines                   string
	PublicSees, Open, Issuer, ItsStamp, Files, LinksEnd, NoFiles, NeverVerified                                                      string

	ReasonHint, TypeLast, TypeThis, TheFilter, NoFilter, UntilNow, LeftOwned, LeftOther, TooMany, TooManyText, BackToList, NothingToDo string
	NeedReason, BadReason, Mistyped, Moved                                                                                             string
	Progress, OfTotal, Changed, LeftOut, Begun, StopWhy, Refresh, StopOrder                                                            string

	ReplaceTitle, ReplaceText, ChooseTemplate, UseTemplate, NoTemplates, NoTemplatesText, ToTemplates, NeedTemplate string
	Recipient, Title, Optional, EndOfDay, Way, File, FileMay, FileMust, Generate, GenerateHint, IssueIt             string

	Address, SendMail, SendMailHint string

	Erase, ErasedOn, ErasedText, Erasing string

	BadFilter frame.Note

	States, Acts, Verb, Effect, Ask, AskMany, OrderTitle, Events, Done, Verdicts, Public, FileKinds, Ways map[string]string

	OrderStates map[batch.State]string
	Mails       map[delivery.State]string
	Findings    map[wire.Finding]string
}

// title returns the name of the list of a kind.
func (t *words) title(k kind) string {
	if k.about().Subject == batch.Documents {
		return t.Documents
	}
	return t.Stamps
}

// texts are the words by language.
var texts = frame.Lexicon[words]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}

var english = words{
	Stamps: "Stamps", Documents: "Trust documents", Export: "Export CSV", IssueTitle: "Issue a Trust document", StampOne: "Stamp a document",
	OrderRuns: "This is being done now.", OrderOpen: "See how far it is", Status: "Status", All: "All", SearchHint: "Reference, name, external id", Type: "Type", Any: "any", Template: "Template",
	From: "Issued from", To: "to", Kinds: "Kind", Live: "live", Test: "test", Sort: "Order", Newest: "newest first", Oldest: "oldest first", SelectPage: "Select all on this page",
	Reference: "Reference", Name: "Name", Issued: "Issued", Select: "Select", Pages: "Pages",
	NoneMatch: "Nothing matches", NoneMatchText: "No record has all that the filter asks for.", NoneYet: "None yet",
	FirstDocument: "Issue a document here, many as a bulk job, or let your own system do it with an API key.", FirstStamp: "Stamp a document here, many as a bulk job, or let your own system do it with an API key.",
	AllMatching: "All %s that match, on all pages", Range: "%d to %d of %s", Tries: "Tries: %d.", VerifiedTimes: "Verified %s times",

	Replace: "Replace", OwnedBy: "Belongs to", OwnedText: "It is suspended, revoked and replaced with that document, not alone.", OpenDocument: "Open the document",
	Facts: "Document", External: "Your number", ByWhom: "by", Expires: "Expires", Signed: "signed", Mail: "E-mail", Key: "Signing key", Fingerprint: "SHA-256 of the file", Symbol: "Symbol", Page: "page", Grade: "grade",
	Chain: "Replacements", ThisOne: "this one", Warnings: "Notes of the stamping", Timeline: "Timeline", Changes: "Changes", Scans: "Scans", Scanned: "Scanned:", DeviceSaid: "The device said", GatewaySaid: "the gateway said", Device: "Device",
	Gateway: "The gateway", NoLines: "Nothing of this kind has happened.",
	PublicSees: "What the public sees", Open: "Open", Issuer: "Issuer", ItsStamp: "Its stamp", Files: "Files", LinksEnd: "The addresses work for 15 minutes.", NoFiles: "There is no file.", NeverVerified: "It has not been looked up yet.",

	ReasonHint: "It is kept in the history, the audit log and webhooks. Scanners do not show it.", TypeLast: "Type the last four characters:", TypeThis: "To confirm, type", TheFilter: "All that match:", NoFilter: "no filter",
	UntilNow: "What is issued from now on is not changed.", LeftOwned: "Left out: they belong to Trust documents", LeftOther: "Left out: the action does not change them", TooMany: "More than 10,000 records match.", TooManyText: "Narrow the filter, for example by dates, and do it in parts.",
	BackToList: "Back to the list", NothingToDo: "None of them would be changed.",
	NeedReason: "Give a reason.", BadReason: "This is too long, or has characters that cannot be kept.", Mistyped: "This is not what has to be typed.", Moved: "The selection has changed since you saw it. Nothing was done. Check the numbers below.",
	Progress: "Progress", OfTotal: "done of", Changed: "changed", LeftOut: "left out", Begun: "Begun", StopWhy: "Stopped because", Refresh: "Refresh", StopOrder: "Stop",

	ReplaceTitle: "Replace by a new document", ReplaceText: "The new one gets its own reference. This one is revoked at the same moment and says that it was replaced.", ChooseTemplate: "Choose a template", UseTemplate: "Use this template",
	NoTemplates: "There is no Trust template yet", NoTemplatesText: "A template says which fields a document has.", ToTemplates: "To the templates", NeedTemplate: "Choose a template.",
	Recipient: "Recipient", Title: "Title", Optional: "(optional)", EndOfDay: "It is valid until the end of that day, in UTC.", Way: "Form", File: "File", FileMay: "A PDF, or a picture (PNG, JPEG, TIFF). A document with a stamp needs one. Choose it again after a refusal.", FileMust: "The new PDF or picture (PNG, JPEG, TIFF). Choose it again after a refusal.", Generate: "Draw a certificate page instead", GenerateHint: "Without a file the gateway draws one page with the issuer, the recipient and the fields, and stamps it.", IssueIt: "Issue",

	Address: "Address", SendMail: "Send it", SendMailHint: "Sends the document to this address, also when it was sent before. A new address is kept.",
	Erase: "Erase", ErasedOn: "Files and personal data were erased on", ErasedText: "Reference, hash, signature and status stay: it is verified as before.", Erasing: "Copies are still being removed.",

	BadFilter: frame.Note{Title: "The filter is not valid", Text: "One of its members cannot be used. It was left out."},

	States:     map[string]string{"Active": "Active", "Suspended": "Suspended", "Revoked": "Revoked", "Expired": "Expired", "Replaced": "Replaced"},
	Acts:       map[string]string{"suspend": "Suspend", "reactivate": "Reactivate", "reinstate": "Reactivate", "revoke": "Revoke", "expire": "End now"},
	Verb:       map[string]string{"suspend": "suspend", "reactivate": "reactivate", "reinstate": "reactivate", "revoke": "revoke", "expire": "end"},
	Effect:     map[string]string{"suspend": "Scanners and the public page say that it is suspended, until it is reactivated. Scanners learn it at their next refresh.", "reactivate": "It is valid again. Scanners learn it at their next refresh.", "reinstate": "It is valid again. Scanners learn it at their next refresh.", "revoke": "Revoking is permanent. Scanners learn it at their next refresh; those without a network go on for up to 7 days with amber.", "expire": "The document ends now, permanently."},
	Ask:        map[string]string{"suspend": "Suspend this one?", "reactivate": "Reactivate this one?", "reinstate": "Reactivate this one?", "revoke": "Revoke this one permanently?", "expire": "End this document now?"},
	AskMany:    map[string]string{"suspend": "Suspend %s records?", "reactivate": "Reactivate %s records?", "reinstate": "Reactivate %s records?", "revoke": "Revoke %s records permanently?", "expire": "End %s documents now?"},
	OrderTitle: map[string]string{"suspend": "Suspend %s records", "reactivate": "Reactivate %s records", "reinstate": "Reactivate %s records", "revoke": "Revoke %s records", "expire": "End %s documents"},
	Events:     map[string]string{"create": "Stamped", "issue": "Issued", "suspend": "Suspended", "reactivate": "Reactivated", "reinstate": "Reactivated", "revoke": "Revoked", "replace": "Replaced", "expire": "Expired"},
	Done:       map[string]string{"mailed": "Its e-mail is on its way.", "suspend": "It is suspended.", "reactivate": "It is active again.", "reinstate": "It is active again.", "revoke": "It is revoked.", "expire": "It has ended.", "replaced": "This is the new document. The old one is revoked.", "issued": "The document is issued.", "erased": "Its files and personal data are erased.", "already": "It was changed meanwhile. This is how it is now.", "nothing": "Choose records by their boxes first."},
	Verdicts:   map[string]string{"valid": "VALID", "suspended": "SUSPENDED", "revoked": "REVOKED", "expired": "EXPIRED", "not_found": "NOT GENUINE", "unverified": "UNVERIFIED"},
	Public:     map[string]string{"compare": "Reference is valid, COMPARE", "not_found": "Test document: unknown to the public", "Suspended": "SUSPENDED", "Revoked": "REVOKED", "Replaced": "REPLACED", "Expired": "EXPIRED"},
	FileKinds:  map[string]string{"stamped": "Stamped PDF", "original": "Original file", "barcode": "Symbol as a picture", "payload": "Content of the symbol"},
	Ways:       map[string]string{"digital": "digital", "tcode": "stamped, for paper", "both": "both"},

	OrderStates: map[batch.State]string{batch.Running: "In progress", batch.Done: "Done", batch.Stopped: "Stopped: what was changed stays changed"},
	Mails: map[delivery.State]string{
		delivery.NotConfigured: "Not mailed: this gateway sends no e-mail", delivery.Waiting: "Mail waits for its next try", delivery.Sending: "Mail is being sent", delivery.Sent: "Mailed",
		delivery.Refused: "Mail was refused", delivery.Failed: "Mail could not be sent", delivery.Dropped: "Not mailed: the document had ended",
	},
	Findings: map[wire.Finding]string{
		wire.TestDocument: "A test document was shown.", wire.PayloadOnOtherFile: "The stamp was on another file.", wire.AcceptedUnknown: "The device accepted what the gateway does not know.", wire.RevokedWhenScanned: "It was revoked already when it was scanned.",
		wire.SuspendedWhenScanned: "It was suspended when it was scanned.", wire.RefusedOnDevice: "The device refused what is valid.", wire.RevokedSince: "It was revoked since.", wire.SuspendedSince: "It was suspended since.",
		wire.AddedToFile: "Something was added to the file.", wire.ClockWasAhead: "The device's clock was ahead.", wire.UndecidedOnDevice: "The device could not decide.",
	},
}
