package offline

import (
	"errors"
	"fmt"
	"time"

	"tcode/offline/dates"
	"tcode/offline/payload"
	"tcode/offline/trust"
)

// A KeySource returns the records of issuers and of their keys. A
// [*trust.Bundle] is one; the gateway reads its own rows.
type KeySource interface {
	Tenant(reference string) (trust.Tenant, bool)
	Key(tenant string, seq uint8) (trust.Key, bool)
}

// Authenticate answers the first nine checks, decode to issued_not_in_future,
// for devices and for the gateway. The verdict is NotFound if raw is not a
// payload, is altered, is forged, or was signed outside its key's window. It is
// Unverified if keys has no record of the issuer or of the key, and empty if
// the signature is good. A suspended issuer, a compromised key and a date in
// the future do not change this verdict: their checks report them, and the
// caller decides. A nil KeySource knows no issuer.
func Authenticate(raw []byte, keys KeySource, now time.Time) (payload.Payload, []Check, Verdict) {
	p, err := payload.Parse(raw)
	if err != nil {
		l := newChecklist(authenticityChecks)
		name, code := malformed(err)
		if name == CheckHeader {
			l.pass(CheckDecode)
		}
		l.set(name, Fail, code, err.Error())
		return payload.Payload{}, l, NotFound
	}
	checks, verdict := AuthenticateParsed(p, payload.Core(raw), keys, now)
	return p, checks, verdict
}

// AuthenticateParsed is [Authenticate] for a payload that is parsed already; core is
// what its signature covers ([payload.Core]).
func AuthenticateParsed(p payload.Payload, core []byte, keys KeySource, now time.Time) ([]Check, Verdict) {
	l := newChecklist(authenticityChecks)
	l.pass(CheckDecode)
	l.pass(CheckHeader)
	if keys == nil {
		l.set(CheckIssuerKnown, Unknown, CodeNoTrustState, p.Issuer)
		return l, Unverified
	}
	tenant, ok := keys.Tenant(p.Issuer)
	if !ok {
		l.set(CheckIssuerKnown, Fail, CodeIssuerUnknown, p.Issuer)
		return l, Unverified
	}
	l.set(CheckIssuerKnown, Pass, CodeOK, p.Issuer)
	if tenant.State == trust.TenantActive {
		l.pass(CheckIssuerActive)
	} else {
		l.set(CheckIssuerActive, Fail, CodeIssuerSuspended, "")
	}
	key, ok := keys.Key(p.Issuer, p.KeySeq)
	if !ok {
		l.set(CheckKeyKnown, Fail, CodeKeyUnknown, fmt.Sprintf("key %d", p.KeySeq))
		return l, Unverified
	}
	l.set(CheckKeyKnown, Pass, CodeOK, fmt.Sprintf("key %d", p.KeySeq))
	return l, l.judgeKey(p, core, key, now)
}

// judgeKey answers the checks that need the key's record.
func (l checklist) judgeKey(p payload.Payload, core []byte, key trust.Key, now time.Time) Verdict {
	switch {
	case p.IssuedAt.Before(key.ValidFrom): // the zero time is before every payload's
		l.set(CheckKeyWindow, Fail, CodeIssuedBeforeKey, "key used from "+dates.Moment(key.ValidFrom))
	case !key.ValidUntil.IsZero() && !p.IssuedAt.Before(key.ValidUntil):
		l.set(CheckKeyWindow, Fail, CodeIssuedAfterKey, "key used until "+dates.Moment(key.ValidUntil))
	default:
		l.pass(CheckKeyWindow)
	}
	if key.State == trust.KeyCompromised {
		l.set(CheckKeyNotCompromised, Fail, CodeKeyCompromised, "known to others since "+dates.Moment(key.CompromisedSince))
	} else {
		l.pass(CheckKeyNotCompromised)
	}
	switch {
	case key.Public.Algorithm() != p.Algorithm:
		l.set(CheckSignature, Fail, CodeAlgorithmMismatch, fmt.Sprintf("%s, the key is %s", p.Algorithm, key.Public.Algorithm()))
		return NotFound
	case !key.Public.Verify(core, p.Signature):
		l.set(CheckSignature, Fail, CodeSignatureInvalid, "")
		return NotFound
	}
	l.pass(CheckSignature)
	if p.IssuedAt.After(now.Add(futureTolerance)) {
		l.set(CheckIssuedNotInFuture, Fail, CodeIssuedInFuture, "issued "+dates.Moment(p.IssuedAt)+", now "+dates.Moment(now))
	} else {
		l.pass(CheckIssuedNotInFuture)
	}
	if c, _ := FindCheck(l, CheckKeyWindow); c.Status != Pass {
		return NotFound
	}
	return ""
}

// malformed returns the check that a parser's error belongs to, and its code. A
// payload that is cut short fails decode, not header.
func malformed(err error) (name, code string) {
	switch {
	case errors.Is(err, payload.ErrMagic):
		return CheckHeader, CodeNotTCode
	case errors.Is(err, payload.ErrVersion):
		return CheckHeader, CodeVersionUnknown
	case errors.Is(err, payload.ErrAlgorithm):
		return CheckHeader, CodeAlgorithmUnknown
	case errors.Is(err, payload.ErrFlags), errors.Is(err, payload.ErrIssuer):
		return CheckHeader, CodeHeaderMalformed
	}
	return CheckDecode, CodePayloadMalformed
}
