package trustdoc_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline/statuslist"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

func fieldNames(f *fault.Fault) string {
	return strings.Join(slices.Sorted(maps.Keys(f.Fields)), " ")
}

// machine is the table of states once more: "" is refused.
var machine = map[trustdoc.Status]map[trustdoc.Action]trustdoc.Status{
	trustdoc.Active: {
		trustdoc.ActionSuspend: trustdoc.Suspended, trustdoc.ActionRevoke: trustdoc.Revoked, trustdoc.ActionReinstate: trustdoc.Active,
		trustdoc.ActionExpire: trustdoc.Expired, trustdoc.ActionReplace: trustdoc.Revoked,
	},
	trustdoc.Suspended: {
		trustdoc.ActionSuspend: trustdoc.Suspended, trustdoc.ActionRevoke: trustdoc.Revoked, trustdoc.ActionReinstate: trustdoc.Active,
		trustdoc.ActionExpire: trustdoc.Expired, trustdoc.ActionReplace: trustdoc.Revoked,
	},
	trustdoc.Revoked: {
		trustdoc.ActionSuspend: "", trustdoc.ActionRevoke: trustdoc.Revoked, trustdoc.ActionReinstate: "",
		trustdoc.ActionExpire: "", trustdoc.ActionReplace: "",
	},
	trustdoc.Expired: {
		trustdoc.ActionSuspend: "", trustdoc.ActionRevoke: "", trustdoc.ActionReinstate: "",
		trustdoc.ActionExpire: trustdoc.Expired, trustdoc.ActionReplace: "",
	},
}

// entries maps a document's state to its stamp's entry in the status list.
var entries = map[trustdoc.Status]statuslist.Value{
	trustdoc.Active: statuslist.None, trustdoc.Suspended: statuslist.Suspended, trustdoc.Revoked: statuslist.Revoked, trustdoc.Expired: statuslist.Revoked,
}

// Every pair of state and action, on documents with a stamp and without, in the
// database: a refused action changes nothing, and the stamp's entry follows.
func TestEveryPair(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		d := newDesk(t, e)
		pairs := 0
		for from, actions := range machine {
			for action, want := range actions {
				for _, form := range []func(*trustdoc.Issuance){func(*trustdoc.Issuance) {}, stamped} {
					pairs++
					want := want
					doc := d.in(from, titled(fmt.Sprint(from, action, pairs)), form)
					err := d.do(doc.ID, action)
					if want == "" {
						if fault.As(err).Code != fault.CodeInvalidTransition {
							t.Errorf("%s of %s: %v", action, from, err)
						}
						want = from
					} else if err != nil {
						t.Errorf("%s of %s: %v", action, from, err)
					}
					got := d.get(doc.ID)
					events, err := d.Trust.Events(t.Context(), "ACME01", doc.ID)
					if err != nil {
						t.Fatal(err)
					}
					if last := events[len(events)-1]; got.Status != want || last.To != want {
						t.Errorf("%s of %s: %s, its history ends with %s, want %s", action, from, got.Status, last.To, want)
					}
					if doc.Stamp == nil {
						continue
					}
					entry := entries[want]
					if action == trustdoc.ActionReplace && from != trustdoc.Revoked && from != trustdoc.Expired {
						entry = statuslist.Replaced
					}
					if got := d.entry(doc.Stamp.ID); got != entry {
						t.Errorf("%s of %s: status entry %d, want %d", action, from, got, entry)
					}
				}
			}
		}
		if pairs != 40 {
			t.Errorf("%d pairs", pairs)
		}
		if err := d.DB.CheckRows(t.Context(), func(p store.Problem) { t.Errorf("%+v", p) }); err != nil {
			t.Error(err)
		}
	})
}

// in issues a document and brings it into a state.
func (d *desk) in(s trustdoc.Status, change ...func(*trustdoc.Issuance)) trustdoc.Document {
	d.t.Helper()
	doc := d.issue(change...)
	path := map[trustdoc.Status]trustdoc.Action{
		trustdoc.Suspended: trustdoc.ActionSuspend, trustdoc.Revoked: trustdoc.ActionRevoke, trustdoc.Expired: trustdoc.ActionExpire,
	}
	if a := path[s]; a != "" {
		if err := d.act(doc.ID, a); err != nil {
			d.t.Fatal(err)
		}
	}
	return doc
}

// do does any action, replacing included.
func (d *desk) do(id string, a trustdoc.Action) error {
	if a != trustdoc.ActionReplace {
		return d.act(id, a)
	}
	_, err := d.Trust.Replace(d.t.Context(), d.id, id, trustdoc.Replacement{Reason: "corrected", PDF: spool.Bytes([]byte("%PDF-1.7\n% corrected\n%%EOF\n"))})
	return err
}

// entry returns the entry that the status list would have for a stamp.
func (d *desk) entry(stampID string) (v statuslist.Value) {
	d.t.Helper()
	st, err := d.Stamps.Get(d.t.Context(), "ACME01", stampID)
	if err != nil {
		d.t.Fatal(err)
	}
	err = storetest.Raw(d.t, d.Dir).QueryRow(`SELECT value FROM status_entries WHERE shard = $1 AND entry = $2`,
		st.StatusIndex.Shard(), st.StatusIndex.Entry()).Scan(&v)
	if err != nil {
		d.t.Fatal(err)
	}
	if want := st.Status.Entry(st.ReplacedBy != ""); v != want {
		d.t.Errorf("entry %d of a stamp that is %s", v, st.Status)
	}
	return v
}

// The states of a template.
func TestTemplateStates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from   trustdoc.TemplateStatus
		action trustdoc.TemplateAction
		want   trustdoc.TemplateStatus
	}{
		{trustdoc.TemplateActive, trustdoc.ActionArchive, trustdoc.TemplateArchived},
		{trustdoc.TemplateActive, trustdoc.ActionUnarchive, trustdoc.TemplateActive},
		{trustdoc.TemplateArchived, trustdoc.ActionArchive, trustdoc.TemplateArchived},
		{trustdoc.TemplateArchived, trustdoc.ActionUnarchive, trustdoc.TemplateActive},
		{trustdoc.TemplateActive, "burn", ""},
		{trustdoc.TemplateArchived, "burn", ""},
	} {
		if got, err := tt.from.Next(tt.action); got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s of %s: %q, %v", tt.action, tt.from, got, err)
		}
	}
}

// A document is Expired from the moment of its expiry, whichever operation stores that
// and how often: a read, concurrent sweeps of several gateways, a change.
func TestExpiry(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		d := newDesk(t, e)
		end := d.Clock.Now().Add(time.Hour)
		doc := d.issue(stamped, func(r *trustdoc.Issuance) { r.ExpiresAt = end })
		lasting := d.issue(titled("permanently"))
		d.Clock.Add(time.Hour - time.Second)
		if got := d.get(doc.ID).Status; got != trustdoc.Active {
			t.Errorf("a second before: %s", got)
		}
		d.Clock.Add(time.Second)
		if got := d.get(doc.ID).Status; got != trustdoc.Expired {
			t.Errorf("at its end: %s", got)
		}
		if err := d.act(doc.ID, trustdoc.ActionSuspend); fault.As(err).Code != fault.CodeInvalidTransition {
			t.Errorf("suspending it: %v", err)
		}
		if d.entry(doc.Stamp.ID) != statuslist.None {
			t.Error("the entry changed without a sweep")
		}
		d.Clock.Add(time.Minute)
		other := storetest.Open(t, d.Dir, d.Clock)
		done := make(chan error, 8)
		for i := range cap(done) {
			go func() {
				_, err := []*trustdoc.Service{d.Trust, other.Trust}[i%2].Sweep(t.Context())
				done <- err
			}()
		}
		for range cap(done) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n, err := d.Trust.Sweep(t.Context()); n != 0 || err != nil {
			t.Errorf("another sweep: %d, %v", n, err)
		}
		events, err := d.Trust.Events(t.Context(), "ACME01", doc.ID)
		if err != nil || len(events) != 2 || events[1].Action != trustdoc.ActionExpire || !events[1].At.Equal(end) || events[1].By != "" {
			t.Errorf("history %+v, %v", events, err)
		}
		if d.entry(doc.Stamp.ID) != statuslist.Revoked || d.get(lasting.ID).Status != trustdoc.Active {
			t.Error("the sweep changed too little or too much")
		}
		st, err := d.Stamps.Get(t.Context(), "ACME01", doc.Stamp.ID)
		if err != nil || st.Status != stamp.Revoked || st.Reason == "" {
			t.Errorf("stamp %+v, %v", st, err)
		}
	})
}
