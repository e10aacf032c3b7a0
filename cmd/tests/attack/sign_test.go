package attack_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/testdata/corpus"
)

// signatureRoom is the number of bytes kept for a signature.
const signatureRoom = 2000

// signed appends a revision with an invisible signature in the name of who, by
// a certificate that signs itself (ISO 32000-1, 12.8; RFC 5652).
func signed(t *testing.T, file []byte, who string) []byte {
	t.Helper()
	const ranges = "[0000000000 0000000000 0000000000 0000000000]"
	out := update(file, world.Objects{
		1:   "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[160 0 R]/SigFlags 3>>>>",
		160: "<</Subtype/Widget/FT/Sig/T(signature)/Rect[0 0 0 0]/F 132/V 161 0 R>>",
		161: "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/Reason(I agree)/ByteRange" + ranges +
			"/Contents<" + string(bytes.Repeat([]byte("0"), 2*signatureRoom)) + ">>>",
	})
	from := bytes.LastIndex(out, []byte("/Contents<")) + len("/Contents")
	to := from + 2*signatureRoom + 2
	at := bytes.LastIndex(out, []byte(ranges))
	copy(out[at:], fmt.Sprintf("[%010d %010d %010d %010d]", 0, from, to, len(out)-to))
	der := corpus.CMS(t, slices.Concat(out[:from], out[to:]), who)
	copy(out[from+1:], fmt.Sprintf("%x", der))
	return out
}
