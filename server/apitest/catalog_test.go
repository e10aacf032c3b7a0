package apitest

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tcode/server/internal/harness"
)

func (w *world) suspendedStamp() string {
	w.T.Helper()
	id := w.FreshStamp()
	w.Want(w.Post(w.Key, "/v1/tcode/stamps/"+id+"/suspend", nil), http.StatusNoContent)
	return id
}

func placementBody() map[string]any {
	return map[string]any{
		"name": fmt.Sprint("placement ", harness.Serial()), "description": "bottom right",
		"xNorm": 0.9, "yNorm": 0.9, "wNorm": 0.3, "hNorm": 0.3, "anchor": "bottom-right", "pageScope": "custom", "customPages": "1",
		"rotation": 0, "pageSizeMmWidth": 210, "pageSizeMmHeight": 297,
		"safeMargins": map[string]any{"top": 10, "right": 10, "bottom": 10, "left": 10},
		"whiteBox":    map[string]any{"enabled": true, "paddingMm": 1, "opacity": 1},
		"caption":     map[string]any{"enabled": true, "text": "Scan me", "position": "below", "fontSizePt": 7, "showReference": true},
		"scanSafety":  map[string]any{"minModuleMm": 0.3, "quietZoneModules": 2, "collision": "warn", "targetDpi": 300, "rendering": "warn"},
	}
}

const (
	placementPath = "/v1/tcode/templates/placement"
	tdocPath      = "/v1/tcode/templates/tdoc"
)

// good has for each operation of the contract a request that the gateway answers
// with success each time. Path is the value of its path parameter, or its query
// after a question mark.
var good = map[string]func(w *world) harness.Request{
	"createStamp":   func(w *world) harness.Request { return harness.Request{Body: w.StampBody()} },
	"listStamps":    func(*world) harness.Request { return harness.Request{} },
	"getStamp":      func(w *world) harness.Request { return harness.Request{Path: w.Standing.Id.String()} },
	"downloadStamp": func(w *world) harness.Request { return harness.Request{Path: w.Standing.Id.String()} },
	"revokeStamp": func(w *world) harness.Request {
		return harness.Request{Path: w.FreshStamp(), Body: map[string]any{"reason": "lost"}}
	},
	"suspendStamp": func(w *world) harness.Request {
		return harness.Request{Path: w.FreshStamp(), Body: map[string]any{"reason": "lost"}}
	},
	"reactivateStamp": func(w *world) harness.Request {
		return harness.Request{Path: w.suspendedStamp(), Body: map[string]any{"reason": "found"}}
	},
	"replaceStamp": func(w *world) harness.Request { return harness.Request{Path: w.FreshStamp(), Body: w.ReplaceBody()} },
	"checkDuplicate": func(w *world) harness.Request {
		b := map[string]any{"externalId": "E-none", "sha256": strings.Repeat("0", 64)}
		if w.Tdoc != "" {
			b["tdocTemplateId"], b["fields"] = w.Tdoc, []any{map[string]any{"key": "holder", "value": "Nobody"}}
		}
		return harness.Request{Body: b}
	},

	"listPlacementTemplates":  func(*world) harness.Request { return harness.Request{} },
	"createPlacementTemplate": func(*world) harness.Request { return harness.Request{Body: placementBody()} },
	"getPlacementTemplate":    func(w *world) harness.Request { return harness.Request{Path: w.Made(placementPath, placementBody())} },
	"updatePlacementTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.Made(placementPath, placementBody()), Body: placementBody()}
	},
	"patchPlacementTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.Made(placementPath, placementBody()), Body: map[string]any{"description": "patched"}}
	},
	"previewPlacement": func(w *world) harness.Request {
		return harness.Request{Body: map[string]any{
			"pdf": harness.PDFBase64("preview"), "placement": placementBody(), "tdocTemplateId": w.Tdoc, "page": 1,
			"fields": []any{map[string]any{"key": "holder", "value": "Ada"}},
		}}
	},
	"deletePlacementTemplate": func(w *world) harness.Request { return harness.Request{Path: w.Made(placementPath, placementBody())} },
	"duplicatePlacementTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.Made(placementPath, placementBody()), Body: map[string]any{"name": "copy"}}
	},

	"listTdocTemplates":  func(*world) harness.Request { return harness.Request{} },
	"createTdocTemplate": func(*world) harness.Request { return harness.Request{Body: harness.TdocBody()} },
	"getTdocTemplate":    func(w *world) harness.Request { return harness.Request{Path: w.Made(tdocPath, harness.TdocBody())} },
	"updateTdocTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.Made(tdocPath, harness.TdocBody()), Body: harness.TdocBody()}
	},
	"patchTdocTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.Made(tdocPath, harness.TdocBody()), Body: map[string]any{"description": "patched"}}
	},
	"deleteTdocTemplate":    func(w *world) harness.Request { return harness.Request{Path: w.Made(tdocPath, harness.TdocBody())} },
	"archiveTdocTemplate":   func(w *world) harness.Request { return harness.Request{Path: w.Made(tdocPath, harness.TdocBody())} },
	"unarchiveTdocTemplate": func(w *world) harness.Request { return harness.Request{Path: w.Made(tdocPath, harness.TdocBody())} },
	"getTdocCsvFields":      func(w *world) harness.Request { return harness.Request{Path: w.Made(tdocPath, harness.TdocBody())} },

	"verifyByReference": func(w *world) harness.Request { return harness.Request{Path: w.Standing.Reference} },
	"verifyByHash":      func(w *world) harness.Request { return harness.Request{Path: w.Standing.StampedSha256} },
	"verifyPayload":     func(w *world) harness.Request { return harness.Request{Body: map[string]any{"payload": w.Text}} },
	"syncScans":         func(*world) harness.Request { return harness.Request{Body: harness.ScanBody()} },
	"listVerifications": func(w *world) harness.Request { return harness.Request{Key: w.Key} },
	"listScans":         func(w *world) harness.Request { return harness.Request{Path: w.Standing.Reference} },
	"getDigitalTwin":    func(w *world) harness.Request { return harness.Request{Path: w.Standing.Reference} },
	"showDigitalTwin":   func(w *world) harness.Request { return harness.Request{Path: w.Standing.Reference} },
	"verifyPublicKey":   func(*world) harness.Request { return harness.Request{} },

	"listTenants":       func(*world) harness.Request { return harness.Request{} },
	"listDocumentTypes": func(*world) harness.Request { return harness.Request{} },
	"listPublicKeys":    func(*world) harness.Request { return harness.Request{} },
	"getPublicKey":      func(*world) harness.Request { return harness.Request{Path: "ACME01"} },
	"getTrustRoot":      func(*world) harness.Request { return harness.Request{Path: "1"} },
	"getTrustTimestamp": func(*world) harness.Request { return harness.Request{} },
	"getTrustTime":      func(*world) harness.Request { return harness.Request{Path: "?nonce=" + strings.Repeat("0f", 32)} },
	"getTrustPack": func(w *world) harness.Request {
		state := refresh(w.Rig)
		return harness.Request{Path: hex.EncodeToString(state.Status.Packs[0][:])}
	},
	"getTrustObject": func(w *world) harness.Request {
		state := refresh(w.Rig)
		return harness.Request{Path: hex.EncodeToString(state.Timestamp.Bundle.SHA256[:])}
	},
	"getFile": func(w *world) harness.Request {
		a := w.Get(w.Key, "/v1/tcode/stamps/"+w.Standing.Id.String()+"/download")
		return harness.Request{Path: strings.TrimPrefix(w.Want(a, http.StatusOK).Data()["url"].(string), w.URL)}
	},
	"eraseStamp": func(w *world) harness.Request {
		return harness.Request{Path: w.FreshStamp(), Body: map[string]any{"reason": "withdrawn"}}
	},
	"getRetention": func(*world) harness.Request { return harness.Request{} },
	"setRetention": func(*world) harness.Request {
		return harness.Request{Body: map[string]any{"kinds": []any{map[string]any{"kind": "history", "days": 365}}}}
	},
	"exportTenant": func(*world) harness.Request { return harness.Request{} },
	"healthz":      func(*world) harness.Request { return harness.Request{} },
	"readyz":       func(*world) harness.Request { return harness.Request{} },
}

// ask returns a good request for an operation, with its method, path and key.
func (w *world) ask(id string) harness.Request {
	w.T.Helper()
	var make func(*world) harness.Request
	for _, requests := range []map[string]func(*world) harness.Request{good, goodTrust, goodBulk, goodManagement} {
		if q, ok := requests[id]; ok {
			make = q
		}
	}
	if make == nil {
		w.T.Fatalf("no good request for %s: add one to catalog_test.go", id)
	}
	op := operations()[id]
	q := make(w)
	q.Method, q.Path = op.method, fill(op.path, q.Path)
	if op.protected {
		q.Key = w.Key
	}
	return q
}

// there returns the operations that this gateway implements, in a fixed order. The
// gateway answers the contract's other operations with an error that says so.
func (w *world) there() (list []string) {
	w.T.Helper()
	var later []string
	for _, id := range ids(operations()) {
		if w.exists(id) {
			list = append(list, id)
		} else {
			later = append(later, id)
		}
	}
	if len(later) > 0 {
		w.T.Logf("not done yet: %s", strings.Join(later, " "))
	}
	return list
}

// exists reports whether the gateway implements an operation. It sends a request
// for an unknown record.
func (w *world) exists(id string) bool {
	op := operations()[id]
	q := harness.Request{Method: op.method, Path: fill(op.path, anonymous), Key: w.Key}
	switch {
	case op.Deprecated:
		return false
	case strings.HasPrefix(op.path, "/v1/trust/"):
		return true
	case strings.Contains(id, "Placement"):
		q.Body = placementBody()
	case strings.Contains(id, "Tdoc"):
		q.Body = harness.TdocBody()
	case id == "replaceStamp":
		q.Body = w.ReplaceBody()
	case id == "checkDuplicate":
		q.Body = map[string]any{"externalId": "x"}
	case id != "listVerifications" && id != "getDigitalTwin" && id != "showDigitalTwin":
		return true
	}
	if op.body == nil {
		q.Body = nil
	}
	message, _ := w.Do(q).Body["message"].(string)
	return message != "this gateway does not do that yet" && message != "there is nothing at this address"
}

// anonymous is an id that no record has.
const anonymous = "01990000-0000-7000-8000-000000000000"

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

// TestGoodRequests: the gateway answers the good requests, with which the other
// tests of the contract start, with success.
//
//engine:sqlite other tests start from the same requests on each engine
func TestGoodRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range w.there() {
		if a := w.Do(w.ask(id)); a.StatusCode >= 300 {
			t.Errorf("%s: %d %s", id, a.StatusCode, a.Raw)
		}
	}
}
