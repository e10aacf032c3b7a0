package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/sync/wire/strictjson"
)

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     error
		path     string
	}{
		{"nothing", ` `, strictjson.ErrEmpty, "$body"},
		{"twice", `{"a":1,"b":{"c":1,"c":2}}`, strictjson.ErrDuplicate, "b.c"},
		{"twice by escape", `{"a":1,"\u0061":2}`, strictjson.ErrDuplicate, "a"},
		{"twice in an item", `{"a":[{},{"x":1,"x":1}]}`, strictjson.ErrDuplicate, "a[1].x"},
		{"second document", `{} {}`, strictjson.ErrTrailing, "$body"},
		{"junk after", `{"a":1} x`, strictjson.ErrTrailing, "$body"},
		{"bad UTF-8 in a value", "{\"a\":\"\xff\"}", strictjson.ErrUTF8, "a"},
		{"bad UTF-8 in a name", "{\"\xc3\":1}", strictjson.ErrUTF8, "$body"},
		{"bad UTF-8 outside", "{\"a\":\xff}", strictjson.ErrUTF8, "a"},
		{"byte order mark", "\ufeff{}", strictjson.ErrSyntax, "$body"},
		{"lone surrogate", `{"a":"\ud800"}`, strictjson.ErrSurrogate, "a"},
		{"low first", `{"a":"\udc00\ud800"}`, strictjson.ErrSurrogate, "a"},
		{"cut", `{"a":"b`, strictjson.ErrTruncated, "a"},
		{"cut object", `{"a":1`, strictjson.ErrTruncated, "$body"},
		{"trailing comma", `{"a":1,}`, strictjson.ErrSyntax, "$body"},
		{"comment", `{/**/}`, strictjson.ErrSyntax, "$body"},
		{"single quotes", `{'a':1}`, strictjson.ErrSyntax, "$body"},
		{"leading zero", `{"a":01}`, strictjson.ErrSyntax, "$body"},
		{"NaN", `{"a":NaN}`, strictjson.ErrSyntax, "a"},
		{"raw newline", "{\"a\":\"x\ny\"}", strictjson.ErrSyntax, "a"},
		{"unknown escape", `{"a":"\x41"}`, strictjson.ErrSyntax, "a"},
		{"deep", strings.Repeat("[", 100) + strings.Repeat("]", 100), strictjson.ErrDepth, strings.Repeat("[0]", 32)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := strictjson.Parse([]byte(tt.in))
			if !errors.Is(err, tt.want) {
				t.Fatalf("err = %v, want %v", err, tt.want)
			}
			if got := strictjson.Problems(err); len(got[tt.path]) == 0 {
				t.Errorf("problems = %v, want some at %s", got, tt.path)
			}
		})
	}
}

func TestAllDuplicatesAreNamed(t *testing.T) {
	t.Parallel()
	_, err := strictjson.Parse([]byte(`{"a":1,"a":2,"b":[{"c":1,"c":1}],"a":3}`))
	want := map[string][]string{"a": {"is there twice", "is there twice"}, "b[0].c": {"is there twice"}}
	if diff := cmp.Diff(want, strictjson.Problems(err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestPathsAreBounded: a client's long name is not copied for all below it.
func TestPathsAreBounded(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 1000)
	_, err := strictjson.Parse([]byte(`{"` + name + `":{"` + name + `":[{"a":1,"a":2}]}}`))
	if !errors.Is(err, strictjson.ErrDuplicate) {
		t.Fatalf("err = %v", err)
	}
	for path := range strictjson.Problems(err) {
		if len(path) > 300 || !strings.HasPrefix(path, name[:200]) {
			t.Errorf("a path of %d bytes: %s", len(path), path)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	n, err := strictjson.Parse([]byte(` {"t":"a\/b\ud83d\ude00\n\u00e9","n":-1.5e3,"y":true,"z":null,"l":[1,[]]} `))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := n.Member("t")
	if got := text.Text(); got != "a/b😀\né" {
		t.Errorf("Text = %q", got)
	}
	num, _ := n.Member("n")
	if v, ok := num.Float(); !ok || v != -1500 {
		t.Errorf("Float = %v, %v", v, ok)
	}
	if list, _ := n.Member("l"); len(list.Items) != 2 || list.Items[1].Kind != strictjson.Array {
		t.Errorf("list = %+v", list)
	}
}

// value turns a tree into the value that encoding/json makes of the same document.
func value(n strictjson.Node) any {
	switch n.Kind {
	case strictjson.Bool:
		return n.True
	case strictjson.Number:
		return json.Number(n.Text())
	case strictjson.String:
		return n.Text()
	case strictjson.Array:
		list := make([]any, 0, len(n.Items))
		for _, item := range n.Items {
			list = append(list, value(item))
		}
		return list
	case strictjson.Object:
		m := map[string]any{}
		for _, member := range n.Members {
			m[member.Name] = value(member.Value)
		}
		return m
	}
	return nil
}

// FuzzParse: an accepted document means the same to encoding/json.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e-3,"x\u00e9\ud83d\ude00",true,null,{}]}`, `"\ud800"`, `{"a":1,"a":2}`, `0`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := strictjson.Parse(b)
		if err != nil {
			if len(strictjson.Problems(err)) == 0 {
				t.Fatalf("no problems for %v", err)
			}
			return
		}
		dec := json.NewDecoder(strings.NewReader(string(b)))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("encoding/json refuses %q: %v", b, err)
		}
		if diff := cmp.Diff(want, value(n)); diff != "" {
			t.Fatalf("%q (-encoding/json +ours):\n%s", b, diff)
		}
	})
}
