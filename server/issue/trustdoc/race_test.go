package trustdoc_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"tcode/server/fault"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// race runs do on two gateways concurrently, n times each, and counts by fault code.
func (d *desk) race(n int, do func(s *trustdoc.Service) error) map[string]int {
	d.t.Helper()
	other := storetest.Open(d.t, d.Dir, d.Clock)
	codes := make(chan string, 2*n)
	var wg sync.WaitGroup
	for i := range 2 * n {
		wg.Go(func() {
			code := ""
			if err := do([]*trustdoc.Service{d.Trust, other.Trust}[i%2]); err != nil {
				if code = fault.As(err).Code; code == fault.CodeInternal {
					code = err.Error()
				}
			}
			codes <- code
		})
	}
	wg.Wait()
	close(codes)
	got := map[string]int{}
	for c := range codes {
		got[c]++
	}
	return got
}

// Many calls run concurrently on two gateways: one issues or replaces a document, and
// the others get the reason. Whichever call wins, the rows agree with each other.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		d := newDesk(t, e)
		want := func(what string, got map[string]int, others string) {
			t.Helper()
			if fmt.Sprint(got) != fmt.Sprint(map[string]int{"": 1, others: 7}) {
				t.Errorf("%s: %v", what, got)
			}
		}
		want("the same values", d.race(4, func(s *trustdoc.Service) error {
			_, err := s.Issue(t.Context(), d.id, d.issuance())
			return err
		}), fault.CodeDuplicate)
		want("the same external id, with a TCode", d.race(4, func(s *trustdoc.Service) error {
			_, err := s.Issue(t.Context(), d.id, d.issuance(titled("x"), stamped))
			return err
		}), fault.CodeDuplicate)
		doc := d.issue(titled("y"), stamped)
		want("replacing", d.race(4, func(s *trustdoc.Service) error {
			_, err := s.Replace(t.Context(), d.id, doc.ID, trustdoc.Replacement{PDF: spool.Bytes([]byte("%PDF-1.7\n% again\n%%EOF\n"))})
			return err
		}), fault.CodeInvalidTransition)
		ending := d.issue(titled("z"), stamped, func(r *trustdoc.Issuance) { r.ExpiresAt = d.Clock.Now().Add(time.Minute) })
		d.Clock.Add(time.Minute)
		for code, n := range d.race(4, func(s *trustdoc.Service) error {
			if _, err := s.Sweep(t.Context()); err != nil {
				return err
			}
			return s.Act(t.Context(), d.id, ending.ID, trustdoc.ActionExpire, "")
		}) {
			if code != "" {
				t.Errorf("expiring: %d times %s", n, code)
			}
		}
		if err := d.DB.CheckRows(t.Context(), func(p store.Problem) { t.Errorf("%+v", p) }); err != nil {
			t.Error(err)
		}
	})
}
