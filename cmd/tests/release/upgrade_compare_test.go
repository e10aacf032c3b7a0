package release_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// ask asks what is said of a stamp, by reference.
func (u *upgrade) ask(p *oldPaper) (answer, record map[string]any) {
	u.t.Helper()
	if p == u.document {
		return u.data(http.MethodPost, "/v1/trust/verify/by-reference", map[string]any{"reference": p.reference}), u.data(http.MethodGet, "/v1/trust/issuances/"+p.id, nil)
	}
	return u.data(http.MethodGet, "/v1/tcode/verify/reference/"+url.PathEscape(p.reference), nil), u.data(http.MethodGet, "/v1/tcode/stamps/"+p.id, nil)
}

// all returns the papers, and the document if there is one.
func (u *upgrade) all() (all []*oldPaper) {
	for i := range u.papers {
		all = append(all, &u.papers[i])
	}
	if u.document != nil {
		all = append(all, u.document)
	}
	return all
}

// remember keeps what the older program says.
func (u *upgrade) remember() {
	u.t.Helper()
	for _, p := range u.all() {
		p.answer, p.record = u.ask(p)
	}
}

// same are the members of answers that never change; of all others the test reports changes.
var same = map[string]bool{"verdict": true, "status": true, "reference": true, "issuerName": true, "issuedAt": true, "id": true, "name": true, "createdAt": true, "documentType": true, "documentTypeCode": true}

// compare checks that this program says the same, and that all files have their bytes.
func (u *upgrade) compare() {
	u.t.Helper()
	changed := map[string]bool{}
	for _, p := range u.all() {
		answer, record := u.ask(p)
		for _, two := range [][2]map[string]any{{p.answer, answer}, {p.record, record}} {
			for name, was := range two[0] {
				a, _ := json.Marshal(was)
				b, _ := json.Marshal(two[1][name])
				if bytes.Equal(a, b) || name == "statusAsOf" {
					continue
				}
				if changed[fmt.Sprintf("%s: %.60s, now %.60s", name, a, b)] = true; same[name] {
					u.t.Errorf("%s: %s is %s, was %s", p.reference, name, b, a)
				}
			}
		}
		path := "/v1/tcode/stamps/"
		if p == u.document {
			path = "/v1/trust/issuances/"
		}
		for kind, was := range p.files {
			if file := u.download(path+p.id+"/download?type="+kind, false); !bytes.Equal(file, was) {
				u.t.Errorf("%s: %s has other bytes", p.reference, kind)
			}
		}
		if stamped := p.files["stamped"]; stamped != nil && p != u.document {
			if got := u.data(http.MethodGet, fmt.Sprintf("/v1/tcode/verify/hash/%x", sha256.Sum256(stamped)), nil); got["reference"] != p.reference {
				u.t.Errorf("%s: by hash: %v", p.reference, got)
			}
		}
	}
	for line := range changed {
		u.t.Logf("changed: %s", line)
	}
}
