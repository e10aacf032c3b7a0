package opstest

import (
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
)

// TestMailOfStamps: a stamp whose TDoc template sends e-mail is sent to the address in
// its field, once, and not after its end. A stamp without an address says so.
func TestMailOfStamps(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newMailWorld(t, e)
		w.box.up()
		ctx, id := t.Context(), w.Identity("ACME01")
		tpl, err := w.Admin.Templates.Create(ctx, id, tdoc.Spec{
			Name: "Diploma", EnableEmailSending: true, BaseFields: []string{"recipientName"},
			CustomFields: []tdoc.Field{{Key: "copy", Type: tdoc.Email}, {Key: "contact", Type: tdoc.Email}},
		}, nil, nil)
		harness.Must(t, err)
		make := func(fields ...payload.Field) stamp.Stamp {
			t.Helper()
			st, err := w.Admin.Stamps.Create(ctx, id, stamp.Request{
				Name: "Diploma of Ada", DocumentTypeCode: "DIP", PDF: spool.Bytes(harness.PDF("a")), TdocTemplateID: tpl.ID, Fields: fields,
			})
			harness.Must(t, err)
			return st
		}
		read := func(st stamp.Stamp) delivery.Message {
			t.Helper()
			got, err := w.Admin.Stamps.Get(ctx, "ACME01", st.ID)
			harness.Must(t, err)
			return *got.Delivery
		}
		ada := payload.Field{Key: "recipientName", Value: "Ada Lovelace"}
		st := make(ada, payload.Field{Key: "contact", Value: "ada@t.example"})
		for range 2 { // a second wake-up does nothing
			harness.Must(t, w.Admin.Delivery.Work(ctx, st.Delivery.ID))
		}
		if m := read(st); m.State != delivery.Sent || m.Tries != 1 {
			t.Fatalf("%+v", m)
		}
		text := plain(w.box.last())
		for _, want := range []string{"ada@t.example", "Dear Ada Lovelace,", "Diploma of Ada", harness.PublicURL + "/d/" + st.Reference.String(), `filename="` + st.Reference.String() + `.pdf"`} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%.2000s", want, text)
			}
		}
		if list, err := w.Admin.Delivery.List(ctx, "ACME01", nil, 10); err != nil || len(list) != 1 || list[0].Reference != st.Reference.String() {
			t.Errorf("list: %+v, %v", list, err)
		}

		ended := make(ada, payload.Field{Key: "copy", Value: "two@t.example"}, payload.Field{Key: "contact", Value: "one@t.example"})
		if ended.Delivery.Field != "copy" {
			t.Errorf("the address is in %s", ended.Delivery.Field)
		}
		harness.Must(t, w.Admin.Stamps.Act(ctx, id, ended.ID, stamp.ActionRevoke, ""))
		harness.Must(t, w.Admin.Delivery.Work(ctx, ended.Delivery.ID))
		if m := read(ended); m.State != delivery.Dropped || m.Reason != delivery.Revoked {
			t.Errorf("a revoked stamp: %+v", m)
		}
		silent := make(ada)
		if got := strings.Join(silent.Warnings, " "); silent.Delivery != nil || !strings.Contains(got, "no e-mail is sent") {
			t.Errorf("without an address: %+v, %s", silent.Delivery, got)
		}
	})
}
