package wire

import "slices"

// Worse returns the worse of the findings of the device and the gateway about one scan:
// the answer that counts. From worst to best: not_found, revoked, expired,
// suspended, valid. A side that did not decide (unverified, or empty) leaves the
// answer to the other one. A word that is no offline.Verdict is the worst, so
// that nothing unknown is taken for valid.
func Worse(device, gateway string) string {
	switch {
	case undecided(gateway):
		if device == "" {
			return gateway
		}
		return device
	case undecided(device), slices.Index(verdicts, gateway) < slices.Index(verdicts, device):
		return gateway
	}
	return device
}

func undecided(verdict string) bool { return verdict == "" || verdict == "unverified" }

// A Finding says in one word why a scan deserves a second look. Each scan has
// at most one, the gravest. Programs store the words and filter by them, so
// existing words never change.
type Finding string

// The findings, gravest first.
const (
	TestDocument         Finding = "test_document"
	PayloadOnOtherFile   Finding = "payload_on_other_file"
	AcceptedUnknown      Finding = "accepted_unknown"
	RevokedWhenScanned   Finding = "revoked_when_scanned"
	SuspendedWhenScanned Finding = "suspended_when_scanned"
	RefusedOnDevice      Finding = "refused_on_device"
	RevokedSince         Finding = "revoked_since"
	SuspendedSince       Finding = "suspended_since"
	AddedToFile          Finding = "added_to_file"
	ClockWasAhead        Finding = "clock_was_ahead"
	UndecidedOnDevice    Finding = "undecided_on_device"
)

// A Judged is all that a finding rests on: the device's answer for a scan and
// the gateway's. A verdict is an offline.Verdict, or empty.
type Judged struct {
	OfflineVerdict string // the device's
	Binding        string // the device's: a binding.State, or empty
	Verdict        string // the gateway's, as of now
	VerdictAtScan  string // the gateway's, as of the time of the scan
	Test           bool   // of a test document
	ClockWasAhead  bool   // the device's clock was ahead of the gateway's
}

// findings is the table: the first row that applies is the finding.
var findings = []struct {
	Finding
	says  string // for people, one line
	holds func(Judged) bool
}{
	{TestDocument, "a test document: it proves nothing", func(j Judged) bool { return j.Test }},
	{
		PayloadOnOtherFile, "a genuine stamp on a file that it was not made for, or that was changed",
		func(j Judged) bool { return j.Binding == "mismatch" && j.Verdict != "not_found" },
	},
	{
		AcceptedUnknown, "the device said valid, and the gateway has no such stamp",
		func(j Judged) bool { return j.OfflineVerdict == "valid" && j.Verdict == "not_found" },
	},
	{RevokedWhenScanned, "revoked already when it was scanned", func(j Judged) bool { return ended(j.VerdictAtScan) }},
	{SuspendedWhenScanned, "suspended when it was scanned", func(j Judged) bool { return j.VerdictAtScan == "suspended" }},
	{
		RefusedOnDevice, "the device refused a scan that the gateway finds valid",
		func(j Judged) bool {
			return j.Verdict == "valid" && j.OfflineVerdict != "valid" && !undecided(j.OfflineVerdict)
		},
	},
	{RevokedSince, "valid when it was scanned, revoked since", func(j Judged) bool { return ended(j.Verdict) }},
	{SuspendedSince, "valid when it was scanned, suspended since", func(j Judged) bool { return j.Verdict == "suspended" }},
	{AddedToFile, "something was added to the file after it was stamped", func(j Judged) bool { return j.Binding == "appended" }},
	{ClockWasAhead, "the device's clock was ahead, so the time of the scan is not its own", func(j Judged) bool { return j.ClockWasAhead }},
	{UndecidedOnDevice, "the device could not decide", func(j Judged) bool { return j.OfflineVerdict == "unverified" }},
}

func ended(verdict string) bool { return verdict == "revoked" || verdict == "expired" }

// FindingOf returns the finding of a scan, or "" if there is none.
func FindingOf(j Judged) Finding {
	for _, f := range findings {
		if f.holds(j) {
			return f.Finding
		}
	}
	return ""
}

// Findings returns all findings, gravest first.
func Findings() []Finding {
	out := make([]Finding, len(findings))
	for i, f := range findings {
		out[i] = f.Finding
	}
	return out
}

// Says returns the finding as one line of English for people; "" for none.
func (f Finding) Says() string {
	for _, row := range findings {
		if row.Finding == f {
			return row.says
		}
	}
	return ""
}
