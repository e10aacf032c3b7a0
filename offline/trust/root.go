package trust

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Root says which keys may change the root and which key signs all the
// other documents.
type Root struct {
	Version   uint64    // from 1, without gaps
	Expires   time.Time // whole seconds, UTC
	Threshold int       // of Keys, from 1; this root and the next need that many signatures
	Keys      []VerifierKey
	Online    VerifierKey // must not be one of Keys
	// Forget, if not zero, is in a root that changes Online: what devices remember of
	// revocations and compromises is void too. It names the moment from which documents
	// were lost or forged: the time of the backup of a restore, or of a theft.
	Forget time.Time // whole seconds, UTC
}

// Fingerprint returns the fingerprint of the trust root that begins with r,
// which must be version 1.
func (r Root) Fingerprint() (Fingerprint, error) {
	if r.Version != 1 {
		return Fingerprint{}, fmt.Errorf("fingerprint of root %d: %w", r.Version, ErrRootChain)
	}
	text, err := r.Text(Fingerprint{})
	if err != nil {
		return Fingerprint{}, err
	}
	return fingerprintOf(text), nil
}

// fingerprintOf hashes a text from its second line on.
func fingerprintOf(text []byte) Fingerprint {
	return sha256.Sum256(text[bytes.IndexByte(text, '\n')+1:])
}

// Text returns the canonical text of r under the trust root fp. Keys are
// written in ascending order of their text, whatever their order in r.
func (r Root) Text(fp Fingerprint) ([]byte, error) {
	w := newWriter(fp, TypeRoot)
	w.line("version", w.version(r.Version))
	w.line("expires", w.time(r.Expires))
	w.line("threshold", strconv.Itoa(r.Threshold))
	for _, k := range sortedKeys(r.Keys) {
		w.line("key", k.String())
	}
	w.line("online", r.Online.String())
	if !r.Forget.IsZero() {
		w.line("forget", w.time(r.Forget))
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return w.text(MaxRootLen)
}

func sortedKeys(keys []VerifierKey) []VerifierKey {
	return slices.SortedStableFunc(slices.Values(keys), func(a, b VerifierKey) int {
		return strings.Compare(a.String(), b.String())
	})
}

// check checks the rules that the grammar does not express.
func (r Root) check() error {
	if len(r.Keys) == 0 || len(r.Keys) > MaxRootKeys {
		return &SyntaxError{Reason: fmt.Sprintf("%d root keys", len(r.Keys))}
	}
	if r.Threshold < 1 || r.Threshold > len(r.Keys) {
		return &SyntaxError{Reason: fmt.Sprintf("threshold %d of %d root keys", r.Threshold, len(r.Keys))}
	}
	// A key counts only once: under a second name it would sign twice. The
	// online key is the exposed one, so it must not be a root key.
	seen := map[[32]byte]bool{r.Online.Public: true}
	for _, k := range append(slices.Clone(r.Keys), r.Online) {
		if _, err := NewVerifierKey(k.Name, k.Public[:]); err != nil {
			return &SyntaxError{Reason: err.Error()}
		}
	}
	for _, k := range r.Keys {
		if seen[k.Public] {
			return &SyntaxError{Reason: "key " + k.Name + " is there twice"}
		}
		seen[k.Public] = true
	}
	return nil
}

// ParseRoot reads a signed root of the trust root fp and checks that the
// threshold of its own keys has signed it. That alone proves nothing: [Pin] and
// [State.Apply] decide whether it counts.
func ParseRoot(fp Fingerprint, raw []byte) (Root, error) {
	if _, err := checkHead(fp, TypeRoot, MaxRootLen, raw); err != nil { // before any cryptography
		return Root{}, err
	}
	text, _, err := openNote(raw, nil)
	if err != nil {
		return Root{}, err
	}
	r, err := readRootText(fp, text)
	if err != nil {
		return Root{}, err
	}
	if err := r.signed(raw); err != nil {
		return Root{}, err
	}
	return r, nil
}

// ReadRoot reads the text of a root that may still lack signatures, for people
// who are about to sign it, and returns the trust root that the text names. It
// does not check signatures: see [SignedBy]. The errors are those of this
// package.
func ReadRoot(raw []byte) (Fingerprint, Root, error) {
	_, fp, _, err := typeLine(raw, MaxRootLen)
	if err != nil {
		return Fingerprint{}, Root{}, err
	}
	text := string(raw)
	if bytes.Contains(raw, []byte("\n\n")) {
		if text, _, err = openNote(raw, nil); err != nil {
			return Fingerprint{}, Root{}, err
		}
	}
	r, err := readRootText(fp, text)
	return fp, r, err
}

// readRootText reads the text of a root of the trust root fp.
func readRootText(fp Fingerprint, text string) (Root, error) {
	l, err := checkHead(fp, TypeRoot, MaxRootLen, []byte(text))
	if err != nil {
		return Root{}, err
	}
	l.rest = text[l.typeLine:]
	r, err := readRoot(l)
	if err != nil {
		return Root{}, err
	}
	if canonical, err := r.Text(fp); err != nil || string(canonical) != text {
		return Root{}, notCanonical(err)
	}
	if r.Version == 1 && fingerprintOf([]byte(text)) != fp {
		return Root{}, fmt.Errorf("%w: the first line names %s", ErrFingerprint, fp)
	}
	return r, nil
}

func readRoot(l *lines) (Root, error) {
	var r Root
	r.Version = l.version(l.take("version"))
	r.Expires = l.time(l.take("expires"))
	r.Threshold = int(l.number(l.take("threshold"), MaxRootKeys))
	for l.at("key") {
		r.Keys = append(r.Keys, l.key(l.take("key")))
		if len(r.Keys) > MaxRootKeys {
			l.fail("more than %d keys", MaxRootKeys)
		}
	}
	r.Online = l.key(l.take("online"))
	if l.at("forget") {
		r.Forget = l.time(l.take("forget"))
	}
	l.end()
	return r, l.err
}

// key reads a signed-note verifier key.
func (l *lines) key(s string) VerifierKey {
	if l.err != nil {
		return VerifierKey{}
	}
	k, err := ParseVerifierKey(s)
	if err != nil {
		l.fail("%v", err)
	}
	return k
}

// signed checks that the threshold of r's keys has signed raw.
func (r Root) signed(raw []byte) error {
	_, n, err := openNote(raw, r.Keys)
	if err != nil {
		return err
	}
	if n < r.Threshold {
		return fmt.Errorf("%w: %d of the %d that root %d asks for", ErrThreshold, n, r.Threshold, r.Version)
	}
	return nil
}

// notCanonical explains why readable text is refused.
func notCanonical(err error) error {
	if err != nil {
		return err
	}
	return &SyntaxError{Reason: "order or spelling is not the canonical one"}
}
