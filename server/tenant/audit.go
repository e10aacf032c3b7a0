package tenant

import (
	"context"
	"strings"
	"time"
)

// Actor is the kind of author of a change.
type Actor string

// The actors. The words are in the database.
const (
	ActorKey      Actor = "key"      // a request with an API key; Name is its visible prefix
	ActorOperator Actor = "operator" // a command on the gateway's machine; Name is the system's user
	ActorUser     Actor = "user"     // a user of the console; Name is the user
	ActorSystem   Actor = "system"   // the gateway itself, by the calendar
)

// By names the author of a change and the request.
type By struct {
	Actor   Actor
	Name    string // see [Actor]; never a secret
	TraceID string // 32 hex digits as in W3C traceparent; "" outside a request
}

// By returns the author of id's changes, for the audit log.
func (id Identity) By() By {
	if id.User != "" {
		return By{Actor: ActorUser, Name: id.User, TraceID: id.TraceID}
	}
	return By{Actor: ActorKey, Name: id.KeyPrefix, TraceID: id.TraceID}
}

// userWord begins the author of a user's changes.
const userWord = "user:"

// Author returns the author of id's changes as one word, for histories: the visible part
// of the key, or "user:" and the id of the user.
func (id Identity) Author() string { return id.By().Author() }

// Author is [Identity.Author] for the author of a change; "" if it is neither a key nor a user.
func (by By) Author() string {
	switch by.Actor {
	case ActorUser:
		return userWord + by.Name
	case ActorKey:
		return by.Name
	}
	return ""
}

// WithAuthor returns id with the author that [Identity.Author] returned.
func (id Identity) WithAuthor(author string) Identity {
	user, ok := strings.CutPrefix(author, userWord)
	if ok {
		id.User, id.KeyPrefix = user, ""
	} else {
		id.User, id.KeyPrefix = "", author
	}
	return id
}

// Entry returns the audit row of a change that id makes to its own tenant's things.
// action is a noun and a verb, "stamp.revoke"; subject is the reference or id of the
// thing.
func (id Identity) Entry(action, subject string, at time.Time) *Entry {
	return &Entry{Tenant: id.Tenant.Reference, By: id.By(), Action: action, Subject: subject, At: at}
}

type byKey struct{}

// WithBy returns a context with the author by of its changes. The operator's services,
// which take no [Identity], record their caller by it.
func WithBy(ctx context.Context, by By) context.Context { return context.WithValue(ctx, byKey{}, by) }

// ByOf returns the author of the context's changes: the gateway itself, unless [WithBy]
// set another.
func ByOf(ctx context.Context) By {
	if by, ok := ctx.Value(byKey{}).(By); ok {
		return by
	}
	return By{Actor: ActorSystem}
}

// NewEntry returns the audit row of a change by the author in ctx. tenant is "" for things
// that belong to no tenant, such as a document type.
func NewEntry(ctx context.Context, tenant, action, subject string, at time.Time) *Entry {
	return &Entry{Tenant: tenant, By: ByOf(ctx), Action: action, Subject: subject, At: at}
}

// An Entry is one row of the audit log: one change, written in the change's own
// transaction, so that there is a row exactly if the change took place. Rows are never
// altered or deleted. They contain no names, field values or secrets, so an auditor may
// see them.
type Entry struct {
	ID      int64  // given by the store, rising
	Tenant  string // owner of the changed thing; "" for things that belong to no tenant
	By      By
	Action  string            // noun and verb: "stamp.revoke", "key.create"
	Subject string            // reference, id or prefix of the thing; at most 100 bytes
	Detail  map[string]string // further data for an auditor, such as the new state; may be nil
	At      time.Time
}

// With returns e with one more detail.
func (e *Entry) With(name, value string) *Entry {
	if e.Detail == nil {
		e.Detail = make(map[string]string)
	}
	e.Detail[name] = value
	return e
}

// The operator's actions. Other packages define the actions on stamps and
// templates.
const (
	ActionTenantCreate   = "tenant.create"
	ActionTenantSuspend  = "tenant.suspend"
	ActionTenantActivate = "tenant.activate"
	ActionTenantPlan     = "tenant.plan"
	ActionTenantLanguage = "tenant.language"

	ActionKeyCreate = "key.create"
	ActionKeyRevoke = "key.revoke"
	ActionKeyRotate = "key.rotate" // the subject is the old key, the detail newKey the new one

	ActionSigningKeyRotate     = "signing_key.rotate"
	ActionSigningKeyOpen       = "signing_key.open" // an announced key begins to sign
	ActionSigningKeyRetire     = "signing_key.retire"
	ActionSigningKeyCompromise = "signing_key.compromise"

	ActionKeysetRotate = "keyset.rotate"
)

// An AuditFilter selects rows of the audit log. Zero members select all.
type AuditFilter struct {
	Tenant   string // "": of every tenant, and of none
	Action   string // an action, or with a dot at its end all actions of a noun: "stamp."
	Actor    Actor  // the kind of author
	By       string // the author's name, see [By]
	Subject  string
	From, To time.Time // To is exclusive
	Before   int64     // only rows before this one, to page back; 0: from the newest
	Limit    int       // 1 to 1000; zero: 100
}

// An AuditPage is one page of the audit log.
type AuditPage struct {
	Items             []Entry
	TotalCount        int
	TotalIsLowerBound bool // there are more than TotalCount
}
