package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"tcode/offline/digest"
)

// ErrAnswers means that bytes are not a canonical list of answers.
var ErrAnswers = errors.New("not a list of answers")

// An Answered is one entry of the canonical list whose digest is in the results
// line of a receipt: the part about one scan that the gateway signed.
type Answered struct {
	ScanID        string
	Digest        digest.SHA256 // of the item
	Result        ItemOutcome
	Code          string
	Verdict       string // as of then
	VerdictAtScan string
}

// ParseAnswers reads the list that [Batch.AppendResults] writes: the scanner id
// and 1 to [MaxItems] answers, each scan once. It accepts only the canonical
// form; the error is an [ErrAnswers].
func ParseAnswers(list []byte) (scannerID string, all []Answered, err error) {
	rest, ok := strings.CutPrefix(string(list), resultsDomain)
	if !ok {
		return "", nil, fmt.Errorf("%w: wrong beginning", ErrAnswers)
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
