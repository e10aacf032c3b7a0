package verify

import "tcode/server/issue/stamp"

// VerdictOf gives tests the precedence of verdicts.
func VerdictOf(status stamp.Status, issuerActive, expired bool) Verdict {
	return standing{status: status, issuerActive: issuerActive, expired: expired}.verdict()
}
