package webhook

import (
	"fmt"
	"time"
)

// Limits of stored data.
const (
	MaxEndpoints = 20     // of a tenant
	MaxWaiting   = 50_000 // waiting deliveries of an endpoint that accepts none; with more it is disabled
	maxURL       = 2000   // bytes
)

// MaxHeld is the number of a tenant's endpoints that all gateways send to concurrently:
// half of one gateway's limit, so that a tenant with only slow receivers does not delay
// the others.
const MaxHeld = 8

// Retention is the time for which deliveries are kept after their end.
const Retention = 30 * 24 * time.Hour

// Overlap is the time for which an old secret still signs, together with the new one.
const Overlap = 24 * time.Hour

// An EndpointState says whether the gateway sends to an endpoint.
type EndpointState string

// The states of an endpoint.
const (
	Enabled  EndpointState = "enabled"
	Disabled EndpointState = "disabled"
)

// An Endpoint is an address at which a tenant receives events.
type Endpoint struct {
	Tenant string
	ID     string // UUIDv7
	URL    string // may hold a secret of the receiver: never logged
	Events Filter
	State  EndpointState
	Reason string // why it is disabled

	// Secret and OldSecret are sealed. OldSecret is nil unless the secret was changed, and is
	// valid until OldUntil.
	Secret, OldSecret []byte
	OldUntil          time.Time

	Failing
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Failing counts the recent failures of an endpoint.
type Failing struct {
	Since    time.Time // time of the first failed try since the last success; zero: the last try succeeded
	Failures int       // tries since then
}

// An endpoint is disabled after this number of tries in a row, over this time, without a
// success.
const (
	disableAfter = 3 * 24 * time.Hour
	disableTries = 2 * MaxTries
)

// ShouldDisable reports whether further tries are useless, with the reason.
func (f Failing) ShouldDisable(now time.Time) (reason string, yes bool) {
	if f.Failures < disableTries || f.Since.IsZero() || now.Sub(f.Since) < disableAfter {
		return "", false
	}
	return fmt.Sprintf("none of %d tries since %s went well", f.Failures, f.Since.UTC().Format(time.DateTime+" UTC")), true
}

// CheckBacklog reports whether an endpoint has failed long enough to check the number of
// its waiting deliveries.
func (f Failing) CheckBacklog() bool { return f.Failures >= MaxTries }

// The reasons why an endpoint is disabled.
const (
	ReasonGone   = "the receiver answered 410 Gone"
	ReasonPerson = "disabled by a person"
)

// ReasonBacklog is the reason of an endpoint with more than [MaxWaiting] waiting deliveries.
var ReasonBacklog = fmt.Sprintf("it takes nothing, and more than %d deliveries wait for it", MaxWaiting)

// The reasons why a delivery failed without a try.
const (
	ReasonDisabled = "the endpoint was disabled"
	ReasonRestored = "it waited in a backup that the gateway was restored from: it may have been delivered since"
)

// ReasonBegun is the reason of a try, and of its delivery, while it is made, and
// permanently if the gateway was killed in it.
const ReasonBegun = "begun, and not known to have ended"

// SecretName returns the name of an endpoint's secrets for the keyring.
func SecretName(id string) string { return "webhook " + id }
