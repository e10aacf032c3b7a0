package httpapi_test

import (
	"testing"

	"tcode/server/httpapi"
)

// TestGoesOn: a list says whether there is another page, also beyond the counted
// records.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name              string
		page, size, total int
		lowerBound        bool
		items             int
		want              bool
	}{
		{"none", 1, 20, 0, false, 0, false},
		{"one full page", 1, 20, 20, false, 20, false},
		{"one more", 1, 20, 21, false, 20, true},
		{"the last", 2, 20, 21, false, 1, false},
		{"beyond the last", 3, 20, 21, false, 0, false},
		{"within what is counted", 500, 20, 10_001, true, 20, true},
		{"full, beyond what is counted", 600, 20, 10_001, true, 20, true},
		{"not full, beyond what is counted", 600, 20, 10_001, true, 19, false},
	}
	for _, tt := range tests {
		if got := httpapi.GoesOn(tt.page, tt.size, tt.total, tt.lowerBound, tt.items); got != tt.want {
			t.Errorf("%s: GoesOn = %v, want %v", tt.name, got, tt.want)
		}
	}
}
