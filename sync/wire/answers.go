package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"tcode/offline/digest"
)

// ErrAnswers means that bytes are no canonical list of answers.
var ErrAnswers = errors.New("not a list of answers")

// An Answered is one entry of the canonical list that the results line of a
// receipt is the digest of: what the gateway signed about one scan.
type Answered struct {
	ScanID        string
	Digest        digest.SHA256 // of the item
	Result        ItemOutcome
	Code          string
	Verdict       string // as of then
	VerdictAtScan string
}

// ParseAnswers reads the list that [Batch.AppendResults] writes: the scanner id
// and 1 to [MaxItems] answers, each scan once. Only the one form of a list is
// accepted; the error is an [ErrAnswers].
func ParseAnswers(list []byte) (scannerID string, all []Answered, err error) {
	rest, ok := strings.CutPrefix(string(list), resultsDomain)
	if !ok {
		return "", nil, fmt.Errorf("%w: it does not begin as one", ErrAnswers)
	}
	str := func(limit int) (s string) {
		if ok = ok && len(rest) >= 4; !ok {
			return ""
		}
		n := binary.BigEndian.Uint32([]byte(rest[:4]))
		if ok = n <= uint32(limit) && len(rest)-4 >= int(n); !ok {
			return ""
		}
		s, rest = rest[4:4+n], rest[4+n:]
		return s
	}
	const most = 4000 // bytes of a word: a result holds 1,000 characters
	scannerID = str(most)
	seen := map[string]bool{}
	for ok && len(rest) > 0 {
		a := Answered{ScanID: str(most)}
		if ok = ok && len(rest) >= len(a.Digest); !ok {
			break
		}
		copy(a.Digest[:], rest)
		rest = rest[len(a.Digest):]
		a.Result, a.Code, a.Verdict, a.VerdictAtScan = ItemOutcome(str(most)), str(most), str(most), str(most)
		ok = ok && !seen[a.ScanID] && a.Result.known() && len(all) < MaxItems
		seen[a.ScanID] = true
		all = append(all, a)
	}
	if !ok || len(all) == 0 {
		return "", nil, fmt.Errorf("%w: it is cut or damaged after %d answers", ErrAnswers, len(all))
	}
	return scannerID, all, nil
}
