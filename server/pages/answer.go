package pages

import (
	"strings"

	"tcode/offline"
	"tcode/server/verify"
)

// A look is how an answer looks: its tone says what to do (accept, look, refuse, unknown),
// its mark has the outline of the tone and a glyph of its own.
type look struct{ Tone, Mark string }

// answers are the looks of the answers, by their keys. Green is for one case only: the very
// file that was stamped, which the engine has read. A page without the file is never green.
var answers = map[string]look{
	"valid":            {"accept", "valid"},
	"reference":        {"look", "compare"},
	"compare":          {"look", "compare"},
	"same_file":        {"look", "contents"},
	"contents":         {"look", "contents"},
	"stale":            {"look", "stale"},
	"added":            {"look", "added"},
	"restamped":        {"look", "added"},
	"forged":           {"refuse", "forged"},
	"other_file":       {"refuse", "forged"},
	"revoked":          {"refuse", "revoked"},
	"replaced":         {"refuse", "replaced"},
	"suspended":        {"refuse", "suspended"},
	"issuer_suspended": {"refuse", "suspended"},
	"expired":          {"refuse", "expired"},
	"too_old":          {"unknown", "unverified"},
	"unknown_issuer":   {"unknown", "unverified"},
	"unverified":       {"unknown", "unverified"},
	"original":         {"unknown", "unverified"},
	"unknown_file":     {"unknown", "unverified"},
	"unreadable":       {"unknown", "unverified"},
	"too_large":        {"unknown", "unverified"},
	"not_found":        {"unknown", "unverified"},
	"busy":             {"unknown", "unverified"},
	"failed":           {"unknown", "unverified"},
	"no_tcode":         {"unknown", "none"},
	"test":             {"unknown", "none"},
}

// said is an answer in words.
type said struct {
	look
	Key          string
	Small, Large string // of the headline; the large word is the one to act on
	Sentence     []piece
}

// say puts an answer into words, with the values of its slots.
func (t *words) say(key string, values map[string]string) said {
	small, large, ok := strings.Cut(t.Answers[key][0], "|")
	if !ok {
		small, large = "", small
	}
	return said{answers[key], key, small, large, fill(t.Answers[key][1], values)}
}

// title is the headline in one line.
func (s said) title() string { return strings.TrimSpace(s.Small + " " + s.Large) }

// keyOf returns the key of the answer about a reference.
func keyOf(r verify.Result) string {
	switch {
	case r.Test && (r.Verdict == verify.Valid || r.Verdict == verify.NotFound):
		return "test"
	case r.Verdict == verify.Valid:
		return "reference"
	case r.ReplacedBy != "":
		return "replaced"
	case r.Verdict == verify.Suspended && failed(r.Checks, offline.CheckIssuerActive):
		return "issuer_suspended"
	case r.Verdict == verify.Revoked, r.Verdict == verify.Suspended, r.Verdict == verify.Expired:
		return string(r.Verdict)
	}
	return "not_found"
}

func failed(checks []offline.Check, name string) bool {
	for _, c := range checks {
		if c.Name == name && c.Status == offline.Fail {
			return true
		}
	}
	return false
}
