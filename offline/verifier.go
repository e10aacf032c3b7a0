package offline

import (
	"fmt"
	"time"

	"tcode/offline/binding"
	"tcode/offline/dates"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// A Snapshot is the trust state as of one moment.
type Snapshot interface {
	// State returns the trust state, or nil if nothing is pinned.
	State() *trust.State
	// Shard returns a status shard, or nil if it is not held. The Verifier
	// compares its hash with the signed one each time.
	Shard(number uint16) (*statuslist.Shard, error)
	// Remembered reports whether this device has seen the stamp revoked. core is
	// the SHA-256 of the payload's core ([Result.CoreHash]).
	Remembered(core digest.SHA256) (bool, error)
	// Survivors returns the survivor list with that SHA-256 in lower-case
	// hexadecimal digits. ok is false if it is not held.
	Survivors(sha256 string) (list statuslist.Survivors, ok bool)
}

// A Policy makes a device stricter. The zero Policy is the default.
type Policy struct {
	// Fresh is the age up to which a trust state is not stale. 0, or more than
	// 24 hours, means 24 hours.
	Fresh time.Duration
	// HardExpiry is the age from which a trust state says nothing any more. 0,
	// or more than 7 days, means 7 days.
	HardExpiry time.Duration
	// AcceptTest judges test documents as real ones.
	AcceptTest bool
	// Language is the BCP 47 tag for names and labels; empty is "en".
	Language string
}

// A Request is one payload to verify.
type Request struct {
	// Payload is core and signature. If it is nil, Text is decoded.
	Payload []byte
	// Text is the text form, as a symbol holds it.
	Text string
	// Binding says how the payload relates to the file; a value that is not one
	// of the four states of package binding counts as not checked.
	Binding       binding.State
	BindingDetail string // one line, shown with the check
}

// A Verifier judges payloads by one snapshot and one policy. It is safe for
// concurrent use if its Snapshot is.
type Verifier struct {
	snapshot Snapshot
	policy   Policy
}

// New returns a Verifier. Invalid durations in p become the default.
func New(s Snapshot, p Policy) *Verifier {
	return &Verifier{snapshot: s, policy: p.limited()}
}

// limited returns p with the defaults for invalid durations.
func (p Policy) limited() Policy {
	if p.Fresh <= 0 || p.Fresh > DefaultFresh {
		p.Fresh = DefaultFresh
	}
	if p.HardExpiry <= 0 || p.HardExpiry > DefaultHardExpiry {
		p.HardExpiry = DefaultHardExpiry
	}
	return p
}

// judgement is one run of Verify.
type judgement struct {
	*Verifier
	state  *trust.State // nil or complete
	time   Timing
	checks checklist
	p      payload.Payload
	key    trust.Key
	status statuslist.Value
	known  bool // status comes from the signed shard
}

// Verify returns the answer about one payload. It never fails: if it cannot
// decide, that is a verdict too.
func (v *Verifier) Verify(c Clock, r Request) Result {
	j := &judgement{Verifier: v, checks: newChecklist(len(deviceChecks))}
	state := v.snapshot.State()
	j.time = TimingOf(c, state, v.policy)
	if j.time.Held {
		j.state = state
	}
	res := Result{Binding: r.Binding, Stale: j.time.Stale, ClockSuspect: j.time.Suspect, Basis: j.time.Basis, Now: j.time.Now}
	j.freshness()
	j.binding(&res, r.BindingDetail)
	raw, err := r.bytes()
	if err != nil {
		j.checks.set(CheckDecode, Fail, CodeTextMalformed, err.Error())
		j.decide(&res, NotFound)
		return res
	}
	verdict := j.authenticate(raw)
	if header, _ := FindCheck(j.checks, CheckHeader); header.Status == Pass { // the payload was parsed
		res.Payload = j.p
		res.CoreHash = digest.Of(payload.Core(raw))
	}
	if verdict == "" {
		j.survivor(raw)
		j.test()
		j.entry(&res)
		j.expiry()
	}
	j.decide(&res, verdict)
	return res
}

func (r Request) bytes() ([]byte, error) {
	if r.Payload != nil {
		return r.Payload, nil
	}
	return payload.DecodeText(r.Text)
}

func (j *judgement) authenticate(raw []byte) Verdict {
	var keys KeySource
	if j.state != nil {
		keys = j.state.Bundle
	}
	p, checks, verdict := Authenticate(raw, keys, j.time.Now)
	copy(j.checks, checks)
	j.p = p
	return verdict
}

// survivor looks up a stamp of a compromised key in the list of stamps that the
// issuer vouches for.
func (j *judgement) survivor(raw []byte) {
	j.key, _ = j.state.Bundle.Key(j.p.Issuer, j.p.KeySeq)
	if j.key.State != trust.KeyCompromised {
		switch remembered, err := j.snapshot.Remembered(trust.KeyMark(j.key)); {
		case err != nil:
			j.checks.set(CheckKeyNotCompromised, Unknown, CodeMemoryUnreadable, err.Error())
		case remembered:
			j.checks.set(CheckKeyNotCompromised, Fail, CodeCompromisedRemembered, "")
		}
		return
	}
	list, ok := statuslist.Survivors(nil), false
	if j.key.SurvivorList != "" {
		list, ok = j.snapshot.Survivors(j.key.SurvivorList)
	}
	since := "known to others since " + dates.Moment(j.key.CompromisedSince)
	switch {
	case !ok:
		j.checks.set(CheckKeyNotCompromised, Unknown, CodeSurvivorsMissing, since)
	case list.Contains(statuslist.MarkOf(payload.Core(raw))):
		j.checks.set(CheckKeyNotCompromised, Pass, CodeSurvivor, since+"; the issuer vouches for this stamp")
	default:
		j.checks.set(CheckKeyNotCompromised, Fail, CodeKeyCompromised, since)
	}
}

func (j *judgement) test() {
	switch {
	case !j.p.Test:
		j.checks.pass(CheckNotTest)
	case j.policy.AcceptTest:
		j.checks.set(CheckNotTest, Pass, CodeTestAccepted, "")
	default:
		j.checks.set(CheckNotTest, Fail, CodeTestDocument, "")
	}
}

// entry determines the stamp's status.
func (j *judgement) entry(res *Result) {
	j.shard()
	remembered, err := j.remembered(res.CoreHash, trust.EntryMark(j.p.Status.Shard(), j.p.Status.Entry()))
	entry := fmt.Sprintf("shard %d, entry %d", j.p.Status.Shard(), j.p.Status.Entry())
	switch {
	case j.known && j.status.Final():
		res.Remember = true
		res.Replaced = j.status == statuslist.Replaced
		j.checks.set(CheckStatusEntry, Fail, j.status.String(), entry)
	case remembered:
		j.checks.set(CheckStatusEntry, Fail, CodeRevokedRemembered, entry)
	case j.known && j.status == statuslist.Suspended:
		j.checks.set(CheckStatusEntry, Fail, CodeSuspended, entry)
	case err != nil:
		j.checks.set(CheckStatusEntry, Unknown, CodeMemoryUnreadable, err.Error())
	case !j.known:
		j.checks.set(CheckStatusEntry, Unknown, CodeStatusUnknown, entry)
	default:
		j.checks.set(CheckStatusEntry, Pass, CodeOK, entry)
	}
	// 0 says "not revoked", never "issued": a status cannot contain a stamp
	// that is newer than it.
	if j.known {
		j.checks.pass(CheckStatusPredatesStamp)
		if j.p.IssuedAt.After(j.state.Timestamp.StatusAsOf) {
			j.checks.set(CheckStatusPredatesStamp, Pass, CodeStatusPredates,
				"issued "+dates.Moment(j.p.IssuedAt)+", status of "+dates.Moment(j.state.Timestamp.StatusAsOf))
		}
	}
}

// remembered reports whether the device remembers any of these.
func (j *judgement) remembered(all ...digest.SHA256) (bool, error) {
	for _, one := range all {
		if seen, err := j.snapshot.Remembered(one); seen || err != nil {
			return seen, err
		}
	}
	return false, nil
}

// shard reads the status entry if the shard is the signed one.
func (j *judgement) shard() {
	number := j.p.Status.Shard()
	detail := fmt.Sprintf("shard %d", number)
	signed, ok := j.state.Shard(number)
	if !ok {
		j.checks.set(CheckStatusShard, Unknown, CodeShardMissing, fmt.Sprintf("%s is not in status %d", detail, j.state.Status.Version))
		return
	}
	shard, err := j.snapshot.Shard(number)
	switch {
	case err != nil:
		j.checks.set(CheckStatusShard, Unknown, CodeShardUnreadable, detail+": "+err.Error())
	case shard == nil:
		j.checks.set(CheckStatusShard, Unknown, CodeShardMissing, detail+" is not on this device")
	case shard.Hash() != signed:
		j.checks.set(CheckStatusShard, Fail, CodeShardDamaged, detail)
	default:
		j.checks.set(CheckStatusShard, Pass, CodeOK, detail)
		j.status, j.known = shard.Get(j.p.Status.Entry()), true
	}
}

func (j *judgement) expiry() {
	switch {
	case j.p.ExpiresAt.IsZero():
		j.checks.set(CheckNotExpired, Pass, CodeNoExpiry, "")
	case j.p.ExpiresAt.After(j.time.Now):
		j.checks.set(CheckNotExpired, Pass, CodeOK, "until "+dates.LastDay(j.p.ExpiresAt))
	default:
		j.checks.set(CheckNotExpired, Fail, CodeDocumentExpired, "since "+dates.Moment(j.p.ExpiresAt))
	}
}

func (j *judgement) freshness() {
	switch {
	case !j.time.Held:
		j.checks.set(CheckFreshness, Unknown, CodeNoTrustState, "")
	case !j.time.Dated && (j.time.Basis == Proven || !j.time.Suspect):
		j.checks.set(CheckFreshness, Unknown, CodeStatusAhead, "dated "+dates.Moment(j.state.Timestamp.StatusAsOf))
	case !j.time.Known:
		j.checks.set(CheckFreshness, Unknown, CodeClockSuspect, "status of "+dates.Moment(j.state.Timestamp.StatusAsOf))
	case j.time.Expired:
		j.checks.set(CheckFreshness, Fail, CodeTrustExpired, "since "+dates.Moment(unknownSince(j.state, j.policy)))
	case j.time.Stale:
		j.checks.set(CheckFreshness, Pass, CodeStale, span(j.time.Age)+" old")
	default:
		j.checks.set(CheckFreshness, Pass, CodeOK, span(j.time.Age)+" old")
	}
}

func (j *judgement) binding(res *Result, detail string) {
	switch res.Binding {
	case binding.Match:
		j.checks.set(CheckBinding, Pass, CodeBindingMatch, detail)
	case binding.Appended:
		j.checks.set(CheckBinding, Pass, CodeBindingAppended, detail)
	case binding.Mismatch:
		j.checks.set(CheckBinding, Fail, CodeBindingMismatch, detail)
	default:
		res.Binding = binding.NotChecked
		j.checks.set(CheckBinding, Unknown, CodeBindingNotChecked, detail)
	}
}
