package world

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"

	"tcode/offline/payload"
)

// stamps is the path of an issuer's stamps.
const stamps = "/v1/tcode/stamps"

// A Paper is a stamped document with the content of its symbol.
type Paper struct {
	ID, Reference string
	Original, PDF []byte
	Payload       payload.Payload
	Raw           []byte   // payload bytes
	Warnings      []string // warnings for the issuer
}

// Stamp stamps pdf over the API and downloads file and payload.
func (w *World) Stamp(by Issuer, name string, pdf []byte) Paper {
	w.T.Helper()
	var created struct {
		Data struct {
			ID, Reference string
			Warnings      []string
		}
	}
	w.Call(by, http.MethodPost, stamps, stampRequest(name, pdf), &created)
	p := w.paper(by, created.Data.ID, created.Data.Reference, pdf)
	p.Warnings = created.Data.Warnings
	return p
}

// StampAt stamps pdf through a placement template made from body, and returns
// the pages in the record.
func (w *World) StampAt(pdf []byte, body map[string]any) (p Paper, pages []int) {
	w.T.Helper()
	by := w.Issuers[0]
	var template, made struct {
		Data struct {
			ID, Reference string
			Pages         []int
		}
	}
	w.Call(by, http.MethodPost, "/v1/tcode/templates/placement", body, &template)
	request := stampRequest("placed", pdf)
	request["placementTemplateId"] = template.Data.ID
	w.Call(by, http.MethodPost, stamps, request, &made)
	return w.paper(by, made.Data.ID, made.Data.Reference, pdf), made.Data.Pages
}

// stampRequest returns the body of a request for a stamp.
func stampRequest(name string, pdf []byte) map[string]any {
	return map[string]any{"name": name, "documentTypeCode": "DIP", "pdf": Base64(pdf)}
}

// paper downloads file and payload of a stamp.
func (w *World) paper(by Issuer, id, reference string, original []byte) Paper {
	w.T.Helper()
	p := Paper{ID: id, Reference: reference, Original: original}
	p.PDF = w.Download(by, id, "stamped")
	var err error
	if p.Raw, err = payload.DecodeText(string(w.Download(by, id, "payload"))); err != nil {
		w.T.Fatal(err)
	}
	if p.Payload, err = payload.Parse(p.Raw); err != nil {
		w.T.Fatal(err)
	}
	return p
}

// A StampAnswer is the gateway's answer for one file.
type StampAnswer struct {
	Name, Code, Message string // the file's name; code and message of a refusal
	Status              int    // of HTTP
}

// Answer requests a stamp of the first issuer and returns the answer, whatever it is.
func (w *World) Answer(name string, pdf []byte) StampAnswer {
	status, body := w.Try(w.Issuers[0], stamps, stampRequest(name, pdf))
	a := StampAnswer{Name: name, Status: status}
	a.Code, _ = body["code"].(string)
	a.Message, _ = body["message"].(string)
	return a
}

// A Delivery is the gateway's result for one file.
type Delivery struct {
	File    string
	Dir     string // folder of its drawn pages
	Status  int
	Problem string // if it was refused
	PDF     []byte
	Text    string // of its symbol
	Page    int
	Grade   string
	Read    map[string]bool // by reader and renderer
}

// Deliver requests a stamp of the first issuer on a file. A refusal is a result.
func (w *World) Deliver(file string) *Delivery {
	w.T.Helper()
	pdf, err := os.ReadFile(file)
	if err != nil {
		w.T.Fatal(err)
	}
	d := &Delivery{File: filepath.Base(file), Dir: w.Dir, Read: map[string]bool{}}
	by := w.Issuers[0]
	body := w.encode(stampRequest(d.File, pdf))
	status, raw := w.send(by, http.MethodPost, w.URL()+stamps, body)
	var answer struct {
		Code, Message string
		Data          struct {
			ID    string
			Page  int
			Grade struct{ Letter string }
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		w.T.Fatalf("%s: %v in %s", d.File, err, raw)
	}
	d.Status, d.Problem = status, answer.Code+" "+answer.Message
	d.Page, d.Grade = answer.Data.Page, answer.Data.Grade.Letter
	if d.Status == http.StatusCreated {
		d.PDF = w.Download(by, answer.Data.ID, "stamped")
		d.Text = string(w.Download(by, answer.Data.ID, "payload"))
	} else if d.Status >= http.StatusInternalServerError {
		w.T.Errorf("%s: %d %s", d.File, d.Status, raw)
	}
	return d
}

// Base64 returns a file as requests have it.
func Base64(file []byte) string { return base64.StdEncoding.EncodeToString(file) }
