package offline

import (
	"tcode/offline/binding"
	"tcode/offline/dates"
	"tcode/offline/trust"
)

// decide applies the table of offline/README.md, "Verdict table": the first row
// that fits.
// authenticity is the verdict of [Authenticate].
func (j *judgement) decide(res *Result, authenticity Verdict) {
	failed := func(name string) bool {
		c, _ := FindCheck(j.checks, name)
		return c.Status != Pass
	}
	revoked := res.Remember || code(j.checks, CheckStatusEntry) == CodeRevokedRemembered
	suspended := code(j.checks, CheckStatusEntry) == CodeSuspended
	switch {
	case authenticity == NotFound, res.Binding == binding.Mismatch:
		res.Verdict, res.Assurance = NotFound, AssuranceNone
	case authenticity != "":
		res.Verdict, res.Assurance = Unverified, AssuranceNone
	case revoked:
		res.Verdict, res.Assurance = Revoked, AssuranceStatus
	case failed(CheckNotExpired):
		res.Verdict, res.Assurance = Expired, AssuranceStatus
	case suspended, failed(CheckIssuerActive):
		res.Verdict, res.Assurance = Suspended, AssuranceStatus
	case failed(CheckKeyNotCompromised), failed(CheckIssuedNotInFuture), failed(CheckNotTest),
		failed(CheckFreshness), failed(CheckStatusShard), failed(CheckStatusEntry):
		res.Verdict, res.Assurance = Unverified, AssuranceSignature
	default:
		res.Verdict, res.Assurance = Valid, AssuranceStatus
	}
	j.describe(res)
}

// describe fills in the other members. Names and fields appear only with a good
// signature, so that a forgery cannot look real.
func (j *judgement) describe(res *Result) {
	res.Checks = j.checks
	if j.state != nil {
		res.StatusAsOf = j.state.Timestamp.StatusAsOf
		res.TrustVersion = j.state.Timestamp.Version
	}
	if j.p.Issuer != "" {
		res.Test = j.p.Test
		res.Reference = j.p.Reference.String()
		res.Issuer.Code = j.p.Issuer
		res.DocumentType.Code = j.p.DocumentType
		res.IssuedAt = j.p.IssuedAt
	}
	if res.Authentic() {
		res.Plain = j.p.Plain
		if res.ExpiresAt = j.p.ExpiresAt; !res.ExpiresAt.IsZero() {
			res.ExpiresOn = dates.LastOn(res.ExpiresAt)
		}
		tenant, _ := j.state.Bundle.Tenant(j.p.Issuer)
		res.Issuer.Name = tenant.Name
		kind, _ := j.state.Bundle.DocumentType(j.p.DocumentType)
		res.DocumentType.Name = j.translate(kind.Names)
		res.Fields = j.fields(kind)
	}
	res.Reason = j.reason(*res)
}

func (j *judgement) fields(kind trust.DocumentType) []Field {
	var fields []Field
	for _, f := range j.p.Fields {
		fields = append(fields, Field{Key: f.Key, Label: j.translate(kind.FieldLabels[f.Key]), Value: f.Value})
	}
	return fields
}
