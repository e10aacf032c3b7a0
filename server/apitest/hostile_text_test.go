//go:build !race

package apitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/testdata/corpus"
)

// TestHostileText sends hostile texts in every text member of every body: a third of the texts to
// each operation, so that three operations get all of them (TCODE_LONG=all: all to each). A rule
// refuses it, the same one on both engines, or it comes back byte for byte.
//
//engine:sqlite it starts both engines itself
func TestHostileText(t *testing.T) {
	t.Parallel()
	if len(hostile) < 30 {
		t.Fatalf("%d texts", len(hostile))
	}
	var lite, postgres map[string]int
	t.Run("engines", func(t *testing.T) {
		for e, outcome := range map[storetest.Engine]*map[string]int{storetest.SQLite: &lite, storetest.Postgres: &postgres} {
			t.Run(string(e), func(t *testing.T) {
				t.Parallel()
				*outcome = sendHostile(t, newWorldOn(t, e))
			})
		}
	})
	for _, where := range slices.Sorted(maps.Keys(lite)) {
		if status, ok := postgres[where]; ok && status != lite[where] {
			t.Errorf("%s: %d on SQLite, %d on PostgreSQL", where, lite[where], status)
		}
	}
	t.Logf("%d texts, sent %d times on each engine", len(hostile), len(lite))
}

// sendHostile returns the status of each text in each place.
func sendHostile(t *testing.T, w *world) map[string]int {
	w.T = t
	outcome := map[string]int{}
	for n, id := range w.there() {
		op := operations()[id]
		if op.body == nil {
			continue
		}
		s := &sender{world: w, id: id, q: w.ask(id), outcome: outcome}
		var bound, free [][]string // bound have rules of their own; the test sends all free ones in one request
		for _, path := range textMembers(op.body, nil) {
			if nowhere[id+" "+strings.Join(path, ".")] == "" && s.send([][]string{path}, "plain text 1").StatusCode < 300 {
				free = append(free, path)
			} else {
				bound = append(bound, path)
			}
		}
		for i, text := range hostile {
			if (i+n)%3 != 0 && !corpus.Long() {
				continue
			}
			for _, path := range bound {
				s.try([][]string{path}, text)
			}
			if len(free) == 0 || s.try(free, text) < 300 {
				continue
			}
			for _, path := range free {
				s.try([][]string{path}, text)
			}
		}
	}
	return outcome
}

// A sender sends one operation's request with texts in it.
type sender struct {
	*world
	id      string
	q       harness.Request
	outcome map[string]int // by place and text
}

// try sends a text in some members of the body, judges the answer and notes its
// status.
func (s *sender) try(paths [][]string, text string) int {
	s.T.Helper()
	a := s.send(paths, text)
	status := s.judge(s.id, paths, text, a)
	for _, path := range paths {
		s.outcome[fmt.Sprintf("%s %s, %q", s.id, strings.Join(path, "."), text)] = status
	}
	return status
}

// send sends the good request with a text in some members of its body.
func (s *sender) send(paths [][]string, text string) harness.Answer {
	s.T.Helper()
	q, b := s.q, clone(s.q.Body).(map[string]any)
	s.freshen(s.id, b)
	for _, path := range paths {
		set(b, path, text)
	}
	q.Body = b
	a := s.Do(q)
	if a.StatusCode < 300 && strings.Contains(operations()[s.id].path, "{id}/") {
		s.q = s.ask(s.id) // the record has changed: the next request needs another
	}
	return a
}
