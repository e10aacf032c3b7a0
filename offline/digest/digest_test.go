package digest_test

import (
	"strings"
	"testing"

	"tcode/offline/digest"
)

func TestParse(t *testing.T) {
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // FIPS 180-4, of no bytes
	d, err := digest.Parse(empty)
	if err != nil || d != digest.Of(nil) || d.String() != empty || d.IsZero() {
		t.Errorf("Parse = %s, %v, want %s", d, err, digest.Of(nil))
	}
	if d := (digest.SHA256{}); !d.IsZero() || d.String() != strings.Repeat("0", 64) {
		t.Errorf("the zero value is %s", d)
	}
	for _, s := range []string{"", empty[:62], empty + "00", empty[:63], strings.ToUpper(empty), " " + empty[1:], empty[:63] + "g"} {
		if d, err := digest.Parse(s); err == nil || !d.IsZero() {
			t.Errorf("Parse(%q) = %s, %v, want an error", s, d, err)
		}
	}
}
