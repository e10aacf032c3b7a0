package webhook

import (
	"encoding/json"
	"fmt"
	"time"
)

// An Event is what a receiver gets, as JSON. Members of a type's data are only
// ever added. What is said of people stays in the gateway: ids, references and
// the reason that somebody gave are all there is.
type Event struct {
	ID              string    `json:"id"` // UUIDv7; the same for all endpoints
	Type            EventType `json:"type"`
	CreatedAt       time.Time `json:"createdAt"` // when it happened, UTC
	TenantReference string    `json:"tenantReference"`
	Data            any       `json:"data"` // one of the structs below
}

// Body returns the JSON text of e.
func (e Event) Body() (string, error) {
	e.CreatedAt = e.CreatedAt.UTC()
	if e.Data == nil {
		e.Data = struct{}{}
	}
	b, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("body of event %s: %w", e.Type, err)
	}
	return string(b), nil
}

// StampData is the data of stamp.*.
type StampData struct {
	ID             string  `json:"id"`
	Reference      string  `json:"reference"`
	Status         string  `json:"status"`
	PreviousStatus *string `json:"previousStatus"`
	ExternalID     *string `json:"externalId"`
	Reason         *string `json:"reason"`
	ReplacedBy     *string `json:"replacedBy"`        // reference
	Document       *string `json:"documentReference"` // of the Trust document that owns it
	Test           bool    `json:"test"`
}

// DocumentData is the data of document.*.
type DocumentData struct {
	ID             string  `json:"id"`
	Reference      string  `json:"reference"`
	Status         string  `json:"status"`
	PreviousStatus *string `json:"previousStatus"`
	ExternalID     *string `json:"externalId"`
	Reason         *string `json:"reason"`
	ReplacedBy     *string `json:"replacedBy"` // reference
	TemplateID     string  `json:"templateId"`
	StampReference *string `json:"stampReference"`
	Test           bool    `json:"test"`
}

// BulkData is the data of bulk.*. The counts are of rows.
type BulkData struct {
	ID        string `json:"id"`
	Product   string `json:"product"`
	Status    string `json:"status"`
	DryRun    bool   `json:"dryRun"`
	Test      bool   `json:"test"` // what it makes are test documents
	Total     int    `json:"total"`
	Succeeded int    `json:"succeeded"`
	Failed    int    `json:"failed"`
	Skipped   int    `json:"skipped"`
}

// ConflictData is the data of scan.conflict: of one batch, the tenant's scans
// whose ids were used before. Scans has the first [MaxConflicts] of them.
type ConflictData struct {
	ScannerID string         `json:"scannerId"`
	BatchID   string         `json:"batchId"`
	Count     int            `json:"count"`
	Scans     []ConflictScan `json:"scans"`
}

// MaxConflicts is how many scans an event names.
const MaxConflicts = 100

// A ConflictScan is one of the second scans, which are kept beside the first.
type ConflictScan struct {
	ScanID    string    `json:"scanId"`
	Reference string    `json:"reference"` // what was scanned
	Verdict   string    `json:"verdict"`   // the gateway's
	ScannedAt time.Time `json:"scannedAt"`
}

// KeyData is the data of key.rotated.
type KeyData struct {
	KeyID         string    `json:"keyId"`
	PreviousKeyID *string   `json:"previousKeyId"`
	PreviousState *string   `json:"previousState"` // verifying, or compromised
	Algorithm     string    `json:"algorithm"`
	ValidFrom     time.Time `json:"validFrom"`
}

// OrNull is nil for "", which JSON writes as null.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
