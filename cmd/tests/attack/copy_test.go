package attack_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/repaint"
	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/host/sandbox"
	"tcode/scanner"
	"tcode/scanner/answer"
	"tcode/scanner/binder"
	"tcode/scanner/symbol"
	"tcode/server/pdfstamp"
)

// copies is a set of stamped documents with a scanner that reads them.
type copies struct {
	*world.World
	dev     *device.Device
	papers  []world.Paper
	symbols []symbol.Symbol
	judge   *offline.Verifier
}

// newCopies stamps n documents and reads every symbol back.
func newCopies(t *testing.T, n int) *copies {
	c := &copies{World: world.New(t, 1)}
	for i := range n {
		c.papers = append(c.papers, c.Stamp(c.Issuers[0], fmt.Sprintf("paper %d", i),
			world.SmallPDF(i)))
	}
	c.dev = c.Scanner("copies")
	snapshot, err := c.dev.Cache.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.judge = offline.New(snapshot, offline.Policy{})
	s := scanner.New(scanner.Config{})
	defer s.Close()
	for _, p := range c.papers {
		var found []symbol.Symbol
		err := s.Read(t.Context(), p.Reference, p.PDF, scanner.DocumentOptions{},
			func(page scanner.Page) error {
				found = append(found, page.Reading.Symbols...)
				return nil
			})
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: read %d symbols (%v), want 1", p.Reference, len(found), err)
		}
		c.symbols = append(c.symbols, found[0])
	}
	return c
}

// verdict judges paper i's symbol, as if it were read from file.
func (c *copies) verdict(i int, file []byte) offline.Result {
	outcome := binder.Bind(file, c.papers[i].Payload, c.symbols[i])
	return c.judge.Verify(offline.Clock{Now: time.Now()}, offline.Request{
		Payload: c.papers[i].Raw, Binding: outcome.State, BindingDetail: outcome.Detail,
	})
}

// wantMismatch checks the answer about a genuine stamp on other bytes.
func wantMismatch(t *testing.T, what string, r offline.Result) {
	t.Helper()
	check, _ := offline.FindCheck(r.Checks, offline.CheckBinding)
	if r.Verdict != offline.NotFound || check.Code != "binding_mismatch" {
		t.Errorf("%s: %s with %s, want not_found with binding_mismatch", what, r.Verdict, check.Code)
	}
}

// TestCopyAndRepaint: a genuine stamp counts on its own document only.
func TestCopyAndRepaint(t *testing.T) {
	n := world.Count(t, "TCODE_COPIES", 8)
	c := newCopies(t, n)

	t.Run("own document", func(t *testing.T) {
		for i, p := range c.papers {
			if r := c.verdict(i, p.PDF); r.Verdict != offline.Valid || r.Binding != binding.Match {
				t.Errorf("%s: %s, %s, want valid, match", p.Reference, r.Verdict, r.Binding)
			}
		}
	})
	t.Run("revision on every other document", func(t *testing.T) {
		for i, p := range c.papers {
			revision := p.PDF[len(p.Original):]
			for j, other := range c.papers {
				if i != j {
					file := append(bytes.Clone(other.Original), revision...)
					wantMismatch(t, fmt.Sprintf("revision %d on document %d", i, j), c.verdict(i, file))
				}
			}
		}
	})
	t.Run("repainted revision", func(t *testing.T) {
		for i, p := range c.papers {
			file, err := repaint.Ground(p.PDF, len(p.Original))
			if err != nil {
				t.Fatal(err)
			}
			wantMismatch(t, p.Reference, c.verdict(i, file))
		}
	})
	t.Run("one byte changed", func(t *testing.T) { c.oneByte(t) })
}

// oneByte changes one byte at random places outside the symbol's stream.
func (c *copies) oneByte(t *testing.T) {
	r := rand.New(rand.NewPCG(2026, 11))
	for range 500 * len(c.papers) {
		i := r.IntN(len(c.papers))
		p := c.papers[i]
		marks := binding.Marks(p.PDF)
		if len(marks) != 1 {
			t.Fatalf("%s has %d marks, want 1", p.Reference, len(marks))
		}
		at := r.Int64N(int64(len(p.PDF)) - marks[0].Length)
		if at >= marks[0].Start {
			at += marks[0].Length
		}
		file := bytes.Clone(p.PDF)
		file[at] ^= byte(1 + r.IntN(255))
		if got := binder.Bind(file, p.Payload, c.symbols[i]); got.State == binding.Match {
			t.Fatalf("%s with byte %d changed: match", p.Reference, at)
		}
	}
}

// TestPaste is the copy attack with our own tools: a forger stamps other
// documents correctly, with a genuine payload read from a screen. The test runs
// the whole path, from the file to the verdict.
func TestPaste(t *testing.T) {
	c := newCopies(t, 10)
	pool := sandbox.NewPool(sandbox.Config{Role: pdfstamp.Role().Name})
	defer pool.Close()
	forger := pdfstamp.New(pool)
	for i, p := range c.papers {
		other := c.papers[(i+1)%len(c.papers)]
		seal := func([16]byte) (string, error) { return c.symbols[i].Text, nil }
		pasted, err := forger.Append(t.Context(), world.InMemory(other.Original),
			pdfstamp.Placement{}, p.Payload.Reference, c.symbols[i].Rows, seal)
		if err != nil {
			t.Fatal(err)
		}
		findings := c.verify(t.Context(), "pasted.pdf",
			slices.Concat(other.Original, pasted.Revision))
		if len(findings) != 1 {
			t.Fatalf("%d findings, want 1", len(findings))
		}
		wantMismatch(t, p.Reference, findings[0].Result)
	}
}

func (c *copies) verify(ctx context.Context, name string, file []byte) []answer.Finding {
	c.T.Helper()
	findings, err := c.dev.Verify(ctx, name, file, device.VerifyOptions{})
	if err != nil {
		c.T.Fatal(err)
	}
	return findings
}
