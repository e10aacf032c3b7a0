package gate_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
	"tcode/server/httpapi/gate"
)

func TestNegotiate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		accept []string
		want   string // empty: none
	}{
		{"absent", nil, "application/json"},
		{"empty", []string{""}, "application/json"},
		{"anything", []string{"*/*"}, "application/json"},
		{"lone star", []string{"*"}, "application/json"},
		{"text/json", []string{"text/json"}, "text/json"},
		{"plain", []string{"text/plain"}, "text/plain"},
		{"plain in capitals", []string{"Text/Plain"}, "text/plain"},
		{"any text", []string{"text/*"}, "text/json"},
		{"weights", []string{"application/json;q=0.1, text/plain;q=0.9"}, "text/plain"},
		{"specific beats general", []string{"*/*;q=0.9, application/json;q=0.1, text/json;q=0"}, "text/plain"},
		{"over lines", []string{"image/png", "text/plain"}, "text/plain"},
		{"browser", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, "application/json"},
		{"html only", []string{"text/html"}, ""},
		{"refused", []string{"application/json;q=0"}, ""},
		{"all refused", []string{"*/*;q=0"}, ""},
		{"with charset", []string{"application/json; charset=utf-8"}, "application/json"},
		{"bad weight", []string{"text/plain;q=7"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := gate.Negotiate(tt.accept)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Negotiate(%q) = %q, %v, want %q", tt.accept, got, ok, tt.want)
			}
		})
	}
}

func TestCheckRequestType(t *testing.T) {
	t.Parallel()
	for contentType, good := range map[string]bool{
		"application/json":                  true,
		"Application/JSON":                  true,
		"application/json; charset=utf-8":   true,
		"application/json; charset=UTF-8":   true,
		"text/json":                         true,
		"application/vnd.acme+json":         true,
		"application/json; charset=latin1":  false,
		"text/plain":                        false,
		"text/vnd.acme+json":                false,
		"application/x-www-form-urlencoded": false,
		"application/jsonp":                 false,
		"":                                  false,
		"application/json; charset":         false,
	} {
		err := gate.CheckRequestType(contentType)
		if good != (err == nil) || !good && !fault.Is(err, fault.UnsupportedMedia) {
			t.Errorf("CheckRequestType(%q) = %v", contentType, err)
		}
	}
}

func TestTraceID(t *testing.T) {
	t.Parallel()
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for header, kept := range map[string]bool{
		"00-" + id + "-00f067aa0ba902b7-01":                       true,
		"01-" + id + "-00f067aa0ba902b7-01-extra":                 true,
		"00-" + id + "-00f067aa0ba902b7-01-extra":                 false,
		"ff-" + id + "-00f067aa0ba902b7-01":                       false,
		"00-" + strings.ToUpper(id) + "-00f067aa0ba902b7-01":      false,
		"00-" + id + "-0000000000000000-01":                       false,
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": false,
		"00-" + id + "\n-00f067aa0ba902b7-01":                     false,
		"":                                                        false,
	} {
		got := gate.TraceID(header)
		if kept != (got == id) || len(got) != 32 {
			t.Errorf("TraceID(%q) = %q", header, got)
		}
	}
}

const pdf = `"pdf":"JVBERi0="`

func TestCheckBody(t *testing.T) {
	t.Parallel()
	id := `"0198a3c2-5d1e-7c44-9a51-0f5c8e2b7d10"`
	tests := []struct {
		name, op, body string
		want           []string // fields with problems
		ignored        []string
	}{
		{"least", "createStamp", `{"name":"n","documentTypeCode":"DIP",` + pdf + `}`, nil, nil},
		{"all", "createStamp", `{"name":"n","documentTypeCode":"DIP",` + pdf + `,"placementTemplateId":` + id + `,"tdocTemplateId":` + id +
			`,"externalId":"e","fields":[{"key":"k","value":""}],"modeType":"test"}`, nil, nil},
		{"null is absent", "createStamp", `{"name":"n","documentTypeCode":"DIP",` + pdf + `,"externalId":null,"modeType":null,"fields":null}`, nil, nil},
		{"null is not a name", "createStamp", `{"name":null,"documentTypeCode":"DIP",` + pdf + `}`, []string{"name"}, nil},
		{"nothing there", "createStamp", `{}`, []string{"documentTypeCode", "name", "pdf"}, nil},
		{
			"everything wrong", "createStamp", `{"name":"","documentTypeCode":"","pdf":"%%","placementTemplateId":"x","fields":[{"key":1}],"modeType":"prod"}`,
			[]string{"documentTypeCode", "fields[0].key", "fields[0].value", "modeType", "name", "pdf", "placementTemplateId"},
			nil,
		},
		{
			"unknown", "createStamp", `{"name":"n","documentTypeCode":"DIP",` + pdf + `,"colour":1,"fields":[{"key":"k","value":"v","hint":{"Name":1}}]}`,
			[]string{"colour", "fields[0].hint"},
			nil,
		},
		{"unknown, without a key", "verifyPayload", `{"payload":"x","colour":1,"context":{"hint":{"Name":1}}}`, nil, []string{"colour", "context.hint"}},
		{"wrong case", "createStamp", `{"Name":"n","name":"n","documentTypeCode":"DIP",` + pdf + `}`, []string{"Name"}, nil},
		{"wrong case inside", "createStamp", `{"name":"n","documentTypeCode":"DIP",` + pdf + `,"fields":[{"key":"k","value":"v","VALUE":"v"}]}`, []string{"fields[0].VALUE"}, nil},
		{"twice", "createStamp", `{"name":"n","name":"n","documentTypeCode":"DIP",` + pdf + `}`, []string{"name"}, nil},
		{"NUL", "createStamp", `{"name":"a\u0000b","documentTypeCode":"DIP",` + pdf + `}`, []string{"name"}, nil},
		{"empty file", "createStamp", `{"name":"n","documentTypeCode":"DIP","pdf":""}`, []string{"pdf"}, nil},
		{"Base64 with a line break", "createStamp", `{"name":"n","documentTypeCode":"DIP","pdf":"JVBE\nRi0="}`, []string{"pdf"}, nil},
		{"Base64 without padding", "createStamp", `{"name":"n","documentTypeCode":"DIP","pdf":"JVBERi0"}`, []string{"pdf"}, nil},
		{"Base64 with stray bits", "createStamp", `{"name":"n","documentTypeCode":"DIP","pdf":"JVBERi1="}`, []string{"pdf"}, nil},
		{"Base64url", "createStamp", `{"name":"n","documentTypeCode":"DIP","pdf":"_-8="}`, []string{"pdf"}, nil},
		{"Base64 with escaped slashes", "createStamp", `{"name":"n","documentTypeCode":"DIP","pdf":"\/\/8="}`, nil, nil},
		{"file is a number", "createStamp", `{"name":"n","documentTypeCode":"DIP","pdf":1}`, []string{"pdf"}, nil},
		{"not an object", "createStamp", `[]`, []string{"$body"}, nil},
		{"cut", "createStamp", `{"name":"n"`, []string{"$body"}, nil},
		{"empty", "verifyPayload", ``, []string{"$body"}, nil},
		{"reason too long", "revokeStamp", `{"reason":"` + strings.Repeat("é", 501) + `"}`, []string{"reason"}, nil},
		{"reason as long as can be", "revokeStamp", `{"reason":"` + strings.Repeat("é", 500) + `"}`, nil, nil},
		{"reason in characters beyond the first plane", "revokeStamp", `{"reason":"` + strings.Repeat("😀", 500) + `"}`, nil, nil},
		{"reason empty", "revokeStamp", `{"reason":""}`, []string{"reason"}, nil},
		{"action unknown", "revokeStamp", `{"action":"delete"}`, []string{"action"}, nil},
		{"number out of range", "verifyPayload", `{"payload":1e999}`, []string{"payload"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ignored, bad, err := gate.CheckBody(tt.op, []byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for field, messages := range bad {
				got = append(got, field)
				for _, m := range messages {
					if strings.Contains(m, "%%") || strings.Contains(m, "TOOLONG") || strings.Contains(m, "prod") {
						t.Errorf("message %q repeats the client's value", m)
					}
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s%v", diff, bad)
			}
			if diff := cmp.Diff(tt.ignored, ignored); diff != "" {
				t.Errorf("ignored (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzCheckBody: for any input, a handler can use each accepted body.
func FuzzCheckBody(f *testing.F) {
	f.Add([]byte(`{"name":"n","documentTypeCode":"DIP",` + pdf + `,"fields":[{"key":"k","value":"v"}]}`))
	f.Add([]byte(`{"name":1,"Name":2,"x":[[[{}]]]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, bad, err := gate.CheckBody("createStamp", raw)
		if err != nil || len(bad) > 0 {
			return
		}
		for _, member := range []string{"name", "documentTypeCode", "pdf"} {
			if !strings.Contains(string(raw), member) && !strings.Contains(string(raw), `\u`) {
				t.Fatalf("accepted without %s: %q", member, raw)
			}
		}
	})
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	take := gate.NewLimiter("lookups", 60, func() time.Time { return now }).Take
	h := http.Header{}
	for i := range 60 {
		if err := take(h, "a", 1); err != nil {
			t.Fatalf("take %d: %v", i, err)
		}
	}
	if got := h.Get("RateLimit"); got != `"lookups";r=0;t=1` {
		t.Errorf("RateLimit = %s", got)
	}
	err := take(h, "a", 1)
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != fault.CodeRateLimited {
		t.Fatalf("take 61: %v", err)
	}
	if got := h.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After = %s, want 1", got)
	}
	if err := take(http.Header{}, "b", 1); err != nil {
		t.Errorf("another client: %v", err)
	}
	now = now.Add(time.Second)
	if err := take(http.Header{}, "a", 1); err != nil {
		t.Errorf("a second later: %v", err)
	}
	if err := gate.NewLimiter("lookups", 60, time.Now).Take(h, "a", 61); fault.As(err).Kind != fault.TooLarge {
		t.Errorf("more than a full bucket holds: %v, want a TooLarge fault, since no wait would do", err)
	}
	if err := gate.NewLimiter("lookups", 0, time.Now).Take(h, "a", 1000); err != nil {
		t.Errorf("no limit: %v", err)
	}
	if got := gate.Buckets(10, func() time.Time { return now }, func() { now = now.Add(2 * time.Minute) }); got != 1 {
		t.Errorf("%d clients are remembered, want 1", got)
	}
}

func TestClientOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::9": "2001:db8:1:2::/64", "nonsense": "nonsense",
	} {
		if got := gate.ClientOf(in); got != want {
			t.Errorf("ClientOf(%s) = %s, want %s", in, got, want)
		}
	}
}
