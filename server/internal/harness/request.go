package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// A Request is one HTTP request; zero members are left out. A Path that does not
// begin with a slash is a whole address.
type Request struct {
	Method, Path, Key string
	Body              any // string, []byte: as it is; else marshalled
	Header            http.Header
}

// An Answer is a response that the recorder has compared with openapi.yaml.
type Answer struct {
	*http.Response
	Raw  []byte
	Body map[string]any // nil if Raw is not a JSON object
}

// Get sends a GET request; key is "" for none.
func (r *Rig) Get(key, path string) Answer {
	r.T.Helper()
	return r.Do(Request{Method: "GET", Path: path, Key: key})
}

// Post sends a POST request; key is "" for none, body is one of [Request].
func (r *Rig) Post(key, path string, body any) Answer {
	r.T.Helper()
	return r.Do(Request{Method: "POST", Path: path, Key: key, Body: body})
}

// Do sends q. The test ends if there is no answer, and fails if the answer is
// not in the contract.
func (r *Rig) Do(q Request) Answer {
	r.T.Helper()
	a, err := r.Try(q)
	Must(r.T, err)
	return a
}

// Try is [Rig.Do] for a gateway that may not answer.
func (r *Rig) Try(q Request) (Answer, error) {
	r.T.Helper()
	var body []byte
	switch b := q.Body.(type) {
	case nil:
	case string:
		body = []byte(b)
	case []byte:
		body = b
	default:
		var err error
		body, err = json.Marshal(b)
		Must(r.T, err)
	}
	url := q.Path
	if strings.HasPrefix(url, "/") {
		url = r.URL + url
	}
	req, err := http.NewRequestWithContext(r.T.Context(), q.Method, url, bytes.NewReader(body))
	Must(r.T, err)
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if q.Key != "" {
		req.Header.Set("x-api-key", q.Key)
	}
	for name, values := range q.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	a := Answer{Response: res}
	if a.Raw, err = io.ReadAll(res.Body); err != nil {
		return a, err
	}
	json.Unmarshal(a.Raw, &a.Body) // left nil where it is no JSON
	if b, ok := res.Body.(*checkedBody); ok && b.wrong != nil {
		r.T.Error(b.wrong)
	}
	return a, nil
}

// Data is the record in the member data.
func (a Answer) Data() map[string]any {
	d, _ := a.Body["data"].(map[string]any)
	return d
}

// Want ends the test unless the answer has the status.
func (r *Rig) Want(a Answer, status int) Answer {
	r.T.Helper()
	if a.StatusCode != status {
		r.T.Fatalf("status %d, want %d: %s", a.StatusCode, status, a.Raw)
	}
	return a
}

// WantCode is [Rig.Want] with an error code.
func (r *Rig) WantCode(a Answer, status int, code string) Answer {
	r.T.Helper()
	if r.Want(a, status); a.Body["code"] != code {
		r.T.Fatalf("code %v, want %s: %s", a.Body["code"], code, a.Raw)
	}
	return a
}
