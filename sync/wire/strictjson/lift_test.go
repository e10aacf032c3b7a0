package strictjson_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"tcode/sync/wire/strictjson"
)

func lift(doc string, limit int) (rest string, got map[string]string, err error) {
	csv, zip := &bytes.Buffer{}, &bytes.Buffer{}
	l, err := strictjson.Lift(strings.NewReader(doc), limit, map[string]io.Writer{"csv": csv, "zip": zip})
	return string(l.Rest), map[string]string{"csv": csv.String(), "zip": zip.String()}, err
}

func TestLift(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, doc, rest, csv, zip string }{
		{"both", `{"a":1,"csv":"aGVsbG8=", "zip" : "d29ybGQ="}`, `{"a":1,"csv":"AAAA", "zip" : "AAAA"}`, "hello", "world"},
		{"escaped slash", `{"csv":"\/\/8="}`, `{"csv":"AAAA"}`, "\xff\xff", ""},
		{"escaped letters", `{"\u0063sv":"\u0061GVsbG8\u003D"}`, `{"\u0063sv":"AAAA"}`, "hello", ""},
		{"empty", `{"csv":""}`, `{"csv":""}`, "", ""},
		{"line break", `{"csv":"aGVs\nbG8="}`, `{"csv":"\n"}`, "", ""},
		{"no padding", `{"csv":"aGVsbG8"}`, `{"csv":"!"}`, "", ""},
		{"stray bits", `{"csv":"aGVsbG9="}`, `{"csv":"!"}`, "", ""},
		{"after the padding", `{"csv":"aGVsbG8=aGVsbG8="}`, `{"csv":"!"}`, "", ""},
		{"a quote inside", `{"csv":"aG\"Vs","a":2}`, `{"csv":"!","a":2}`, "", ""},
		{"no UTF-8", "{\"csv\":\"aGVs\xff\"}", `{"csv":"!"}`, "", ""},
		{"cut short", `{"csv":"aGVs`, `{"csv":"AAAA`, "hel", ""},
		{"in another object", `{"o":{"csv":"aGVs"}}`, `{"o":{"csv":"aGVs"}}`, "", ""},
		{"in a list", `[{"csv":"aGVs"}]`, `[{"csv":"aGVs"}]`, "", ""},
		{"as a name", `{"csv":{"zip":1},"x":"csv"}`, `{"csv":{"zip":1},"x":"csv"}`, "", ""},
		{"second document", `{}{"csv":"aGVs"}`, `{}{"csv":"aGVs"}`, "", ""},
		{"twice", `{"csv":"aGVs","csv":"bG8="}`, `{"csv":"AAAA","csv":"AAAA"}`, "hel", ""},
		{"no string", `{"csv":7,"zip":null}`, `{"csv":7,"zip":null}`, "", ""},
		{"nothing", ``, ``, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rest, got, err := lift(tt.doc, 1000)
			if err != nil || rest != tt.rest {
				t.Fatalf("rest %q, %v, want %q", rest, err, tt.rest)
			}
			if strings.Contains(rest, `"!"`) || strings.Contains(rest, `"\n"`) {
				return // nothing of use
			}
			if diff := cmp.Diff(map[string]string{"csv": tt.csv, "zip": tt.zip}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLiftLong: the lifted string may be long, the rest may not.
func TestLiftLong(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("0123456789abcdef!"), 100_000)
	doc := `{"csv":"` + base64.StdEncoding.EncodeToString(want) + `","x":"y"`
	var got bytes.Buffer
	l, err := strictjson.Lift(iotest.HalfReader(strings.NewReader(doc+"}")), 100, map[string]io.Writer{"csv": &got})
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Fatalf("%d bytes, %v", got.Len(), err)
	}
	if n, err := l.Parse(); err != nil || len(n.Members) != 2 {
		t.Errorf("%+v, %v", n, err)
	}
	if _, _, err := lift(doc+strings.Repeat(" ", 100)+"}", 100); !errors.Is(err, strictjson.ErrRestTooLong) {
		t.Errorf("a long rest: %v", err)
	}
	broken := errors.New("broken")
	if _, err := strictjson.Lift(io.MultiReader(strings.NewReader(doc[:5000]), iotest.ErrReader(broken)), 100, map[string]io.Writer{"csv": io.Discard}); !errors.Is(err, broken) {
		t.Errorf("a broken reader: %v", err)
	}
	if _, err := strictjson.Lift(strings.NewReader(doc), 100, map[string]io.Writer{"csv": failing{broken}}); !errors.Is(err, broken) {
		t.Errorf("a broken sink: %v", err)
	}
	// Errors are told by their place in the whole document.
	l, err = strictjson.Lift(strings.NewReader(doc+"?"), 100, map[string]io.Writer{"csv": io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Parse()
	if s, ok := errors.AsType[*strictjson.SyntaxError](err); !ok || s.Offset != len(doc) {
		t.Errorf("%v, want one at byte %d", err, len(doc))
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// same compares two values, members and all.
func same(a, b strictjson.Node) bool {
	return render(a) == render(b)
}

func render(n strictjson.Node) string {
	var b strings.Builder
	fmt.Fprint(&b, n.Kind, n.True)
	if n.Kind == strictjson.String || n.Kind == strictjson.Number {
		fmt.Fprintf(&b, "%q", n.Text())
	}
	for _, m := range n.Members {
		fmt.Fprintf(&b, "{%q:%s}", m.Name, render(m.Value))
	}
	for _, i := range n.Items {
		fmt.Fprintf(&b, "[%s]", render(i))
	}
	return b.String()
}

// isBase64 is the rule, said in another way.
func isBase64(s string) bool {
	if strings.ContainsAny(s, "\r\n") {
		return false
	}
	_, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil
}

// FuzzLift: the rest, with the lifted strings inserted again, equals the result of
// Parse for the whole, and is refused where Parse refuses the whole.
func FuzzLift(f *testing.F) {
	for _, doc := range []string{
		`{"a":1,"csv":"aGVsbG8=","zip":"d29ybGQ="}`, `{"csv":"\/\/8=","zip":"\u0041AAA"}`, `{"csv":"","zip":[]}`, `{"\u0063sv":"aGVs"}`,
		`{"csv":"aGVs\nbG8="}`, `{"csv":"aGVs","csv":"aGVs"}`, `{}{"csv":"aGVs"}`, `[{"csv":"aGVs"}]`, `{"csv":"aGVs`, "{\"csv\":\"\xff\"}",
		`{"csv":"\ud800"}`, `{"csv":"\u12"}`, `{"csv"::"aGVs"}`, `{"x":"csv","zip":{"csv":"aGVs"}}`, `}{"csv":"aGVs"}`, `{"csv":"\"`, `{"csv":"\`,
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		csv, zip := &bytes.Buffer{}, &bytes.Buffer{}
		sinks := map[string]*bytes.Buffer{"csv": csv, "zip": zip}
		l, err := strictjson.Lift(iotest.HalfReader(strings.NewReader(doc)), len(doc)+64, map[string]io.Writer{"csv": csv, "zip": zip})
		if err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		whole, wholeErr := strictjson.Parse([]byte(doc))
		rest, restErr := l.Parse()
		if wholeErr == nil && restErr != nil {
			t.Fatalf("%q is a document, %q is none: %v", doc, l.Rest, restErr)
		}
		if restErr != nil {
			return
		}
		for i, m := range rest.Members {
			if sinks[m.Name] == nil || m.Value.Kind != strictjson.String {
				continue
			}
			if wholeErr == nil {
				if was, _ := whole.Member(m.Name); isBase64(was.Text()) != isBase64(m.Value.Text()) || (was.Text() == "") != (m.Value.Text() == "") {
					t.Fatalf("%q stands for %q", m.Value.Text(), was.Text())
				}
			}
			if !isBase64(m.Value.Text()) {
				return // refused
			}
			back, err := strictjson.Parse([]byte(`"` + base64.StdEncoding.EncodeToString(sinks[m.Name].Bytes()) + `"`))
			if err != nil {
				t.Fatal(err)
			}
			rest.Members[i].Value = back
		}
		if wholeErr != nil || !same(whole, rest) {
			t.Fatalf("%q, %v: %s, with what was lifted put back %s", doc, wholeErr, render(whole), render(rest))
		}
	})
}
