package trust

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"tcode/offline/statuslist"
)

// An ObjectVector is one object with its answer, as the files of
// testdata/vectors/status hold it in JSON: every implementation must give this answer.
type ObjectVector struct {
	Comment string `json:"comment"`
	// Object is "shard" or "shards" (in transit form), "pack" or "delta".
	Object string `json:"object"`
	// Most is the largest number of shards.
	Most int    `json:"most,omitempty"`
	Raw  string `json:"raw"` // hexadecimal digits

	// Want is "ok", or the reason of the refusal: "syntax", "too_large", "size",
	// "deflate" or "compact".
	Want string `json:"want"`
	// Names holds the SHA-256 of each shard, or of the pack or delta, in
	// hexadecimal digits.
	Names []string `json:"names,omitempty"`
	// Set holds the entries of a delta, or of each shard, which has its place
	// in Names: entry to value by shard. It is left out for more than 100
	// entries, because Names is enough.
	Set map[string]map[string]int `json:"set,omitempty"`
}

// ParseObjectVector reads a vector file. The error wraps [ErrSyntax].
func ParseObjectVector(raw []byte) (v ObjectVector, err error) {
	if err = json.Unmarshal(raw, &v); err != nil {
		err = fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return v, err
}

// Run reads the object and returns v with the result in Want, Names and Set.
func (v ObjectVector) Run() (ObjectVector, error) {
	v.Names, v.Set = nil, nil
	raw, err := hex.DecodeString(v.Raw)
	if err != nil {
		return v, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	switch v.Object {
	case "shard":
		var s *statuslist.Shard
		if s, err = statuslist.Inflate(raw); err == nil {
			v.shards(s)
		}
	case "shards":
		var all []*statuslist.Shard
		if all, err = statuslist.InflateAll(raw, v.Most); err == nil {
			v.shards(all...)
		}
	case "pack":
		var p Pack
		if p, err = ParsePack(raw); err == nil {
			v.Names = []string{p.Hash().String()}
			v.Most = len(p)
		}
	case "delta":
		var d Delta
		if d, err = ParseDelta(raw); err == nil {
			v.Names = []string{d.Hash().String()}
			for _, e := range d {
				v.set(int(e.Shard), int(e.Entry), e.Value)
			}
		}
	default:
		return v, fmt.Errorf("%w: object %q", ErrSyntax, v.Object)
	}
	if n := 0; v.Set != nil {
		for _, entries := range v.Set {
			n += len(entries)
		}
		if n > 100 {
			v.Set = nil
		}
	}
	v.Want = outcome(err)
	return v, nil
}

// outcome returns the Want for an error.
func outcome(err error) string {
	for _, o := range []struct {
		err  error
		want string
	}{
		{ErrSyntax, "syntax"}, {ErrTooLarge, "too_large"}, {statuslist.ErrSize, "size"}, {statuslist.ErrDeflate, "deflate"}, {statuslist.ErrCompact, "compact"},
	} {
		if errors.Is(err, o.err) {
			return o.want
		}
	}
	if err != nil {
		return err.Error()
	}
	return "ok"
}

func (v *ObjectVector) shards(all ...*statuslist.Shard) {
	for i, s := range all {
		v.Names = append(v.Names, s.Hash().String())
		for entry := range statuslist.Entries {
			if value := s.Get(uint16(entry)); value != statuslist.None {
				v.set(i, entry, value)
			}
		}
	}
}

func (v *ObjectVector) set(shard, entry int, value statuslist.Value) {
	if v.Set == nil {
		v.Set = map[string]map[string]int{}
	}
	name := strconv.Itoa(shard)
	if v.Set[name] == nil {
		v.Set[name] = map[string]int{}
	}
	v.Set[name][strconv.Itoa(entry)] = int(value)
}
