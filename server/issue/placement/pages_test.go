package placement_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/server/issue/placement"
)

func TestParsePages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		list string
		want []int // nil: refused
	}{
		{"1", []int{1}},
		{"-1", []int{-1}},
		{"1,3-5,-1", []int{1, 3, 4, 5, -1}},
		{" 2 , 4 - 6 ", []int{2, 4, 5, 6}},
		{"-3--1", []int{-3, -2, -1}},
		{"5,1-5,5", []int{5, 1, 2, 3, 4}},
		{"500", []int{500}},
		{"007", []int{7}},
		{"", nil},
		{",", nil},
		{"1,", nil},
		{"0", nil},
		{"-0", nil},
		{"501", nil},
		{"99999999999999999999", nil},
		{"5-3", nil},
		{"-1--3", nil},
		{"2--1", nil},
		{"-2-1", nil},
		{"-", nil},
		{"--1", nil},
		{"1-", nil},
		{"1-2-3", nil},
		{"+1", nil},
		{"1.5", nil},
		{"last", nil},
		{"1;2", nil},
		{"١", nil},
	}
	for _, tt := range tests {
		t.Run(tt.list, func(t *testing.T) {
			got, err := placement.ParsePages(tt.list)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want != nil) {
				t.Errorf("err %v, pages (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Whatever parses names pages that a file can have, each once.
func FuzzParsePages(f *testing.F) {
	for _, s := range []string{"1,3-5,-1", "-3--1", "500", "1-500,-500--1", "", "-", "0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pages, err := placement.ParsePages(s)
		if err != nil {
			return
		}
		seen := map[int]bool{}
		for _, n := range pages {
			if n == 0 || n > placement.MaxPage || n < -placement.MaxPage || seen[n] {
				t.Fatalf("page %d of %q", n, s)
			}
			seen[n] = true
		}
		if len(pages) == 0 {
			t.Fatalf("%q names no page", s)
		}
	})
}
