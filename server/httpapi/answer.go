package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tcode/offline"
	"tcode/server/verify"
)

// An answer writes a result as [verification] shows it, byte for byte, but without
// the generated types and reflection. Reflection takes a tenth of the time of a
// look-up, which is the most frequent request. A test compares the two forms for
// every shape of a result.
type answer verify.Result

var (
	_ VerifyByReferenceResponseObject = answer{}
	_ VerifyPayloadResponseObject     = answer{}
)

// VisitVerifyByReferenceResponse writes the answer to a reference.
func (a answer) VisitVerifyByReferenceResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitVerifyPayloadResponse writes the answer to a payload.
func (a answer) VisitVerifyPayloadResponse(w http.ResponseWriter) error { return a.write(w) }

// answers is a pool of buffers for answers.
var answers = sync.Pool{New: func() any { return new(make([]byte, 0, 4<<10)) }}

func (a answer) write(w http.ResponseWriter) error {
	buf := answers.Get().(*[]byte)
	defer answers.Put(buf)
	b, err := a.append((*buf)[:0])
	if err != nil {
		return err
	}
	*buf = b
	w.Header()["Content-Type"] = typeJSON
	w.WriteHeader(http.StatusOK)
	_, err = w.Write(b)
	return err
}

// typeJSON is the value of a header; it never changes.
var typeJSON = []string{"application/json"}

// append appends the JSON of the answer and a newline. It fails for times that
// JSON cannot hold.
func (a answer) append(b []byte) (_ []byte, err error) {
	b = append(b, `{"data":`...)
	switch {
	case a.Verdict != verify.NotFound:
		if b, err = a.appendFound(b); err != nil {
			return b, err
		}
	case len(a.Checks) == 0:
		b = append(b, `{"verdict":"not_found"}`...)
	default:
		b = appendText(append(b, `{"assurance":`...), string(a.Assurance))
		b = appendChecks(append(b, `,"checks":`...), a.Checks)
		b = strconv.AppendBool(append(b, `,"test":`...), a.Test)
		b = append(b, `,"verdict":"not_found"}`...)
	}
	return append(b, '}', '\n'), nil
}

func (a answer) appendFound(b []byte) (_ []byte, err error) {
	b = appendOptional(append(b, `{"assurance":`...), string(a.Assurance))
	b = appendChecks(append(b, `,"checks":`...), a.Checks)
	b = appendText(append(b, `,"documentType":`...), a.DocumentType.Code)
	b = appendNames(append(b, `,"documentTypeNames":`...), a.DocumentType.Names)
	b = append(b, `,"erasedAt":`...)
	if a.ErasedAt.IsZero() {
		b = append(b, "null"...)
	} else if b, err = appendTime(b, a.ErasedAt); err != nil {
		return b, err
	}
	b = append(b, `,"fields":[`...)
	for i, f := range a.Fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"key":`...), f.Key)
		b = appendText(append(b, `,"value":`...), f.Value)
		b = append(b, '}')
	}
	if b, err = appendTime(append(b, `],"issuedAt":`...), a.IssuedAt); err != nil {
		return b, err
	}
	b = appendText(append(b, `,"issuerName":`...), a.IssuerName)
	b = appendText(append(b, `,"issuerReference":`...), a.IssuerReference)
	b = append(b, `,"matchCount":`...)
	if a.MatchCount == 0 {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, int64(a.MatchCount), 10)
	}
	b = appendOptional(append(b, `,"matchedOn":`...), string(a.MatchedOn))
	b = appendOptional(append(b, `,"name":`...), a.Name)
	b = appendOptional(append(b, `,"reason":`...), a.Reason)
	b = appendText(append(b, `,"reference":`...), a.Reference.String())
	b = appendOptional(append(b, `,"replacedBy":`...), a.ReplacedBy)
	b = appendOptional(append(b, `,"replaces":`...), a.Replaces)
	b = appendText(append(b, `,"status":`...), string(a.Status))
	if b, err = appendTime(append(b, `,"statusAsOf":`...), a.StatusAsOf); err != nil {
		return b, err
	}
	b = strconv.AppendBool(append(b, `,"test":`...), a.Test)
	b = appendOptional(append(b, `,"trustDocument":`...), a.Document)
	b = appendText(append(b, `,"verdict":`...), string(a.Verdict))
	return append(b, '}'), nil
}

func appendChecks(b []byte, checks []offline.Check) []byte {
	b = append(b, '[')
	for i, c := range checks {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"code":`...), c.Code)
		b = appendOptional(append(b, `,"detail":`...), c.Detail)
		b = appendText(append(b, `,"name":`...), c.Name)
		b = appendText(append(b, `,"status":`...), c.Status)
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendNames appends an object with its members in order.
func appendNames(b []byte, names map[string]string) []byte {
	b = append(b, '{')
	var few [8]string // languages; more have to be allocated
	languages := few[:0]
	for language := range names {
		languages = append(languages, language)
	}
	slices.Sort(languages)
	for i, language := range languages {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, language), ':')
		b = appendText(b, names[language])
	}
	return append(b, '}')
}

// appendOptional appends null for "".
func appendOptional(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return appendText(b, s)
}

// appendText appends a string as encoding/json writes it, which escapes more than
// JSON requires. It uses encoding/json for every string but plain ASCII.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if !plain[s[i]] {
			text, _ := json.Marshal(s) // marshaling a string never fails
			return append(b, text...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// plain marks the bytes that need no escape.
var plain = func() (p [256]bool) {
	for c := ' '; c <= '~'; c++ {
		p[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return p
}()

func appendTime(b []byte, t time.Time) ([]byte, error) {
	b, err := wholeMillis(t).AppendText(append(b, '"'))
	return append(b, '"'), err
}
