package offline

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"tcode/offline/binding"
	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// ErrVector says that bytes are not a verdict vector.
var ErrVector = errors.New("malformed verdict vector")

// A Vector is one situation with its answer, as the files of
// testdata/vectors/verdict hold it in JSON. Every implementation of the verdict
// must return the bytes of Want.
type Vector struct {
	Comment string `json:"comment"`

	// Roots, Bundle, Status and Timestamp are signed notes. Without Roots the
	// device has no trust state. The other three are all present or all absent,
	// with the packs, in hexadecimal digits, that Status names.
	Roots     []string `json:"roots,omitempty"`
	Timestamp string   `json:"timestamp,omitempty"`
	Bundle    string   `json:"bundle,omitempty"`
	Status    string   `json:"status,omitempty"`
	Packs     []string `json:"packs,omitempty"`
	// Floor is the highest issue time of a timestamp accepted before, if it is later
	// than Timestamp's; Ahead marks versions that a proof has shown to be dated ahead.
	Floor time.Time `json:"floor,omitzero"`
	Ahead uint64    `json:"ahead,omitempty"`
	// Shards holds the nonzero entries by shard and entry.
	Shards map[uint16]map[uint16]statuslist.Value `json:"shards,omitempty"`
	// Survivors holds survivor lists: marks in hexadecimal digits.
	Survivors [][]string `json:"survivors,omitempty"`
	// Remembered holds SHA-256s of cores in hexadecimal digits.
	Remembered []string `json:"remembered,omitempty"`

	Now        time.Time `json:"now"`
	NewestScan time.Time `json:"newestScan,omitzero"`
	// Boot is the boot-time clock now, and Proof the last proof of time.
	Boot  VectorBoot  `json:"boot,omitzero"`
	Proof VectorProof `json:"proof,omitzero"`

	FreshSeconds int64  `json:"freshSeconds,omitempty"`
	HardSeconds  int64  `json:"hardSeconds,omitempty"`
	AcceptTest   bool   `json:"acceptTest,omitempty"`
	Language     string `json:"language,omitempty"`

	Payload       string        `json:"payload,omitempty"` // hexadecimal digits
	Text          string        `json:"text,omitempty"`    // instead of Payload
	Binding       binding.State `json:"binding,omitempty"`
	BindingDetail string        `json:"bindingDetail,omitempty"`

	Want json.RawMessage `json:"want"`
}

// A VectorBoot is a [Boot] in a vector.
type VectorBoot struct {
	ID      string `json:"id"`
	Seconds int64  `json:"seconds"`
}

func (b VectorBoot) boot() Boot {
	return Boot{ID: b.ID, At: time.Duration(b.Seconds) * time.Second}
}

// A VectorProof is a [Proof] in a vector.
type VectorProof struct {
	Time time.Time  `json:"time"`
	Boot VectorBoot `json:"boot"`
}

func (p VectorProof) proof() Proof { return Proof{Time: p.Time, Boot: p.Boot.boot()} }

// RunVector judges the situation in a vector file. got is the JSON of the
// [Result], want the answer in the file without insignificant white space: an
// implementation passes if they are the same bytes. The error wraps ErrVector,
// or is the refusal of the file's trust documents.
func RunVector(raw []byte) (got, want []byte, err error) {
	v, err := ParseVector(raw)
	if err != nil {
		return nil, nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, v.Want); err != nil {
		return nil, nil, fmt.Errorf("%w: want: %w", ErrVector, err)
	}
	r, err := v.Run()
	if err != nil {
		return nil, nil, err
	}
	got, err = json.Marshal(r)
	return got, compact.Bytes(), err
}

// ParseVector reads a vector file. An unknown member is an error, so that a
// misspelt one cannot switch anything off.
func ParseVector(raw []byte) (Vector, error) {
	return parseVector[Vector](raw)
}

func parseVector[V any](raw []byte) (v V, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("%w: %w", ErrVector, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v, fmt.Errorf("%w: more than one document", ErrVector)
	}
	return v, nil
}

// Run judges the situation.
func (v Vector) Run() (Result, error) {
	s, err := v.snapshot()
	if err != nil {
		return Result{}, err
	}
	r := Request{Text: v.Text, Binding: v.Binding, BindingDetail: v.BindingDetail}
	if v.Payload != "" {
		if r.Payload, err = hex.DecodeString(v.Payload); err != nil {
			return Result{}, fmt.Errorf("%w: payload: %w", ErrVector, err)
		}
	}
	p := Policy{
		Fresh:      time.Duration(v.FreshSeconds) * time.Second,
		HardExpiry: time.Duration(v.HardSeconds) * time.Second,
		AcceptTest: v.AcceptTest,
		Language:   v.Language,
	}
	c := Clock{Now: v.Now, NewestScan: v.NewestScan, Boot: v.Boot.boot(), Proof: v.Proof.proof()}
	return New(s, p).Verify(c, r), nil
}

// replayed is the Snapshot of a vector.
type replayed struct {
	state      *trust.State
	shards     map[uint16]*statuslist.Shard
	survivors  map[string]statuslist.Survivors
	remembered map[digest.SHA256]bool
}

func (v Vector) snapshot() (*replayed, error) {
	s := &replayed{
		shards:     make(map[uint16]*statuslist.Shard),
		survivors:  make(map[string]statuslist.Survivors),
		remembered: make(map[digest.SHA256]bool),
	}
	if len(v.Roots) > 0 {
		saved := trust.Saved{Floor: v.Floor, Ahead: v.Ahead}
		for _, root := range v.Roots {
			saved.Roots = append(saved.Roots, []byte(root))
		}
		if v.Timestamp != "" {
			saved.Timestamp, saved.Bundle, saved.Status = []byte(v.Timestamp), []byte(v.Bundle), []byte(v.Status)
		}
		for _, digits := range v.Packs {
			pack, err := hex.DecodeString(digits)
			if err != nil {
				return nil, fmt.Errorf("%w: packs: %w", ErrVector, err)
			}
			saved.Packs = append(saved.Packs, pack)
		}
		state, err := trust.Load(saved)
		if err != nil {
			return nil, fmt.Errorf("load the vector's trust state: %w", err)
		}
		s.state = &state
	}
	for number, entries := range v.Shards {
		shard := new(statuslist.Shard)
		for entry, value := range entries {
			shard.Set(entry, value)
		}
		s.shards[number] = shard
	}
	for _, list := range v.Survivors {
		marks := make([]statuslist.Mark, len(list))
		for i, digits := range list {
			if err := unhex(marks[i][:], digits); err != nil {
				return nil, fmt.Errorf("%w: survivors: %w", ErrVector, err)
			}
		}
		survivors := statuslist.NewSurvivors(marks)
		s.survivors[survivors.Hash().String()] = survivors
	}
	for _, digits := range v.Remembered {
		core, err := digest.Parse(digits)
		if err != nil {
			return nil, fmt.Errorf("%w: remembered: %w", ErrVector, err)
		}
		s.remembered[core] = true
	}
	return s, nil
}

// unhex fills all of dst.
func unhex(dst []byte, digits string) error {
	raw, err := hex.DecodeString(digits)
	if err == nil && len(raw) != len(dst) {
		err = hex.ErrLength
	}
	copy(dst, raw)
	return err
}

func (s *replayed) State() *trust.State { return s.state }

func (s *replayed) Shard(number uint16) (*statuslist.Shard, error) { return s.shards[number], nil }

func (s *replayed) Remembered(core digest.SHA256) (bool, error) { return s.remembered[core], nil }

func (s *replayed) Survivors(sha256 string) (statuslist.Survivors, bool) {
	list, ok := s.survivors[sha256]
	return list, ok
}
