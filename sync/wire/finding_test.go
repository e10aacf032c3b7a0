package wire_test

import (
	"testing"

	"tcode/sync/wire"
)

func TestWorse(t *testing.T) {
	t.Parallel()
	order := []string{"not_found", "revoked", "expired", "suspended", "valid"}
	for i, worse := range order {
		for _, better := range order[i:] {
			if a, b := wire.Worse(worse, better), wire.Worse(better, worse); a != worse || b != worse {
				t.Errorf("%s and %s: %s, %s", worse, better, a, b)
			}
		}
		for _, silent := range []string{"", "unverified"} {
			if a, b := wire.Worse(worse, silent), wire.Worse(silent, worse); a != worse || b != worse {
				t.Errorf("%s and %q: %s, %s", worse, silent, a, b)
			}
		}
		if a, b := wire.Worse("unheard", worse), wire.Worse(worse, "unheard"); a != "unheard" || b != "unheard" {
			t.Errorf("%s and an unknown word: %s, %s", worse, a, b)
		}
	}
	if got := wire.Worse("unverified", ""); got != "unverified" {
		t.Errorf("before the gateway has answered: %q", got)
	}
}

// Every finding has a case without any other finding, and a line for people.
func TestFindings(t *testing.T) {
	t.Parallel()
	cases := map[wire.Finding]wire.Judged{
		"":                        {OfflineVerdict: "valid", Binding: "match", Verdict: "valid", VerdictAtScan: "valid"},
		wire.TestDocument:         {OfflineVerdict: "valid", Verdict: "revoked", VerdictAtScan: "revoked", Test: true, Binding: "mismatch"},
		wire.PayloadOnOtherFile:   {OfflineVerdict: "not_found", Binding: "mismatch", Verdict: "revoked", VerdictAtScan: "revoked"},
		wire.AcceptedUnknown:      {OfflineVerdict: "valid", Binding: "mismatch", Verdict: "not_found", VerdictAtScan: "not_found"},
		wire.RevokedWhenScanned:   {OfflineVerdict: "valid", Binding: "appended", Verdict: "revoked", VerdictAtScan: "revoked"},
		wire.SuspendedWhenScanned: {OfflineVerdict: "valid", Verdict: "revoked", VerdictAtScan: "suspended"},
		wire.RefusedOnDevice:      {OfflineVerdict: "revoked", Verdict: "valid", VerdictAtScan: "valid"},
		wire.RevokedSince:         {OfflineVerdict: "valid", Binding: "appended", Verdict: "revoked", VerdictAtScan: "valid"},
		wire.SuspendedSince:       {OfflineVerdict: "valid", Verdict: "suspended", VerdictAtScan: "valid"},
		wire.AddedToFile:          {OfflineVerdict: "valid", Binding: "appended", Verdict: "valid", VerdictAtScan: "valid", ClockWasAhead: true},
		wire.ClockWasAhead:        {OfflineVerdict: "unverified", Verdict: "valid", VerdictAtScan: "valid", ClockWasAhead: true},
		wire.UndecidedOnDevice:    {OfflineVerdict: "unverified", Verdict: "valid", VerdictAtScan: "valid"},
	}
	for want, j := range cases {
		if got := wire.FindingOf(j); got != want {
			t.Errorf("%+v: %q, want %q", j, got, want)
		}
	}
	for _, f := range wire.Findings() {
		if _, ok := cases[f]; !ok || f.Says() == "" {
			t.Errorf("%s has no case, or no words", f)
		}
	}
	if len(cases) != len(wire.Findings())+1 {
		t.Errorf("%d findings, %d cases", len(wire.Findings()), len(cases))
	}
}
