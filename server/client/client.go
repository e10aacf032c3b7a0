package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// An Error is the gateway's answer to a request it did not do (openapi.yaml,
// schema Error).
type Error struct {
	Status    int                 `json:"status"` // of HTTP
	Code      string              `json:"code"`   // such as DUPLICATE; "" if the answer was not the gateway's
	Message   string              `json:"message"`
	TraceID   string              `json:"traceId"`   // finds the request in the gateway's log
	Reason    string              `json:"reason"`    // why it is FORBIDDEN
	Reference string              `json:"reference"` // the stamp that a DUPLICATE collides with
	Fields    map[string][]string `json:"errors"`    // what is wrong with each field
}

// Error says what went wrong and with which fields.
func (e *Error) Error() string {
	s := e.Message
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		s += fmt.Sprintf("; %s %s", name, strings.Join(e.Fields[name], ", "))
	}
	switch {
	case e.Code == "" && e.Status/100 == 3:
		return fmt.Sprintf("HTTP status %d: the gateway's address is another one, perhaps with https", e.Status)
	case e.Code == "":
		return fmt.Sprintf("HTTP status %d %s, not answered by a gateway: is its address right?", e.Status, http.StatusText(e.Status))
	case e.TraceID != "":
		return fmt.Sprintf("%s: %s (trace %s)", e.Code, s, e.TraceID)
	}
	return e.Code + ": " + s
}

// WithKey sends a tenant's API key with every request.
func WithKey(key string) ClientOption {
	return WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("x-api-key", key)
		return nil
	})
}

// New returns a client of the gateway at an address, which may end in /v1. The
// error says that it is no address. The client follows no redirection: the
// gateway makes none, and the key must not go elsewhere.
func New(gateway string, opts ...ClientOption) (*ClientWithResponses, error) {
	u, err := url.Parse(strings.TrimSuffix(strings.TrimRight(gateway, "/"), "/v1"))
	if err != nil {
		return nil, fmt.Errorf("gateway address: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("gateway address %q: want http:// or https:// and a host", gateway)
	}
	still := WithHTTPClient(&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }})
	return NewClientWithResponses(u.String(), append([]ClientOption{still}, opts...)...)
}

// A Response is the result of one of the generated calls: a struct with the
// fields HTTPResponse, Body, and JSON200 or the like for each record.
type Response interface{ StatusCode() int }

// Check returns err, or an [*Error] if the gateway did not do what was asked, or
// [ErrNotGateway] if the answer has no record where the contract says one: then
// none of the result's records may be used. res is not looked at where there is
// an err.
func Check(err error, res Response) error {
	switch at, _ := errors.AsType[*url.Error](err); {
	case at != nil:
		return fmt.Errorf("no answer from the gateway: %w", err)
	case err != nil:
		return err
	case res.StatusCode() >= http.StatusMultipleChoices:
		body, _ := field(res, "Body").([]byte)
		return refusal(res.StatusCode(), body)
	case !hasRecord(res):
		return fmt.Errorf("%w: HTTP status %d", ErrNotGateway, res.StatusCode())
	}
	return nil
}

// ErrNotGateway means that something else answers at the gateway's address, such
// as the sign-in page of a network.
var ErrNotGateway = errors.New("what answers there is no gateway")

// hasRecord reports whether a generated result holds one of the records that
// the contract has for success, its fields JSON200, JSON201 and the like. Where
// there are none, files and answers without a body, anything but a page will do.
func hasRecord(res Response) bool {
	v := reflect.Indirect(reflect.ValueOf(res))
	promised := false
	for i := range v.NumField() {
		if f := v.Field(i); strings.HasPrefix(v.Type().Field(i).Name, "JSON2") {
			if !f.IsNil() {
				return true
			}
			promised = true
		}
	}
	answer, _ := field(res, "HTTPResponse").(*http.Response)
	return !promised && (answer == nil || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html"))
}

// field returns a field of a generated result, nil if it has none of that name.
func field(res Response, name string) any {
	if f := reflect.Indirect(reflect.ValueOf(res)).FieldByName(name); f.IsValid() {
		return f.Interface()
	}
	return nil
}

func refusal(status int, body []byte) error {
	var e Error
	if json.Unmarshal(body, &e) != nil || e.Status != status {
		e = Error{} // of a proxy on the way
	}
	e.Status = status
	return &e
}

// Download fetches the content behind a download address, at most limit bytes.
// The address is its own permission: no key is sent.
func Download(ctx context.Context, address string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("download: %w", err)
	case res.StatusCode != http.StatusOK:
		return nil, refusal(res.StatusCode, data)
	case int64(len(data)) > limit:
		return nil, errTooLong
	}
	return data, nil
}

var errTooLong = errors.New("download: longer than the limit")

// Refusal reads the [*Error] from an answer that was to be streamed. The caller
// closes the body.
func Refusal(res *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	if err != nil {
		return fmt.Errorf("HTTP status %d: %w", res.StatusCode, err)
	}
	return refusal(res.StatusCode, body)
}

// maxRefusal is the longest refusal that is read, in bytes.
const maxRefusal = 1 << 20
