package server_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/store/storetest"
)

// A world is a gateway with a tenant and with what requests about it need.
type world struct {
	*rig
	key      string // of ACME01
	standing map[string]any
	text     string            // what the symbol of standing holds
	tdoc     string            // a TDoc template with the field holder; "" while there are none
	trust    string            // a Trust template with the field holder
	document map[string]any    // a Trust document that stands
	jobs     map[string]string // ids of bulk jobs that are done, by the address of such jobs
}

// serial makes names that are used once.
var serial atomic.Int64

func newWorld(t *testing.T, change ...func(*server.Config)) *world {
	t.Helper()
	return newWorldOn(t, storetest.DefaultEngine(), change...)
}

func newWorldOn(t *testing.T, e storetest.Engine, change ...func(*server.Config)) *world {
	t.Helper()
	w := &world{rig: startOn(t, e, change...)}
	w.key = w.tenant("ACME01")
	w.standing = w.stamp(w.key, "standing")
	w.text = string(w.download(w.key, w.standing["id"].(string), "payload"))
	if a := w.do(request{method: "POST", path: "/v1/tcode/templates/tdoc", key: w.key, body: tdocBody()}); a.StatusCode == http.StatusCreated {
		w.tdoc = a.data()["id"].(string)
	}
	w.furnishTrust()
	return w
}

// made returns the id of a new record.
func (w *world) made(collection string, body map[string]any) string {
	w.t.Helper()
	return w.want(w.do(request{method: "POST", path: collection, key: w.key, body: body}), http.StatusCreated).data()["id"].(string)
}

func (w *world) freshStamp() string {
	w.t.Helper()
	return w.made("/v1/tcode/stamps", w.stampBody())
}

func (w *world) suspendedStamp() string {
	w.t.Helper()
	id := w.freshStamp()
	w.want(w.do(request{method: "POST", path: "/v1/tcode/stamps/" + id + "/suspend", key: w.key}), http.StatusNoContent)
	return id
}

// stampBody says all that a creation can say.
func (w *world) stampBody() map[string]any {
	n := serial.Add(1)
	b := create(fmt.Sprint("stamp ", n), "externalId", fmt.Sprint("E-", n), "modeType", "standard")
	if w.tdoc != "" {
		b["tdocTemplateId"] = w.tdoc
		b["fields"] = []any{map[string]any{"key": "holder", "value": "Ada"}}
	}
	return b
}

func (w *world) replaceBody() map[string]any {
	b := w.stampBody()
	delete(b, "modeType")
	b["reason"] = "name corrected"
	return b
}

func placementBody() map[string]any {
	return map[string]any{
		"name": fmt.Sprint("placement ", serial.Add(1)), "description": "bottom right",
		"xNorm": 0.9, "yNorm": 0.9, "wNorm": 0.3, "hNorm": 0.3, "anchor": "bottom-right", "pageScope": "custom", "customPages": "1",
		"rotation": 0, "pageSizeMmWidth": 210, "pageSizeMmHeight": 297,
		"safeMargins": map[string]any{"top": 10, "right": 10, "bottom": 10, "left": 10},
		"whiteBox":    map[string]any{"enabled": true, "paddingMm": 1, "opacity": 1},
		"caption":     map[string]any{"enabled": true, "text": "Scan me", "position": "below", "fontSizePt": 7, "showReference": true},
		"scanSafety":  map[string]any{"minModuleMm": 0.3, "quietZoneModules": 2, "collision": "warn", "targetDpi": 300, "rendering": "warn"},
	}
}

func tdocBody() map[string]any {
	return map[string]any{
		"name": fmt.Sprint("tdoc ", serial.Add(1)), "description": "diplomas", "issuanceTemplateName": "Diploma",
		"baseFields": []any{"city"},
		"customFields": []any{map[string]any{
			"key": "holder", "label": "Holder", "type": "text", "required": false, "maxLength": 500, "inPayload": false, "order": 1,
		}},
		"suggestedDocType": "DIP", "enableEmailSending": false, "productMode": "tcode",
	}
}

func scanBody() map[string]any {
	n := serial.Add(1)
	now := time.Now().UTC().Format(time.RFC3339)
	return map[string]any{
		"batchId": fmt.Sprint("batch-", n), "scannerId": fmt.Sprint("gate-", n), "sentAt": now,
		"items": []any{map[string]any{
			"scanId": fmt.Sprintf("0198a3c2-5d1e-7c44-9a51-%012x", n), "seq": 1, "reference": "TCR-0000000000000000", "scannedAt": now,
			"offlineVerdict": "unverified", "assurance": "none", "binding": "not_checked", "trustVersion": 1,
			"context": map[string]any{"location": "gate 4", "latitudeE6": 52520008, "longitudeE6": 13404954, "note": "creased"},
		}},
	}
}

const (
	placementPath = "/v1/tcode/templates/placement"
	tdocPath      = "/v1/tcode/templates/tdoc"
)

// good knows for each operation of the contract a request that it answers with
// success, however often it is sent anew. path is what its path parameter is,
// or its query after a question mark.
var good = map[string]func(w *world) request{
	"createStamp":   func(w *world) request { return request{body: w.stampBody()} },
	"listStamps":    func(*world) request { return request{} },
	"getStamp":      func(w *world) request { return request{path: w.standing["id"].(string)} },
	"downloadStamp": func(w *world) request { return request{path: w.standing["id"].(string)} },
	"revokeStamp":   func(w *world) request { return request{path: w.freshStamp(), body: map[string]any{"reason": "lost"}} },
	"suspendStamp":  func(w *world) request { return request{path: w.freshStamp(), body: map[string]any{"reason": "lost"}} },
	"reactivateStamp": func(w *world) request {
		return request{path: w.suspendedStamp(), body: map[string]any{"reason": "found"}}
	},
	"replaceStamp": func(w *world) request { return request{path: w.freshStamp(), body: w.replaceBody()} },
	"checkDuplicate": func(w *world) request {
		b := map[string]any{"externalId": "E-none", "sha256": strings.Repeat("0", 64)}
		if w.tdoc != "" {
			b["tdocTemplateId"], b["fields"] = w.tdoc, []any{map[string]any{"key": "holder", "value": "Nobody"}}
		}
		return request{body: b}
	},

	"listPlacementTemplates":  func(*world) request { return request{} },
	"createPlacementTemplate": func(*world) request { return request{body: placementBody()} },
	"getPlacementTemplate":    func(w *world) request { return request{path: w.made(placementPath, placementBody())} },
	"updatePlacementTemplate": func(w *world) request {
		return request{path: w.made(placementPath, placementBody()), body: placementBody()}
	},
	"previewPlacement": func(w *world) request {
		return request{body: map[string]any{
			"pdf": pdfOf("preview"), "placement": placementBody(), "tdocTemplateId": w.tdoc, "page": 1,
			"fields": []any{map[string]any{"key": "holder", "value": "Ada"}},
		}}
	},
	"deletePlacementTemplate":    func(w *world) request { return request{path: w.made(placementPath, placementBody())} },
	"duplicatePlacementTemplate": func(w *world) request { return request{path: w.made(placementPath, placementBody())} },

	"listTdocTemplates":     func(*world) request { return request{} },
	"createTdocTemplate":    func(*world) request { return request{body: tdocBody()} },
	"getTdocTemplate":       func(w *world) request { return request{path: w.made(tdocPath, tdocBody())} },
	"updateTdocTemplate":    func(w *world) request { return request{path: w.made(tdocPath, tdocBody()), body: tdocBody()} },
	"deleteTdocTemplate":    func(w *world) request { return request{path: w.made(tdocPath, tdocBody())} },
	"archiveTdocTemplate":   func(w *world) request { return request{path: w.made(tdocPath, tdocBody())} },
	"unarchiveTdocTemplate": func(w *world) request { return request{path: w.made(tdocPath, tdocBody())} },
	"getTdocCsvFields":      func(w *world) request { return request{path: w.made(tdocPath, tdocBody())} },

	"verifyByReference": func(w *world) request { return request{path: w.standing["reference"].(string)} },
	"verifyByHash":      func(w *world) request { return request{path: w.standing["stampedSha256"].(string)} },
	"verifyPayload":     func(w *world) request { return request{body: map[string]any{"payload": w.text}} },
	"syncScans":         func(*world) request { return request{body: scanBody()} },
	"listVerifications": func(w *world) request { return request{key: w.key} },
	"listScans":         func(w *world) request { return request{path: w.standing["reference"].(string)} },
	"getDigitalTwin":    func(w *world) request { return request{path: w.standing["reference"].(string)} },
	"showDigitalTwin":   func(w *world) request { return request{path: w.standing["reference"].(string)} },
	"verifyPublicKey":   func(*world) request { return request{} },

	"listTenants":       func(*world) request { return request{} },
	"listDocumentTypes": func(*world) request { return request{} },
	"listPublicKeys":    func(*world) request { return request{} },
	"getPublicKey":      func(*world) request { return request{path: "ACME01"} },
	"getTrustRoot":      func(*world) request { return request{path: "1"} },
	"getTrustTimestamp": func(*world) request { return request{} },
	"getTrustTime":      func(*world) request { return request{path: "?nonce=" + strings.Repeat("0f", 32)} },
	"getTrustPack": func(w *world) request {
		state := w.refresh()
		return request{path: hex.EncodeToString(state.Status.Packs[0][:])}
	},
	"getTrustObject": func(w *world) request {
		state := w.refresh()
		return request{path: hex.EncodeToString(state.Timestamp.Bundle.SHA256[:])}
	},
	"getFile": func(w *world) request {
		a := w.do(request{method: "GET", path: "/v1/tcode/stamps/" + w.standing["id"].(string) + "/download", key: w.key})
		return request{path: strings.TrimPrefix(w.want(a, http.StatusOK).data()["url"].(string), w.url)}
	},
	"healthz": func(*world) request { return request{} },
	"readyz":  func(*world) request { return request{} },
}

// ask returns a good request for an operation, with its method, path and key.
func (w *world) ask(id string) request {
	w.t.Helper()
	var make func(*world) request
	for _, requests := range []map[string]func(*world) request{good, goodTrust, goodBulk} {
		if q, ok := requests[id]; ok {
			make = q
		}
	}
	if make == nil {
		w.t.Fatalf("no good request for %s: say in catalog_test.go how to ask for it", id)
	}
	op := operations()[id]
	q := make(w)
	q.method, q.path = op.method, fill(op.path, q.path)
	if op.protected {
		q.key = w.key
	}
	return q
}

// there are the operations that this gateway does, in a fixed order. It
// answers the contract's other operations with an error that says so.
func (w *world) there() (list []string) {
	w.t.Helper()
	var later []string
	for _, id := range ids(operations()) {
		if w.exists(id) {
			list = append(list, id)
		} else {
			later = append(later, id)
		}
	}
	if len(later) > 0 {
		w.t.Logf("not done yet: %s", strings.Join(later, " "))
	}
	return list
}

// exists asks for something that is not there.
func (w *world) exists(id string) bool {
	op := operations()[id]
	q := request{method: op.method, path: fill(op.path, nobody), key: w.key}
	switch {
	case op.Deprecated:
		return false
	case strings.HasPrefix(op.path, "/v1/trust/"):
		return true
	case strings.Contains(id, "Placement"):
		q.body = placementBody()
	case strings.Contains(id, "Tdoc"):
		q.body = tdocBody()
	case id == "replaceStamp":
		q.body = w.replaceBody()
	case id == "checkDuplicate":
		q.body = map[string]any{"externalId": "x"}
	case id != "listVerifications" && id != "getDigitalTwin" && id != "showDigitalTwin":
		return true
	}
	if op.body == nil {
		q.body = nil
	}
	message, _ := w.do(q).body["message"].(string)
	return message != "this gateway does not do that yet" && message != "there is nothing at this address"
}

// nobody is an id that nothing has.
const nobody = "01990000-0000-7000-8000-000000000000"

// fill puts value where the template has a parameter; a value that is a path
// already stays, and one that begins with ? is a query.
func fill(template, value string) string {
	if strings.HasPrefix(value, "/") {
		return value
	}
	before, rest, found := strings.Cut(template, "{")
	if !found {
		_, query, ok := strings.Cut(value, "?")
		if ok {
			return template + "?" + query
		}
		return template
	}
	_, after, _ := strings.Cut(rest, "}")
	value, query, hasQuery := strings.Cut(value, "?")
	if hasQuery {
		after += "?" + query
	}
	return before + value + after
}

// TestGoodRequests: what the other tests of the contract start from is good.
func TestGoodRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range w.there() {
		if a := w.do(w.ask(id)); a.StatusCode >= 300 {
			t.Errorf("%s: %d %s", id, a.StatusCode, a.raw)
		}
	}
}

// pdfOf is a PDF as it stands in a body.
func pdfOf(text string) string { return base64.StdEncoding.EncodeToString(minimalPDF(text)) }
