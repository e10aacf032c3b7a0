package httpapi_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/httpapi"
	"tcode/server/issue/stamp"
	"tcode/server/refdata"
	"tcode/server/verify"
)

// full is a result with every member set.
func full() verify.Result {
	return verify.Result{
		Verdict: verify.Revoked, Assurance: offline.AssuranceStatus, Status: stamp.Revoked,
		Checks: []offline.Check{
			{Name: offline.CheckSignature, Status: offline.Pass, Code: offline.CodeOK},
			{Name: offline.CheckStatusEntry, Status: offline.Fail, Code: offline.CodeReplaced, Detail: "by \"another\""},
		},
		Reference: payload.Reference{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, IssuerReference: "ACME01", IssuerName: "Ac<m>e & Söhne",
		IssuedAt:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		DocumentType: refdata.DocumentType{Code: "DIP", Names: map[string]string{"en": "Diploma", "de": "Diplom", "ar": "دبلوم", "\"": "\n"}},
		PageName:     "Diploma", Template: "0198a3c1-9c44-7d11-a0b3-1f2e3d4c5b6a",
		Name: "Diploma\u2028of\x00\xff", Fields: []payload.Field{{Key: "grade", Value: "A+"}, {Key: "b", Value: "\x7f<script>"}},
		Test: true, KeyID: "ACME01-1", Document: "TRF-0000000000000003", StatusAsOf: time.Date(2026, 1, 2, 3, 4, 5, 123_456_789, time.FixedZone("x", 3600)),
		Replaces: "TCR-0000000000000001", ReplacedBy: "TCR-0000000000000002", MatchedOn: verify.OnStamped, MatchCount: 3, Reason: "matched \"original\"",
		ErasedAt: time.Date(2026, 1, 3, 3, 4, 5, 0, time.UTC),
	}
}

// same fails the test unless the answer to r is the JSON of the generated types.
func same(t *testing.T, r verify.Result) {
	t.Helper()
	generated, written, err := httpapi.Answers(r)
	if err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	if d := cmp.Diff(string(generated), string(written)); d != "" {
		t.Errorf("%+v: generated -, written +:\n%s", r, d)
	}
}

// TestAnswer writes every shape of a result: with all members, none, all but one
// and only one, and with every verdict and status.
func TestAnswer(t *testing.T) {
	t.Parallel()
	f := reflect.ValueOf(full())
	for i := range f.NumField() {
		if f.Field(i).IsZero() {
			t.Errorf("%s of the full result is zero: nothing is known of how it is written", f.Type().Field(i).Name)
		}
	}
	for _, v := range []verify.Verdict{verify.Valid, verify.Suspended, verify.Revoked, verify.Expired, verify.NotFound} {
		for _, st := range []stamp.Status{stamp.Active, stamp.Suspended, stamp.Revoked} {
			same(t, verify.Result{Verdict: v, Status: st})
			for i := range f.NumField() {
				for _, set := range []bool{false, true} {
					from, to := full(), verify.Result{}
					if set {
						from, to = to, from
					}
					reflect.ValueOf(&to).Elem().Field(i).Set(reflect.ValueOf(from).Field(i))
					to.Verdict, to.Status = v, st
					same(t, to)
				}
			}
		}
	}
}

// TestAnswerTime: an answer refuses the times that the generated types refuse.
func TestAnswerTime(t *testing.T) {
	t.Parallel()
	for _, year := range []int{-1, 10_000} {
		r := full()
		r.IssuedAt = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		if _, _, err := httpapi.Answers(r); err == nil {
			t.Errorf("year %d is written", year)
		}
	}
}

// FuzzAnswer writes texts of any kind.
func FuzzAnswer(f *testing.F) {
	f.Add("Acme", "ACME01", int64(1_795_000_000_000), uint8(1))
	f.Add("<\u2029\xc3\x28>", "\\\"\t\x1f\x7f", int64(-1), uint8(0))
	f.Fuzz(func(t *testing.T, a, b string, ms int64, n uint8) {
		at := time.UnixMilli(ms % (200_000 * int64(365*24*time.Hour/time.Millisecond) / 1000))
		r := verify.Result{
			Verdict: verify.Verdict(a), Assurance: offline.Assurance(b), Status: stamp.Status(a), IssuerName: b, IssuerReference: a, Name: b,
			Replaces: a, ReplacedBy: b, MatchedOn: verify.MatchedOn(a), MatchCount: int(n), Reason: b, IssuedAt: at, StatusAsOf: at,
			DocumentType: refdata.DocumentType{Code: a, Names: map[string]string{a: b, b: a}},
		}
		for range n % 5 {
			r.Checks = append(r.Checks, offline.Check{Name: a, Status: b, Code: a, Detail: b})
			r.Fields = append(r.Fields, payload.Field{Key: b, Value: a})
		}
		if copy(r.Reference[:], b); r.Verdict == verify.NotFound {
			r.Test = true
		}
		same(t, r)
	})
}
