package records

import (
	"context"
	"time"

	"tcode/offline/dates"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/batch"
	"tcode/server/issue/stamp"
	"tcode/server/outbound/delivery"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// about says in what a kind differs.
type about struct {
	Path     string // of its list
	Subject  batch.Subject
	Prefix   string // of its references
	Verified verify.Kind
	Statuses []string
	Actions  []string // in the order of buttons
}

// kind is a kind of records.
type kind interface {
	about() about
	list(ctx context.Context, tenantRef string, q query) (page, error)
	choose(ctx context.Context, tenantRef string, q query, ids []string, action string) (issue.Choice, error)
	get(ctx context.Context, tenantRef, id string) (record, error)
	// next returns the status after an action, or a fault.
	next(status, action string) (string, error)
	act(ctx context.Context, id tenant.Identity, recordID, action, reason string) error
	// templates returns the templates of the filter.
	templates(ctx context.Context, tenantRef string) ([]option, error)
}

// option is a choice in a form.
type option struct{ Value, Label string }

// row is a line of a list.
type row struct {
	ID, Reference, Status, Name, Sub, Type string
	Created, Updated, Expires              time.Time
	Test, Owned                            bool
	place                                  issue.Place
}

// LastDay returns when a record ends, for people.
func (r row) LastDay() string { return dates.LastDay(r.Expires) }

// expiresOn returns the last day before its end, "" without one.
func (r row) expiresOn() string {
	if r.Expires.IsZero() {
		return ""
	}
	return dates.LastOn(r.Expires)
}

// page is a page of a list.
type page struct {
	Rows  []row
	Total int
	More  bool // there are more than Total
}

// fact is a field of a record.
type fact struct {
	Key, Label, Value string
	Signed            bool
}

// record is one stamp or document with what its screen shows.
type record struct {
	row
	Raw        [10]byte
	Reason     string // of the last change of status
	Fields     []fact
	Files      []stamp.File
	Delivery   *delivery.Message
	Address    string // of the recipient; "" if none
	Replaces   string // references
	ReplacedBy string
	Document   string // reference of the document that owns it
	StampRef   string // reference of the stamp that it owns
	Template   string // name
	Warnings   []string
	KeySeq     uint8
	Issued     time.Time
	SHA256     string // of the file that people have; "" for none
	Symbol     *symbol
	Events     []event
	Erased     time.Time // zero: it is not erased
	source     any       // the stamp or document
}

// symbol is the drawn symbol of a stamp.
type symbol struct {
	Modules   int
	SizeMM    float64
	Page, DPI int
	Grade     string
}

// event is a line of a record's history.
type event struct {
	Action, Reason, By string
	At                 time.Time
}

// offers returns the actions that change a record in a status.
func offers(k kind, status string, owned bool) (out []string) {
	if owned {
		return nil
	}
	for _, a := range k.about().Actions {
		if to, err := k.next(status, a); err == nil && to != status {
			out = append(out, a)
		}
	}
	return out
}

// pick makes a choice of records by their ids.
func pick(ctx context.Context, k kind, tenantRef string, ids []string, action string) (c issue.Choice, err error) {
	seen := map[string]bool{}
	for _, id := range ids {
		rec, err := k.get(ctx, tenantRef, id)
		if fault.Is(err, fault.NotFound) || seen[rec.ID] {
			continue
		}
		if err != nil {
			return c, err
		}
		seen[rec.ID] = true
		to, err := k.next(stored(rec.Status), action)
		c.Take(rec.ID, rec.Status, err == nil && to != stored(rec.Status), rec.Document != "")
	}
	return c, nil
}

// replaced is the status that screens show of a record that has a successor.
const replaced = "Replaced"

// shown returns the status that screens show.
func shown(status string, hasSuccessor bool) string {
	if hasSuccessor {
		return replaced
	}
	return status
}

// stored returns the status of the state machines.
func stored(shown string) string {
	if shown == replaced {
		return string(stamp.Revoked)
	}
	return shown
}
