package pages

import (
	"net/http"
	"slices"

	"tcode/server/tenant"
)

// guidePage is the data for guide.html.
type guidePage struct {
	frame
	Address string // of the gateway, for commands
	Events  []event
	Actions []tenant.Action // that a tenant sees in its audit log
}

// An event is a group of events of webhooks.
type event struct{ Names, When string }

// events are all events that a webhook can have.
var events = []event{
	{"stamp.created, stamp.suspended, stamp.reactivated, stamp.revoked, stamp.replaced", "A stamp was made, or its status changed."},
	{"document.issued, document.suspended, document.reactivated, document.revoked, document.replaced, document.expired", "The same for Trust documents."},
	{"bulk.completed, bulk.failed, bulk.cancelled", "A bulk job ended."},
	{"scan.finding", "Scans that deserve a second look: a genuine stamp on another file, a document that was revoked when it was accepted."},
	{"scan.conflict, device.flagged", "A device sent two scans under one id, or two devices seem to have one key."},
	{"key.rotated", "Another key of the tenant signs from now on."},
	{"ping", "A test of the endpoint."},
}

// Guide answers with the guide for developers, in English. address is the gateway's, for
// the commands in it.
func (p *Pages) Guide(w http.ResponseWriter, who Reader, address string) error {
	f, _ := p.frame(who)
	f.T, f.Languages = &english, nil
	actions := slices.DeleteFunc(tenant.Actions(), func(a tenant.Action) bool { return a.Gateway })
	f.Title, f.Wide = "Documentation – TCode", true
	return p.write(w, who, http.StatusOK, "guide.html", f.T, p.policy, guidePage{f, address, events, actions})
}
