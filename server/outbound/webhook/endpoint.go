package webhook

import (
	"fmt"
	"time"
)

// Limits of what is kept.
const (
	MaxEndpoints = 20     // of a tenant
	MaxWaiting   = 50_000 // deliveries for an endpoint that takes none; with more it is disabled
	maxURL       = 2000   // bytes
)

// MaxHeld is how many of a tenant's endpoints are sent to at the same time, by
// all gateways: half of what one can do, so that a tenant whose receivers are
// all slow does not hold up the others.
const MaxHeld = 8

// Retention is how long deliveries are kept after their end.
const Retention = 30 * 24 * time.Hour

// Overlap is how long a secret that was changed still signs, as the new one does.
const Overlap = 24 * time.Hour

// An EndpointState says whether an endpoint is sent anything.
type EndpointState string

// The states of an endpoint.
const (
	Enabled  EndpointState = "enabled"
	Disabled EndpointState = "disabled"
)

// An Endpoint is an address that a tenant wants events at.
type Endpoint struct {
	Tenant string
	ID     string // UUIDv7
	URL    string // may hold what only the receiver should know: never logged
	Events Filter
	State  EndpointState
	Reason string // why it is disabled

	// Secret and OldSecret are sealed. OldSecret is nil unless the secret was
	// changed, and is good until OldUntil.
	Secret, OldSecret []byte
	OldUntil          time.Time

	Failing
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Failing is how an endpoint fares of late.
type Failing struct {
	Since    time.Time // of the first failed try after which none went well; zero: the last one did
	Failures int       // tries since then
}

// An endpoint is given up after so many tries in a row, over so long, of which
// none went well.
const (
	disableAfter = 3 * 24 * time.Hour
	disableTries = 2 * MaxTries
)

// ShouldDisable reports whether there is no point in trying any more, and says so.
func (f Failing) ShouldDisable(now time.Time) (reason string, yes bool) {
	if f.Failures < disableTries || f.Since.IsZero() || now.Sub(f.Since) < disableAfter {
		return "", false
	}
	return fmt.Sprintf("none of %d tries since %s went well", f.Failures, f.Since.UTC().Format(time.DateTime+" UTC")), true
}

// CheckBacklog reports whether an endpoint fails for so long that it is worth looking
// how much waits for it.
func (f Failing) CheckBacklog() bool { return f.Failures >= MaxTries }

// Why an endpoint is disabled.
const (
	ReasonGone   = "the receiver answered 410 Gone"
	ReasonPerson = "disabled by the operator"
)

// ReasonBacklog is that of an endpoint for which more than [MaxWaiting] wait.
var ReasonBacklog = fmt.Sprintf("it takes nothing, and more than %d deliveries wait for it", MaxWaiting)

// Why a delivery failed without an attempt.
const (
	ReasonDisabled = "the endpoint was disabled"
	ReasonRestored = "it waited in a backup that the gateway was restored from: it may have been delivered since"
)

// ReasonBegun stands at a try, and its delivery, while it is made, and for ever
// if the gateway was killed in it.
const ReasonBegun = "begun, and not known to have ended"

// SecretName names the secrets of an endpoint to the keyring.
func SecretName(id string) string { return "webhook " + id }
