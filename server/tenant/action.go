package tenant

import (
	"slices"
	"strings"

	"tcode/server/fault"
)

// An Action is what a row of the audit log can say: a noun and a verb, as in "stamp.revoke".
type Action struct {
	Name    string
	Text    string // what was done, for people
	Gateway bool   // to a thing of no tenant, so that only the operator sees it
}

// Actions returns all actions of the audit log, those of a noun together. The packages that
// write them define their names.
func Actions() []Action {
	return []Action{
		{Name: "stamp.create", Text: "A stamp was made."},
		{Name: "stamp.suspend", Text: "A stamp was suspended."},
		{Name: "stamp.reactivate", Text: "A suspended stamp is active again."},
		{Name: "stamp.revoke", Text: "A stamp was revoked."},
		{Name: "stamp.revoke_lost", Text: "The operator revoked a stamp that the database lost."},
		{Name: "stamp.replace", Text: "A stamp was revoked, and a new one made in its place."},
		{Name: "stamp.erase", Text: "The personal data of a stamp was erased."},

		{Name: "document.issue", Text: "A Trust document was issued."},
		{Name: "document.suspend", Text: "A Trust document was suspended."},
		{Name: "document.reinstate", Text: "A suspended Trust document is active again."},
		{Name: "document.revoke", Text: "A Trust document was revoked."},
		{Name: "document.expire", Text: "A Trust document expired."},
		{Name: "document.replace", Text: "A Trust document was revoked, and a new one issued in its place."},
		{Name: "document.mail", Text: "A Trust document was sent again by e-mail."},
		{Name: "document.erase", Text: "The personal data of a Trust document was erased."},

		{Name: "placement.create", Text: "A placement template was made."},
		{Name: "placement.duplicate", Text: "A placement template was copied."},
		{Name: "placement.update", Text: "A placement template was changed."},
		{Name: "placement.delete", Text: "A placement template was deleted."},

		{Name: "tdoc.create", Text: "A TDoc template was made."},
		{Name: "tdoc.update", Text: "A TDoc template was changed."},
		{Name: "tdoc.archive", Text: "A TDoc template was archived."},
		{Name: "tdoc.unarchive", Text: "A TDoc template can be used again."},
		{Name: "tdoc.delete", Text: "A TDoc template was deleted."},

		{Name: "trust_template.create", Text: "A Trust template was made."},
		{Name: "trust_template.duplicate", Text: "A Trust template was copied."},
		{Name: "trust_template.update", Text: "A Trust template was changed."},
		{Name: "trust_template.placement", Text: "A Trust template got another placement template."},
		{Name: "trust_template.archive", Text: "A Trust template was archived."},
		{Name: "trust_template.unarchive", Text: "A Trust template can be used again."},
		{Name: "trust_template.delete", Text: "A Trust template was deleted."},

		{Name: "bulk.create", Text: "A bulk job was sent."},
		{Name: "bulk.cancel", Text: "A bulk job was cancelled."},
		{Name: "bulk.retry", Text: "A bulk job makes its failed rows again."},
		{Name: "batch.begin", Text: "A change of many records began in the console."},
		{Name: "batch.stop", Text: "A change of many records was stopped."},
		{Name: "mail.resend", Text: "The operator had messages sent again."},
		{Name: "mail.cancel", Text: "The operator cancelled a message."},

		{Name: "webhook.create", Text: "A webhook endpoint was made."},
		{Name: "webhook.change", Text: "A webhook endpoint was changed."},
		{Name: "webhook.enable", Text: "A webhook endpoint was enabled."},
		{Name: "webhook.disable", Text: "A webhook endpoint was disabled, by a person or because its deliveries failed."},
		{Name: "webhook.remove", Text: "A webhook endpoint was removed."},
		{Name: "webhook.rotate_secret", Text: "A webhook endpoint got a new secret."},
		{Name: "webhook.redeliver", Text: "Events were sent again to a webhook endpoint."},

		{Name: ActionKeyCreate, Text: "An API key was made."},
		{Name: ActionKeyRotate, Text: "An API key got a successor."},
		{Name: ActionKeyRevoke, Text: "An API key was revoked."},
		{Name: ActionSigningKeyRotate, Text: "A new signing key was made."},
		{Name: ActionSigningKeyOpen, Text: "An announced signing key began to sign."},
		{Name: ActionSigningKeyRetire, Text: "A signing key was retired."},
		{Name: ActionSigningKeyCompromise, Text: "A signing key was declared compromised."},

		{Name: "device.name", Text: "A scanner was named."},
		{Name: "device.refuse", Text: "The scans of a scanner are refused."},
		{Name: "device.accept", Text: "The scans of a scanner are accepted again."},

		{Name: "user.create", Text: "A person was invited to the console."},
		{Name: "user.role", Text: "A user of the console got another role."},
		{Name: "user.disable", Text: "A user of the console was disabled."},
		{Name: "user.reset", Text: "A user of the console got a new link to sign in."},
		{Name: "user.remove", Text: "A user of the console was removed."},
		{Name: "user.password", Text: "A user of the console chose a password."},
		{Name: "user.factor", Text: "A user of the console set up a second factor."},
		{Name: "user.passkey", Text: "A passkey was added, removed or refused."},
		{Name: "user.linked", Text: "A user of the console linked an account of the sign-in provider."},
		{Name: "user.provider", Text: "The sign-in provider of the tenant was set."},
		{Name: "session.begin", Text: "A user signed in to the console."},
		{Name: "session.end", Text: "A session in the console ended."},

		{Name: ActionTenantCreate, Text: "The tenant was made."},
		{Name: ActionTenantPlan, Text: "The plan of the tenant was set."},
		{Name: ActionTenantSuspend, Text: "The tenant was suspended."},
		{Name: ActionTenantActivate, Text: "The tenant is active again."},
		{Name: ActionTenantLanguage, Text: "The language of the tenant's e-mails was set."},
		{Name: "tenant.brand", Text: "The brand of the tenant was set."},
		{Name: "tenant.export", Text: "An export of all data of the tenant began."},
		{Name: "retention.set", Text: "The tenant set how long its records are kept."},

		{Name: "work.set_aside", Text: "Work that stopped the gateway twice was set aside."},
		{Name: "work.retry", Text: "The operator had work done that was set aside."},
		{Name: "work.cancel", Text: "The operator cancelled work."},

		{Name: "document_type.seed", Text: "The first document types were made.", Gateway: true},
		{Name: "document_type.put", Text: "A document type was set.", Gateway: true},
		{Name: "document_type.retire", Text: "A document type was retired.", Gateway: true},
		{Name: "root.publish", Text: "A trust root was published.", Gateway: true},
		{Name: "online_key.create", Text: "The key of the trust documents was made.", Gateway: true},
		{Name: ActionKeysetRotate, Text: "The master keyset got a new key.", Gateway: true},
		{Name: "gateway.backup", Text: "A backup was made.", Gateway: true},
		{Name: "gateway.fsck", Text: "The records and files were checked.", Gateway: true},
		{Name: "database.restore", Text: "A backup was restored.", Gateway: true},
		{Name: "database.reconcile", Text: "Restored records were compared with published documents.", Gateway: true},
		{Name: "database.agree", Text: "The operator accepted a restored database.", Gateway: true},
		{Name: "database.set_back", Text: "A database that is older than its published documents was found.", Gateway: true},
		{Name: "database.adopt_files", Text: "The database took over the place of the files.", Gateway: true},
	}
}

// ActionFilters returns what [AuditFilter] takes as its action, those of a noun together and the
// noun first: "stamp.", "stamp.create", and so on. operator adds actions that only the operator
// sees.
func ActionFilters(operator bool) (filters []string) {
	last := ""
	for _, a := range Actions() {
		if a.Gateway && !operator {
			continue
		}
		noun, _, _ := strings.Cut(a.Name, ".")
		if noun != last {
			filters = append(filters, noun+".")
		}
		filters, last = append(filters, a.Name), noun
	}
	return filters
}

// ActionProblem returns what is wrong with the action of an [AuditFilter], or a zero text. It
// suggests the action that is meant, if one is likely.
func ActionProblem(action string) (problem fault.Text) {
	filters := ActionFilters(true)
	if action == "" || slices.Contains(filters, action) {
		return problem
	}
	if near := fault.Nearest(filters, action); near != "" {
		return fault.Say("is not an action of the audit log: did you mean %s?", near)
	}
	return fault.Say("is not an action of the audit log, such as stamp.revoke, or its noun with a dot, such as stamp.")
}
