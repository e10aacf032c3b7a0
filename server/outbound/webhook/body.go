package webhook

import (
	"fmt"
	"time"

	"tcode/offline/jsontext"
)

// An Event is the JSON body for a receiver. New members may be added to a type's data;
// none is ever removed. Data about people stays in the gateway: an event has only ids,
// references and the reason that an operator gave.
type Event struct {
	ID              string    `json:"id"` // UUIDv7; the same for all endpoints
	Type            EventType `json:"type"`
	CreatedAt       time.Time `json:"createdAt"` // time of the event, UTC
	TenantReference string    `json:"tenantReference"`
	Data            any       `json:"data"` // one of the structs below
}

// Body returns the JSON text of e.
func (e Event) Body() (string, error) {
	e.CreatedAt = e.CreatedAt.UTC()
	if e.Data == nil {
		e.Data = struct{}{}
	}
	b, err := jsontext.Marshal(e)
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

	ExpiresAt *time.Time `json:"expiresAt"` // null: never
	ExpiresOn *string    `json:"expiresOn"` // the last day in UTC on which it is valid, as 2027-01-31
}

// BulkData is the data of bulk.*. The counts are of rows.
type BulkData struct {
	ID        string `json:"id"`
	Product   string `json:"product"`
	Status    string `json:"status"`
	DryRun    bool   `json:"dryRun"`
	Test      bool   `json:"test"` // the job makes test documents
	Total     int    `json:"total"`
	Succeeded int    `json:"succeeded"`
	Failed    int    `json:"failed"`
	Skipped   int    `json:"skipped"`
}

// ScanData is the data of scan.conflict and scan.finding. It covers the tenant's scans in
// one batch whose ids were used before, or that have a finding. Scans has the first
// [MaxScans] of them.
type ScanData struct {
	ScannerID string `json:"scannerId"`
	BatchID   string `json:"batchId"`
	Count     int    `json:"count"`
	Scans     []Scan `json:"scans"`
}

// MaxScans is the largest number of scans in an event.
const MaxScans = 100

// A Scan is one of them. In a conflict it is the second one, which is stored in addition
// to the first.
type Scan struct {
	ScanID         string    `json:"scanId"`
	Reference      string    `json:"reference"`      // of the scanned document
	Verdict        string    `json:"verdict"`        // the worse of the device's and the gateway's
	GatewayVerdict string    `json:"gatewayVerdict"` // the gateway's, now
	VerdictAtScan  string    `json:"verdictAtScan"`  // the gateway's, as of scannedAt
	OfflineVerdict *string   `json:"offlineVerdict"` // the device's
	Binding        *string   `json:"binding"`
	Finding        *string   `json:"finding"` // a word of sync/wire's table
	ScannedAt      time.Time `json:"scannedAt"`
}

// DeviceData is the data of device.flagged: the tenant's first scan in a batch that shows
// a second device with the same key.
type DeviceData struct {
	ScannerID   string    `json:"scannerId"`
	BatchID     string    `json:"batchId"`
	Reason      string    `json:"reason"` // seq_reused or seq_went_back
	Seq         uint64    `json:"seq"`
	ScanID      string    `json:"scanId"`
	OtherScanID *string   `json:"otherScanId"` // of the scan that had the number
	Reference   string    `json:"reference"`
	ScannedAt   time.Time `json:"scannedAt"`
}

// KeyData is the data of key.rotated.
type KeyData struct {
	KeyID         string    `json:"keyId"`
	PreviousKeyID *string   `json:"previousKeyId"`
	PreviousState *string   `json:"previousState"` // verifying, or compromised
	Algorithm     string    `json:"algorithm"`
	ValidFrom     time.Time `json:"validFrom"`
}

// OrNull returns nil for "", which JSON writes as null.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
