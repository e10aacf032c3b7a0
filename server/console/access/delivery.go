package access

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/outbound/webhook"
)

// deliveryPage is the data of the screen of one delivery.
type deliveryPage struct {
	Hook  hookRow
	One   deliveryRow
	Body  string // indented JSON
	Tries []tryRow
}

// tryRow is a line of the list of tries.
type tryRow struct {
	webhook.Try
	When string
}

// ownDelivery returns endpoint and delivery of the path. ok is false if there is none, and
// the answer is given then.
func (a *access) ownDelivery(w http.ResponseWriter, r *http.Request, v account.Visit) (e webhook.Endpoint, d webhook.Delivery, tries []webhook.Try, ok bool) {
	if e, ok = a.ownHook(w, r, v); !ok {
		return e, d, nil, false
	}
	d, tries, err := a.c.Webhooks.DeliveryOf(r.Context(), v.Tenant.Reference, e.ID, r.PathValue("delivery"))
	if err != nil {
		a.Failed(w, r, err)
	}
	return e, d, tries, err == nil
}

func (a *access) delivery(w http.ResponseWriter, r *http.Request, v account.Visit) {
	e, d, tries, ok := a.ownDelivery(w, r, v)
	if !ok {
		return
	}
	out := deliveryPage{Hook: a.hookRow(e, webhook.Counts{}), One: newDelivery(d), Body: d.Body}
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(d.Body), "", "  ") == nil {
		out.Body = pretty.String()
	}
	for _, t := range tries {
		t.Took = t.Took.Round(time.Millisecond)
		out.Tries = append(out.Tries, tryRow{t, frame.Moment(t.At)})
	}
	p, _ := a.page(r, v, string(d.Type), out)
	a.Draw(w, r, http.StatusOK, "access/delivery", p)
}

func (a *access) redeliver(w http.ResponseWriter, r *http.Request, v account.Visit) {
	e, d, _, ok := a.ownDelivery(w, r, v)
	if !ok {
		return
	}
	if err := a.c.Webhooks.Redeliver(by(r, v), v.Tenant.Reference, d.ID); err != nil {
		a.hookRefused(w, r, v, e, newForm(e.URL, e.Events), err)
		return
	}
	frame.Back(w, r, "/console/webhooks/"+e.ID, "redelivered")
}
