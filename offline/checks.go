package offline

import "tcode/offline/trust"

// Names of the checks, in the order in which every [Result] lists them. They
// are frozen: they are stored, synced and matched by programs.
const (
	CheckDecode              = "decode"                // the bytes are a payload in its one encoding
	CheckHeader              = "header"                // magic, version, algorithm, flags, issuer code
	CheckIssuerKnown         = "issuer_known"          // the bundle has the issuer
	CheckIssuerActive        = "issuer_active"         // the issuer is not suspended
	CheckKeyKnown            = "key_known"             // the bundle has the issuer's key
	CheckKeyWindow           = "key_window"            // issued while the key was in use
	CheckKeyNotCompromised   = "key_not_compromised"   // the key is secret, or the stamp is on the survivor list
	CheckSignature           = "signature"             // the key signed these bytes
	CheckIssuedNotInFuture   = "issued_not_in_future"  // issued at most 10 minutes from now
	CheckNotTest             = "not_test"              // no test document, or tests are accepted
	CheckStatusShard         = "status_shard"          // the device holds the stamp's shard, and it is the signed one
	CheckStatusEntry         = "status_entry"          // neither revoked, replaced nor suspended
	CheckStatusPredatesStamp = "status_predates_stamp" // always passes; the code names the newer one
	CheckNotExpired          = "not_expired"           // before the signed expiry
	CheckFreshness           = "freshness"             // the age of the trust state
	CheckBinding             = "binding"               // the file is the one that was stamped

	// CheckRecord compares with the issuer's own rows. Only the gateway has
	// this check, after the others.
	CheckRecord = "record"
)

// Values of [Check.Status].
const (
	Pass    = "pass"
	Fail    = "fail"
	Skipped = "skipped" // an earlier check has failed, so this one did not run
	Unknown = "unknown" // this device cannot decide it now
)

// Codes of the checks, frozen as the names are. The comment of each code names
// the checks that use it.
const (
	CodeOK         = "ok"          // any check: pass, nothing to add
	CodeNotReached = "not_reached" // any check: skipped

	CodeTextMalformed     = "text_malformed"     // decode: fail, not a text form
	CodePayloadMalformed  = "payload_malformed"  // decode: fail
	CodeNotTCode          = "not_tcode"          // header: fail, another kind of symbol
	CodeVersionUnknown    = "version_unknown"    // header: fail
	CodeAlgorithmUnknown  = "algorithm_unknown"  // header: fail
	CodeHeaderMalformed   = "header_malformed"   // header: fail
	CodeNoTrustState      = "no_trust_state"     // issuer_known, freshness: unknown
	CodeIssuerUnknown     = "issuer_unknown"     // issuer_known: fail
	CodeIssuerSuspended   = "issuer_suspended"   // issuer_active: fail
	CodeKeyUnknown        = "key_unknown"        // key_known: fail
	CodeIssuedBeforeKey   = "issued_before_key"  // key_window: fail
	CodeIssuedAfterKey    = "issued_after_key"   // key_window: fail
	CodeKeyCompromised    = "key_compromised"    // key_not_compromised: fail, not on the survivor list
	CodeSurvivorsMissing  = "survivors_missing"  // key_not_compromised: unknown, the device does not hold the list
	CodeSurvivor          = "survivor"           // key_not_compromised: pass, on the survivor list
	CodeAlgorithmMismatch = "algorithm_mismatch" // signature: fail, not the algorithm of the key's record
	CodeSignatureInvalid  = "signature_invalid"  // signature: fail
	CodeIssuedInFuture    = "issued_in_future"   // issued_not_in_future: fail
	CodeTestDocument      = "test_document"      // not_test: fail
	CodeTestAccepted      = "test_accepted"      // not_test: pass
	CodeShardMissing      = "shard_missing"      // status_shard: unknown
	CodeShardDamaged      = "shard_damaged"      // status_shard: fail, its hash is not the signed one
	CodeShardUnreadable   = "shard_unreadable"   // status_shard: unknown
	CodeRevoked           = "revoked"            // status_entry: fail
	CodeReplaced          = "replaced"           // status_entry: fail
	CodeSuspended         = "suspended"          // status_entry: fail
	CodeRevokedRemembered = "revoked_remembered" // status_entry: fail, seen revoked on this device before
	// CodeCompromisedRemembered is of key_not_compromised: fail, seen compromised on this device before
	CodeCompromisedRemembered = "compromised_remembered"
	CodeMemoryUnreadable      = "memory_unreadable"     // status_entry: unknown, past revocations could not be read
	CodeStatusUnknown         = "status_unknown"        // status_entry: unknown
	CodeStatusPredates        = "status_predates_stamp" // status_predates_stamp: pass, the stamp is newer than the status
	CodeNoExpiry              = "no_expiry"             // not_expired: pass, nothing signed
	CodeDocumentExpired       = "document_expired"      // not_expired: fail
	CodeStale                 = "stale"                 // freshness: pass, amber
	CodeTrustExpired          = "trust_expired"         // freshness: fail
	CodeClockSuspect          = "clock_suspect"         // freshness: unknown
	CodeStatusAhead           = "status_ahead"          // freshness: unknown, dated by a clock that ran ahead
	CodeBindingMatch          = "binding_match"         // binding: pass
	CodeBindingAppended       = "binding_appended"      // binding: pass, amber
	CodeBindingMismatch       = "binding_mismatch"      // binding: fail
	CodeBindingNotChecked     = "binding_not_checked"   // binding: unknown
	CodeRecordUnknown         = "record_unknown"        // record: fail, no such stamp
	CodeRecordDiffers         = "record_differs"        // record: fail, issued with another payload
)

// A Check is one step on the way to a verdict.
type Check struct {
	Name   string `json:"name"`             // one of the Check constants
	Status string `json:"status"`           // Pass, Fail, Skipped or Unknown
	Code   string `json:"code"`             // one of the Code constants
	Detail string `json:"detail,omitempty"` // for people, one line safe to print, not frozen
}

// deviceChecks lists the checks of a device in order.
var deviceChecks = [...]string{
	CheckDecode, CheckHeader, CheckIssuerKnown, CheckIssuerActive, CheckKeyKnown, CheckKeyWindow,
	CheckKeyNotCompromised, CheckSignature, CheckIssuedNotInFuture, CheckNotTest, CheckStatusShard,
	CheckStatusEntry, CheckStatusPredatesStamp, CheckNotExpired, CheckFreshness, CheckBinding,
}

// authenticityChecks is the number of deviceChecks that [Authenticate] answers.
const authenticityChecks = 9

// A checklist is filled by name. A check that is never set stays skipped.
type checklist []Check

func newChecklist(n int) checklist {
	l := make(checklist, n)
	for i := range l {
		l[i] = Check{Name: deviceChecks[i], Status: Skipped, Code: CodeNotReached}
	}
	return l
}

func (l checklist) set(name, status, code, detail string) {
	for i := range l {
		if l[i].Name == name {
			l[i].Status, l[i].Code, l[i].Detail = status, code, trust.Escape(detail)
		}
	}
}

func (l checklist) pass(name string) { l.set(name, Pass, CodeOK, "") }

// FindCheck returns the check with that name.
func FindCheck(checks []Check, name string) (Check, bool) {
	for _, c := range checks {
		if c.Name == name {
			return c, true
		}
	}
	return Check{}, false
}

// code returns the code of one check, empty if it is not in the list.
func code(checks []Check, name string) string {
	c, _ := FindCheck(checks, name)
	return c.Code
}
