package opstest

import (
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"tcode/server/fault"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestResendDocument: its issuer sends a document's message again, to the same address or to
// another one, and gives an address to a document that has none. The answer of the mail server
// is in the words about the message.
func TestResendDocument(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newMailWorld(t, e)
		id, ctx := w.Identity("ACME01"), t.Context()
		again := func(d trustdoc.Document, email string) (trustdoc.Document, error) {
			return w.Admin.Documents.Resend(ctx, id, d.ID, email)
		}
		w.box.up()
		w.box.set(&smtp.SMTPError{Code: 550, Message: "no ada@example.org here"}, 0)
		d := w.issue("Ada", nil)
		if m := w.work(d); m.State != delivery.Refused || !strings.Contains(m.Words(), "550") {
			t.Errorf("refused: %+v, %s", m, m.Words())
		}
		for _, bad := range []string{"ada", "Ada <ada@example.org>", "ada@example.org\n"} {
			if _, err := again(d, bad); !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		w.box.set(nil, 0)
		fixed, err := again(d, "countess@example.org")
		if err != nil || fixed.RecipientEmail != "countess@example.org" || fixed.Delivery.State != delivery.Waiting {
			t.Fatalf("%+v, %v", fixed.Delivery, err)
		}
		if m := w.work(d); m.State != delivery.Sent {
			t.Errorf("to the new address: %+v", m)
		}
		if _, err := again(d, ""); err != nil {
			t.Fatal(err)
		}
		w.work(d)
		ids, all := w.box.confirmed()
		if len(ids) != 2 || all != 2 || ids[d.Delivery.ID+"-1@t.example"] != 1 || ids[d.Delivery.ID+"-2@t.example"] != 1 {
			t.Errorf("confirmed %v", ids)
		}
		if last := string(w.box.last()); !strings.Contains(last, "countess@example.org") || strings.Contains(last, "ada@") {
			t.Errorf("the last message is\n%s", last)
		}
		log, err := w.Admin.Tenants.Audit(ctx, tenant.AuditFilter{Tenant: "ACME01", Action: "document.mail", Limit: 10})
		if err != nil || len(log) != 2 || log[1].Detail["address"] != "changed" || log[1].Subject != d.ID || len(log[0].Detail) != 0 {
			t.Errorf("audit %+v, %v", log, err)
		}

		none := w.issue("Grace", func(r *trustdoc.Issuance) { r.RecipientEmail = "" })
		if _, err := again(none, ""); !fault.Is(err, fault.Invalid) {
			t.Errorf("without an address: %v", err)
		}
		if none, err = again(none, "grace@example.org"); err != nil || none.Delivery == nil {
			t.Fatalf("%+v, %v", none.Delivery, err)
		}
		if m := w.work(none); m.State != delivery.Sent {
			t.Errorf("first address: %+v", m)
		}
		if err := w.Admin.Documents.Act(ctx, id, d.ID, trustdoc.ActionRevoke, "wrong"); err != nil {
			t.Fatal(err)
		}
		if _, err := again(d, ""); !fault.Is(err, fault.Conflict) {
			t.Errorf("revoked: %v", err)
		}
		if _, err := w.Admin.Documents.Resend(ctx, id, w.template, "ada@example.org"); !fault.Is(err, fault.NotFound) {
			t.Errorf("nothing: %v", err)
		}
	})
}
