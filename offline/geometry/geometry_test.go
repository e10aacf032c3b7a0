package geometry_test

import (
	"encoding/json"
	"testing"

	"tcode/offline/geometry"
)

// TestWords fixes the words in the API and in the database, and the points of the
// anchors.
func TestWords(t *testing.T) {
	anchors := map[geometry.Anchor][2]float64{
		"top-left": {0, 0}, "top": {0.5, 0}, "top-right": {1, 0},
		"left": {0, 0.5}, "center": {0.5, 0.5}, "right": {1, 0.5},
		"bottom-left": {0, 1}, "bottom": {0.5, 1}, "bottom-right": {1, 1},
	}
	for _, a := range geometry.Anchors() {
		x, y := a.Fractions()
		if want, known := anchors[a]; !known || want != [2]float64{x, y} {
			t.Errorf("anchor %q is at %v, %v, want %v", a, x, y, want)
		}
		delete(anchors, a)
	}
	if len(anchors) > 0 {
		t.Errorf("no anchors %v", anchors)
	}
	if x, y := geometry.Anchor("").Fractions(); x != 1 || y != 1 {
		t.Errorf("the default anchor is at %v, %v, want the bottom right", x, y)
	}
	want := map[string]bool{"first": true, "last": true, "all": true, "odd": true, "even": true, "custom": true, "above": true, "below": true, "left": true, "right": true}
	for _, s := range geometry.Scopes() {
		if !want[string(s)] {
			t.Errorf("unknown scope %q", s)
		}
		delete(want, string(s))
	}
	for _, s := range geometry.Sides() {
		if !want[string(s)] {
			t.Errorf("unknown side %q", s)
		}
		delete(want, string(s))
	}
	if len(want) > 0 {
		t.Errorf("no words %v", want)
	}
}

// TestRectJSON checks the form in the database, and the one that gateways wrote
// before members had lower-case names.
func TestRectJSON(t *testing.T) {
	r := geometry.Rect{X: 1, Y: 2, Width: 3, Height: 4}
	text, err := json.Marshal(r)
	if err != nil || string(text) != `{"x":1,"y":2,"width":3,"height":4}` {
		t.Errorf("%s, %v", text, err)
	}
	for _, stored := range []string{string(text), `{"X":1,"Y":2,"Width":3,"Height":4}`} {
		var got geometry.Rect
		if err := json.Unmarshal([]byte(stored), &got); err != nil || got != r {
			t.Errorf("%s: %+v, %v, want %+v", stored, got, err, r)
		}
	}
}

// TestRect tests which rectangles overlap: touching is not enough.
func TestRect(t *testing.T) {
	r := geometry.Rect{X: 10, Y: 10, Width: 5, Height: 5}
	for _, tt := range []struct {
		name string
		s    geometry.Rect
		want bool
	}{
		{"itself", r, true},
		{"inside", geometry.Rect{X: 11, Y: 11, Width: 1, Height: 1}, true},
		{"over a corner", geometry.Rect{X: 14, Y: 14, Width: 5, Height: 5}, true},
		{"touches the right side", geometry.Rect{X: 15, Y: 10, Width: 5, Height: 5}, false},
		{"touches the top", geometry.Rect{X: 10, Y: 5, Width: 5, Height: 5}, false},
		{"elsewhere", geometry.Rect{X: 30, Y: 30, Width: 5, Height: 5}, false},
	} {
		if r.Meets(tt.s) != tt.want || tt.s.Meets(r) != tt.want {
			t.Errorf("%s: meets = %v, %v; want %v", tt.name, r.Meets(tt.s), tt.s.Meets(r), tt.want)
		}
	}
	if got := (geometry.Size{Width: 1, Height: 2}).Turned(-270); got != (geometry.Size{Width: 2, Height: 1}) {
		t.Errorf("turned: %+v", got)
	}
}

// TestObstacle checks the words for an obstacle under a stamp.
func TestObstacle(t *testing.T) {
	for want, o := range map[string]geometry.Obstacle{
		`the field "total"`: {Kind: "field", Name: "total"},
		"an annotation":     {Kind: "annotation"},
		"a stamp":           {Kind: geometry.KindStamp},
	} {
		if got := o.String(); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
}
