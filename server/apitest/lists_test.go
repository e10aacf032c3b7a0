package apitest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// TestLists: what a list finds, in which order, and what its records have.
func TestLists(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		stamp := func(name, external, holder string) map[string]any {
			b := harness.StampBody(name, "externalId", external, "tdocTemplateId", w.Tdoc)
			b["fields"] = []any{map[string]any{"key": "holder", "value": holder}}
			return w.Want(w.Post(w.Key, "/v1/tcode/stamps", b), 201).Data()
		}
		one := stamp("Diploma of Ada Lovelace", "D-1", "Ada")
		two := stamp("Diplomatic note", "D-2", "Grace")
		issue := func(name, external string) map[string]any {
			b := w.IssuanceBody()
			b["recipientName"], b["documentTitle"], b["externalId"] = name, "Certificate", external
			return w.Issued(b)
		}
		three, four := issue("Ada Lovelace", "T-1"), issue("Adam Riese", "T-2")
		w.Want(w.Post(w.Key, fmt.Sprint("/v1/tcode/stamps/", one["id"], "/suspend"), nil), 204)
		w.Want(w.Post(w.Key, fmt.Sprint(harness.DocumentsPath, "/", three["id"], "/lifecycle"), map[string]any{"action": "suspend"}), 204)
		list := func(path, query string) (ids string, items []any) {
			t.Helper()
			a := w.Want(w.Get(w.Key, path+"?"+query), 200)
			items = a.Body["items"].([]any)
			if a.Body["totalCount"] != float64(len(items)) {
				t.Errorf("%s: %v counted, %d listed", query, a.Body["totalCount"], len(items))
			}
			for _, it := range items {
				for i, known := range []map[string]any{one, two, three, four} {
					if it.(map[string]any)["id"] == known["id"] {
						ids += fmt.Sprint(i + 1)
					}
				}
			}
			return ids, items
		}
		today := time.Now().UTC().Format(time.DateOnly)
		ref, trf := one["reference"].(string), three["reference"].(string)
		for _, tt := range []struct{ path, query, want string }{
			{"/v1/tcode/stamps", "Search=diplom", "21"},
			{"/v1/tcode/stamps", "Search=love+DIPL", "1"},
			{"/v1/tcode/stamps", "Search=lovelaces", ""},
			{"/v1/tcode/stamps", "Search=diploma&Status=suspended", "1"},
			{"/v1/tcode/stamps", "Search=" + ref[:8], "1"},
			{"/v1/tcode/stamps", "Search=" + strings.ToLower(ref[:13]), "1"},
			{"/v1/tcode/stamps", "Search=" + ref, "1"},
			{"/v1/tcode/stamps", "Search=" + url.QueryEscape("(TCR\u2013\u2066"+ref[4:9]+"\u2069"), "1"},
			{"/v1/tcode/stamps", "Search=" + url.QueryEscape("https://gateway.example/d/"+ref+"?lang=de"), "1"},
			{"/v1/tcode/stamps", "Search=" + ref[:7], ""},
			{"/v1/tcode/stamps", "Search=D-1", "1"},
			{"/v1/tcode/stamps", "FieldName=HOLDER", "21"},
			{"/v1/tcode/stamps", "FieldName=Holder&FieldValue=Grace", "2"},
			{"/v1/tcode/stamps", "FieldName=Holders", ""},
			{"/v1/tcode/stamps", "Search=diplom&Sort=createdAt", "12"},
			{"/v1/tcode/stamps", "Search=diplom&Sort=-CreatedAt", "21"},
			{"/v1/tcode/stamps", "FieldName=holder&Sort=createdAt", "12"},
			{"/v1/tcode/stamps", "Search=diplom&DateRange=" + today, "21"},
			{"/v1/tcode/stamps", "Search=diplom&DateRange=2026-01-01", ""},
			{harness.DocumentsPath, "Search=ada", "43"},
			{harness.DocumentsPath, "Search=ada+cert&Sort=createdAt", "34"},
			{harness.DocumentsPath, "Search=" + trf[:9], "3"},
			{harness.DocumentsPath, "Search=lovelace&FieldName=Holder", "3"},
			{harness.DocumentsPath, "Search=ada&DateRange=" + today, "43"},
		} {
			if got, _ := list(tt.path, tt.query); got != tt.want {
				t.Errorf("%s?%s lists %s, want %s", tt.path, tt.query, got, tt.want)
			}
		}
		w.WantCode(w.Get(w.Key, "/v1/tcode/stamps?Sort=name"), 400, "VALIDATION_FAILED")
		w.WantCode(w.Get(w.Key, "/v1/tcode/stamps?DateRange="+url.QueryEscape("2026-02-30")), 400, "VALIDATION_FAILED")
		if _, items := list("/v1/tcode/stamps", "Search=lovelace"); fmt.Sprint(items[0].(map[string]any)["externalId"]) != "D-1" || items[0].(map[string]any)["updatedAt"] == one["updatedAt"] || items[0].(map[string]any)["test"] != false {
			t.Errorf("summary of a stamp: %v", items[0])
		}
		if _, items := list(harness.DocumentsPath, "Search=lovelace"); items[0].(map[string]any)["externalId"] != "T-1" || items[0].(map[string]any)["updatedAt"] == three["updatedAt"] {
			t.Errorf("summary of a document: %v", items[0])
		}
	})
}

// TestListsOfTemplates: the lists of templates are whole, or a page is.
//
//engine:sqlite the list is cut after it is read
func TestListsOfTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 24 {
		w.Made(placementPath, placementBody())
		w.Made(harness.TdocPath, harness.TdocBody())
	}
	for path, total := range map[string]int{placementPath: 24, harness.TdocPath: 25} {
		for query, want := range map[string]int{"": total, "?Page=1": 20, "?Page=2": total - 20, "?pageSize=10&page=3": total - 20, "?PageSize=100": total, "?Page=9": 0} {
			b := w.Want(w.Get(w.Key, path+query), 200).Body
			if n := len(b["items"].([]any)); n != want || b["totalCount"] != float64(total) || b["hasNext"] != (query == "?Page=1") {
				t.Errorf("%s%s: %d of %v, %v", path, query, n, b["totalCount"], b["hasNext"])
			}
		}
	}
}
