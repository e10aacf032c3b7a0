package verify

import "tcode/server/issue/stamp"

// VerdictOf returns the verdict by precedence, for tests.
func VerdictOf(status stamp.Status, issuerActive, expired bool) Verdict {
	return standing{status: status, issuerActive: issuerActive, expired: expired}.verdict()
}
