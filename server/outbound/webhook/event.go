package webhook

import (
	"slices"
	"strings"
)

// An EventType is the kind of an event. The part before the point is the kind of its
// subject.
type EventType string

// The events.
const (
	StampCreated        EventType = "stamp.created"
	StampSuspended      EventType = "stamp.suspended"
	StampReactivated    EventType = "stamp.reactivated"
	StampRevoked        EventType = "stamp.revoked"
	StampReplaced       EventType = "stamp.replaced"
	DocumentIssued      EventType = "document.issued"
	DocumentSuspended   EventType = "document.suspended"
	DocumentReactivated EventType = "document.reactivated"
	DocumentRevoked     EventType = "document.revoked"
	DocumentReplaced    EventType = "document.replaced"
	DocumentExpired     EventType = "document.expired"
	BulkCompleted       EventType = "bulk.completed"
	BulkFailed          EventType = "bulk.failed"
	BulkCancelled       EventType = "bulk.cancelled"
	ScanConflict        EventType = "scan.conflict"  // a device sent another scan under an id that it had used before
	ScanFinding         EventType = "scan.finding"   // devices and gateway disagree, or there is another reason to check a scan
	DeviceFlagged       EventType = "device.flagged" // two devices seem to have one key
	KeyRotated          EventType = "key.rotated"    // another key of the tenant begins to sign

	// Ping is sent only by [Service.Test], whatever the endpoint's filter is.
	Ping EventType = "ping"
)

// EventTypes returns all events that a filter can select.
func EventTypes() []EventType {
	return []EventType{
		StampCreated, StampSuspended, StampReactivated, StampRevoked, StampReplaced,
		DocumentIssued, DocumentSuspended, DocumentReactivated, DocumentRevoked, DocumentReplaced, DocumentExpired,
		BulkCompleted, BulkFailed, BulkCancelled, ScanConflict, ScanFinding, DeviceFlagged, KeyRotated,
	}
}

// A Filter selects events: by type, or all of one kind as "stamp.*", or all as
// "*".
type Filter []string

// Wants reports whether an event of the type passes f.
func (f Filter) Wants(t EventType) bool {
	kind, _, _ := strings.Cut(string(t), ".")
	return slices.ContainsFunc(f, func(s string) bool { return s == "*" || s == string(t) || s == kind+".*" })
}

// Unknown returns the first entry of f that selects no event, and whether there is
// one.
func (f Filter) Unknown() (string, bool) {
	for _, s := range f {
		if !slices.ContainsFunc(EventTypes(), func(t EventType) bool { return Filter{s}.Wants(t) }) {
			return s, true
		}
	}
	return "", false
}
