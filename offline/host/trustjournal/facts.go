package trustjournal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tcode/offline/trustbook"
)

const factsHead = "tcode-trust-facts/1"

// maxError is the largest number of bytes of an error that is kept.
const maxError = 8 << 10

// errFacts means that a value is not the one encoding of facts.
var errFacts = errors.New("is damaged")

// formatFacts writes the value of the key facts (FORMAT.md).
func formatFacts(f trustbook.Facts) []byte {
	b := fmt.Appendf(nil, "%s\ngeneration %d\ngateway %q\npinned %s\nattempt %s\nrefreshed %s\nerror %q\nfloor %s\nahead %d\nproof %q\n",
		factsHead, f.Generation, f.Gateway, formatTime(f.PinnedAt, time.Millisecond), formatTime(f.AttemptAt, time.Millisecond),
		formatTime(f.RefreshedAt, time.Millisecond), f.AttemptError[:min(len(f.AttemptError), maxError)], formatTime(f.Floor, time.Second), f.Ahead, f.Proof)
	return fmt.Appendf(b, "sum %x\n", sha256.Sum256(b))
}

// formatTime writes a number of units since 1970; a zero time is "-".
func formatTime(t time.Time, unit time.Duration) string {
	if t.IsZero() {
		return "-"
	}
	return strconv.FormatInt(t.UnixMilli()/unit.Milliseconds(), 10)
}

// parseFacts reads what formatFacts wrote, and nothing else.
func parseFacts(raw []byte) (f trustbook.Facts, err error) {
	lines := strings.Split(string(raw), "\n")
	value := func(name string) string { // the value of the next line; of another name it is empty
		if len(lines) < 2 {
			return ""
		}
		lines = lines[1:]
		v, _ := strings.CutPrefix(lines[0], name+" ")
		return v
	}
	number := func(name string) (n uint64) {
		n, _ = strconv.ParseUint(value(name), 10, 64)
		return n
	}
	text := func(name string) (s string) {
		s, _ = strconv.Unquote(value(name))
		return s
	}
	moment := func(name string, unit time.Duration) time.Time {
		n, err := strconv.ParseInt(value(name), 10, 64)
		if ms := n * unit.Milliseconds(); err == nil && ms/unit.Milliseconds() == n {
			return time.UnixMilli(ms).UTC()
		}
		return time.Time{}
	}
	f = trustbook.Facts{
		Generation: number("generation"), Gateway: text("gateway"), PinnedAt: moment("pinned", time.Millisecond), AttemptAt: moment("attempt", time.Millisecond),
		RefreshedAt: moment("refreshed", time.Millisecond), AttemptError: text("error"), Floor: moment("floor", time.Second), Ahead: number("ahead"), Proof: text("proof"),
	}
	// A value that could not be read has no line of its own here.
	if !bytes.Equal(formatFacts(f), raw) {
		return trustbook.Facts{}, errFacts
	}
	return f, nil
}

// gatewayOf looks for the gateway in damaged facts. A wrong address does no harm: the
// device checks every document that comes from there.
func gatewayOf(raw []byte) string {
	for line := range strings.Lines(string(raw)) {
		if quoted, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "gateway "); ok {
			if s, err := strconv.Unquote(quoted); err == nil && (strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")) {
				return s
			}
		}
	}
	return ""
}
