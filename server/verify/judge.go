package verify

import (
	"fmt"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/server/issue/stamp"
	"tcode/server/refdata"
	"tcode/server/tenant"
)

// A Record is the gateway's record of one stamp: all data for a verdict.
type Record struct {
	Stamp   stamp.Stamp          // its signed data, its status, and its names
	Expires time.Time            // signed; zero: never. Only the stamps of Trust documents have one
	Issuer  tenant.Tenant        // its reference, name and state
	Kind    refdata.DocumentType // its code, and its texts if it is known; not in scans
}

// standing decides the verdict about a stamp that is known to be this
// gateway's.
type standing struct {
	status       stamp.Status
	issuerActive bool
	expired      bool
	expires      bool // at some time
}

// verdict follows the precedence of server/README.md, "States": revoked, expired,
// suspended, valid. A permanent reason has priority.
func (s standing) verdict() Verdict {
	switch {
	case s.status == stamp.Revoked:
		return Revoked
	case s.expired:
		return Expired
	case s.status == stamp.Suspended || !s.issuerActive:
		return Suspended
	}
	return Valid
}

// word returns the verdict in the contract's words for stamps.
func (s standing) word() Verdict {
	if v := s.verdict(); v != Expired {
		return v
	}
	return Revoked
}

// shown returns the status for the verdict: a stamp whose document has expired counts as
// revoked, and one whose issuer is suspended as suspended, whatever the status in its row
// is.
func (s standing) shown() stamp.Status {
	switch s.word() {
	case Revoked:
		return stamp.Revoked
	case Suspended:
		return stamp.Suspended
	}
	return stamp.Active
}

// now returns the record's present standing.
func (r Record) now(at time.Time) standing {
	return standing{
		status: r.Stamp.Status, issuerActive: r.Issuer.State == tenant.Active,
		expired: expired(r.Expires, at), expires: !r.Expires.IsZero(),
	}
}

func expired(expires, at time.Time) bool { return !expires.IsZero() && !at.Before(expires) }

// A Past is the history of a stamp and of its issuer, oldest first.
type Past struct {
	Events []stamp.Event
	States []StateChange
}

// A StateChange is one change of a tenant's state.
type StateChange struct {
	State tenant.State
	At    time.Time
}

// at returns the record's standing at a time. Before its beginning a stamp has its first
// standing: a device whose clock is behind has still seen the stamp.
func (p Past) at(r Record, t time.Time) standing {
	s := standing{status: stamp.Active, issuerActive: true, expired: expired(r.Expires, t)}
	for _, e := range p.Events {
		if !e.At.After(t) {
			s.status = e.To
		}
	}
	for _, c := range p.States {
		if !c.At.After(t) {
			s.issuerActive = c.State == tenant.Active
		}
	}
	return s
}

// issuer gives offline.Authenticate access to the gateway's rows.
type issuer struct {
	tenant tenant.Tenant
	keys   []tenant.SigningKey
}

var _ offline.KeySource = issuer{}

func (i issuer) Tenant(reference string) (trust.Tenant, bool) {
	return i.tenant.Trust(), reference != "" && reference == i.tenant.Reference
}

func (i issuer) Key(tenantRef string, seq uint8) (trust.Key, bool) {
	for _, k := range i.keys {
		if k.Tenant == tenantRef && k.Seq == seq {
			return k.Trust(), true
		}
	}
	return trust.Key{}, false
}

// rowChecks returns the checks that the gateway adds from its rows, for a stamp in
// them.
func rowChecks(r Record, st standing) [3]offline.Check {
	entry := offline.Check{Name: offline.CheckStatusEntry, Status: offline.Pass, Code: offline.CodeOK}
	switch {
	case st.status == stamp.Revoked && r.Stamp.ReplacedBy != "":
		entry.Status, entry.Code = offline.Fail, offline.CodeReplaced
	case st.status == stamp.Revoked:
		entry.Status, entry.Code = offline.Fail, offline.CodeRevoked
	case st.status == stamp.Suspended:
		entry.Status, entry.Code = offline.Fail, offline.CodeSuspended
	}
	expiry := offline.Check{Name: offline.CheckNotExpired, Status: offline.Pass, Code: offline.CodeNoExpiry}
	if st.expired {
		expiry.Status, expiry.Code = offline.Fail, offline.CodeDocumentExpired
	} else if st.expires {
		expiry.Code = offline.CodeOK
	}
	return [...]offline.Check{entry, expiry, pass(offline.CheckRecord)}
}

func issuerCheck(active bool) offline.Check {
	if active {
		return pass(offline.CheckIssuerActive)
	}
	return offline.Check{Name: offline.CheckIssuerActive, Status: offline.Fail, Code: offline.CodeIssuerSuspended}
}

// notTest is the check that fails on a test document for a viewer without a test
// key.
var notTest = offline.Check{Name: offline.CheckNotTest, Status: offline.Fail, Code: offline.CodeTestDocument}

func pass(name string) offline.Check {
	return offline.Check{Name: name, Status: offline.Pass, Code: offline.CodeOK}
}

// recordCheck compares the read payload with the issued one. held is false if there is no
// stamp of that reference.
func recordCheck(core []byte, r Record, held bool) offline.Check {
	c := offline.Check{Name: offline.CheckRecord, Status: offline.Fail}
	switch {
	case !held:
		c.Code = offline.CodeRecordUnknown
	case !r.Stamp.HasCore(core):
		c.Code = offline.CodeRecordDiffers
	default:
		return pass(offline.CheckRecord)
	}
	return c
}

// survived says so of a stamp whose key was compromised: the gateway's own row
// is what its survivor list is made of.
func survived(checks []offline.Check) {
	for i, c := range checks {
		if c.Name == offline.CheckKeyNotCompromised && c.Status == offline.Fail {
			checks[i].Status, checks[i].Code = offline.Pass, offline.CodeSurvivor
			checks[i].Detail = fmt.Sprintf("issued before the compromise was known: %s", c.Detail)
		}
	}
}
