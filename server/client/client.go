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

// An Error is the gateway's answer to a request that it refused or that failed
// (openapi.yaml, schema Error).
type Error struct {
	Status    int                 `json:"status"` // of HTTP
	Code      string              `json:"code"`   // such as DUPLICATE; "" if the gateway did not send the answer
	Message   string              `json:"message"`
	TraceID   string              `json:"traceId"`   // finds the request in the gateway's log
	Reason    string              `json:"reason"`    // the reason of a FORBIDDEN
	Reference string              `json:"reference"` // of the stamp that a DUPLICATE collides with
	Fields    map[string][]string `json:"errors"`    // messages for each bad field
}

// Error returns the message, and those of its fields that say more.
func (e *Error) Error() string {
	s := e.Message
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		if said := strings.Join(e.Fields[name], ", "); said != e.Message {
			s += fmt.Sprintf("; %s %s", name, said)
		}
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

// WithKey returns an option that sends a tenant's API key with every request.
func WithKey(key string) ClientOption {
	return WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("x-api-key", key)
		return nil
	})
}

// New returns a client of the gateway at an address, which may end in /v1. It
// returns an error if the address is malformed. The client follows no redirect: the
// gateway sends none, and no other server may get the key.
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

// Check returns err, or an [*Error] if the gateway refused the request or failed,
// or [ErrNotGateway] if the answer lacks the record that the contract requires. If
// Check returns an error, the caller must not use the records of res. Check ignores
// res if err is not nil.
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

// ErrNotGateway means that another server answers at the gateway's address, such
// as that of a network's sign-in page.
var ErrNotGateway = errors.New("what answers there is no gateway")

// hasRecord reports whether a generated result holds one of the records that
// the contract has for success, in its fields JSON200, JSON201 and the like. For a
// result without such fields, a file or an answer without a body, it reports
// whether the answer is not a page.
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
		e = Error{} // from a proxy before the gateway
	}
	e.Status = status
	return &e
}

// Download fetches the contents at a download address, at most limit bytes.
// The address itself is the permission: Download sends no key.
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

// Refusal reads the [*Error] from the answer to a request for a stream. The caller
// closes the body.
func Refusal(res *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	if err != nil {
		return fmt.Errorf("HTTP status %d: %w", res.StatusCode, err)
	}
	return refusal(res.StatusCode, body)
}

// maxRefusal is the number of bytes of a refusal that the client reads at most.
const maxRefusal = 1 << 20
