package apitest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/server/internal/harness"
)

// TestPatch: a patch of a template changes the members that it has, null unsets one,
// and a PUT unsets all that it leaves out.
func TestPatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	send := func(method, path string, body map[string]any, tag ...string) harness.Answer {
		q := harness.Request{Method: method, Key: w.Key, Path: path, Body: body}
		if len(tag) > 0 {
			q.Header = http.Header{"If-Match": tag}
		}
		return w.Do(q)
	}
	place := placementBody()
	place["description"] = "kept"
	for _, tt := range []struct {
		collection   string
		body, change map[string]any
		want         func(d map[string]any)
	}{
		{placementPath, place, map[string]any{"name": "new", "positionX": 0.25, "positionY": 0.5}, func(d map[string]any) {
			d["name"], d["xNorm"], d["yNorm"] = "new", 0.25, 0.5
		}},
		{placementPath, place, map[string]any{"safeMargins": map[string]any{"top": 7}, "page": "2-3"}, func(d map[string]any) {
			d["safeMargins"].(map[string]any)["top"], d["pageScope"], d["customPages"] = 7.0, "custom", "2-3"
		}},
		{harness.TdocPath, harness.TdocBody(), map[string]any{"enableEmailSending": true, "baseFields": []any{"place"}}, func(d map[string]any) {
			d["enableEmailSending"], d["baseFields"] = true, []any{"place"}
		}},
		{harness.TrustTemplatesPath, harness.TrustTemplateBody(), map[string]any{"name": "new"}, func(d map[string]any) { d["name"] = "new" }},
		{harness.TrustTemplatesPath, harness.TrustTemplateBody(), map[string]any{"description": nil}, func(d map[string]any) { d["description"] = nil }},
	} {
		made := w.Want(w.Post(w.Key, tt.collection, tt.body), 201)
		want, path := made.Data(), fmt.Sprint(tt.collection, "/", made.Data()["id"])
		tt.want(want)
		got := w.Want(send("PATCH", path, tt.change, `"1"`), 200).Data()
		for _, own := range []string{"updatedAt", "version"} {
			delete(want, own)
			delete(got, own)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.collection, tt.change, d)
		}
		w.WantCode(send("PATCH", path, tt.change, `"1"`), 412, "PRECONDITION_FAILED")
		w.WantCode(send("PATCH", path, map[string]any{"name": ""}), 400, "VALIDATION_FAILED")
		put := harness.TrustTemplateBody()
		delete(put, "description")
		if tt.collection == harness.TrustTemplatesPath {
			if d := w.Want(send("PUT", path, put), 200).Data(); d["description"] != nil {
				t.Errorf("PUT: %v", d)
			}
		}
	}

	// Of concurrent patches none is lost.
	path := harness.TrustTemplatesPath + "/" + w.FreshTrustTemplate()
	var all sync.WaitGroup
	for _, change := range []map[string]any{{"name": "both"}, {"description": "changes"}} {
		all.Go(func() { w.Want(send("PATCH", path, change), 200) })
	}
	all.Wait()
	if d := w.Want(w.Get(w.Key, path), 200).Data(); d["name"] != "both" || d["description"] != "changes" {
		t.Errorf("concurrent patches: %v", d)
	}
}
