// Package ceremony makes trust roots and signs them on a machine other than the gateway:
// root keys in files sealed by a passphrase, the next root after an existing one, and the
// list of its signers. Call [Generate] first, then [Next].
//
//	Generate ─▶ KeyFile, sealed; its public half into a KeyList
//	root N ──Change──▶ Next ─▶ text of root N+1 ──Sign with a KeyFile──▶ note ─▶ publish.PublishRoots
//	                                                └─ Progress: who signed, who is missing
//
// All of it is pure: the caller reads and writes files. README.md in this folder is the
// page that operators follow, and describes the files.
package ceremony

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/offline/trust"
)

// ErrChange means that a root cannot be changed in this way.
var ErrChange = errors.New("the next root cannot be made")

// A Change is the difference between the next root and the one before. The zero Change
// changes only version and expiry.
type Change struct {
	Expires   time.Time           // required; whole seconds
	Keys      []trust.VerifierKey // replace all root keys; empty: the keys stay
	Add       []trust.VerifierKey
	Remove    []string          // names of keys, or whole verifier keys
	Threshold int               // zero: as before, or that of the list that Keys came from
	Online    trust.VerifierKey // zero: as before
	Forget    time.Time         // trust.Root.Forget; zero: what devices remember stays
}

// Next returns the unsigned text of the root after prev, for the trust root fp. The error
// wraps [ErrChange] or one of package trust.
func Next(fp trust.Fingerprint, prev trust.Root, c Change) ([]byte, error) {
	next := prev
	next.Version, next.Expires, next.Forget = prev.Version+1, c.Expires, c.Forget
	next.Keys = slices.Clone(prev.Keys)
	if len(c.Keys) > 0 {
		next.Keys = slices.Clone(c.Keys)
	}
	for _, word := range c.Remove {
		i := slices.IndexFunc(next.Keys, func(k trust.VerifierKey) bool { return k.Name == word || k.String() == word })
		if i < 0 {
			return nil, fmt.Errorf("%w: it has no key %s", ErrChange, word)
		}
		next.Keys = slices.Delete(next.Keys, i, i+1)
	}
	next.Keys = append(next.Keys, c.Add...)
	names := map[string]bool{}
	for _, k := range next.Keys {
		if names[k.Name] {
			return nil, fmt.Errorf("%w: two keys are called %s", ErrChange, k.Name)
		}
		names[k.Name] = true
	}
	if c.Threshold != 0 {
		next.Threshold = c.Threshold
	}
	if !c.Online.IsZero() {
		next.Online = c.Online
	}
	return next.Text(fp)
}

// Progress counts the signatures of a root.
type Progress struct {
	Root trust.Root
	By   []trust.VerifierKey // keys of this root or of the one before
	// Missing is the number of keys of the root itself that must still sign, and MissingBefore
	// the number for the root before it.
	Missing, MissingBefore int
}

// Complete reports whether enough keys have signed.
func (p Progress) Complete() bool { return p.Missing == 0 && p.MissingBefore == 0 }

// ProgressOf reads a root that may lack signatures. prev is the root before it; if prev is
// nil, MissingBefore is 0.
func ProgressOf(raw []byte, prev *trust.Root) (Progress, error) {
	_, r, err := trust.ReadRoot(raw)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Root: r}
	if p.By, err = trust.SignedBy(raw, r.Keys); err != nil {
		return Progress{}, err
	}
	p.Missing = max(0, r.Threshold-len(p.By))
	if prev == nil {
		return p, nil
	}
	before, err := trust.SignedBy(raw, prev.Keys)
	if err != nil {
		return Progress{}, err
	}
	p.MissingBefore = max(0, prev.Threshold-len(before))
	for _, k := range before {
		if !slices.Contains(p.By, k) {
			p.By = append(p.By, k)
		}
	}
	return p, nil
}

// A KeyList is the public halves of new root keys, with the threshold for
// them.
type KeyList struct {
	Threshold int
	Keys      []trust.VerifierKey
}

// String returns the text of a key list.
func (l KeyList) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "threshold %d\n", l.Threshold)
	for _, k := range l.Keys {
		fmt.Fprintf(&b, "key %s\n", k)
	}
	return b.String()
}

// ErrKeyList means that a text is no key list.
var ErrKeyList = errors.New("not a list of root keys")

// ParseKeyList reads the text of [KeyList.String].
func ParseKeyList(raw []byte) (KeyList, error) {
	if len(raw) > trust.MaxRootLen {
		return KeyList{}, fmt.Errorf("%w: %d bytes", ErrKeyList, len(raw))
	}
	first, rest, _ := strings.Cut(string(raw), "\n")
	word, ok := strings.CutPrefix(first, "threshold ")
	n, err := strconv.Atoi(word)
	if !ok || err != nil {
		return KeyList{}, fmt.Errorf("%w: its first line is %.40q", ErrKeyList, first)
	}
	l := KeyList{Threshold: n}
	for line := range strings.Lines(rest) {
		word, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "key ")
		k, err := trust.ParseVerifierKey(word)
		if !ok || err != nil {
			return KeyList{}, errors.Join(fmt.Errorf("%w: line %.40q", ErrKeyList, line), err)
		}
		l.Keys = append(l.Keys, k)
	}
	if l.String() != string(raw) || len(l.Keys) == 0 || n < 1 || n > len(l.Keys) {
		return KeyList{}, fmt.Errorf("%w: threshold %d of %d keys", ErrKeyList, n, len(l.Keys))
	}
	return l, nil
}
