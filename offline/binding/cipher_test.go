package binding_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rc4"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/binding"
)

// ciphers has one cipher of each kind and key length that a PDF can have.
var ciphers = map[string]binding.Cipher{
	"RC4, 40 bits":  {Method: binding.RC4, Key: "01234\xAB6789"},
	"RC4, 128 bits": {Method: binding.RC4, Key: "01234\xAB6789abcdef"},
	"AES, 128 bits": {Method: binding.AES, Key: "01234\xAB6789abcdef"},
	"AES, 256 bits": {Method: binding.AES, Key: "01234\xAB6789abcdef0123456789ABCDEF"},
}

// encrypted is like newStamp, for an encrypted PDF.
func encrypted(original string, c binding.Cipher, side int) stamp {
	s := stamp{m: modules(side, 9)}
	s.p.Reference[0] = 9
	s.mark = binding.Mark{Reference: s.p.Reference, Length: int64(c.HoleLen(side)), Cipher: c}
	head := len(s.mark.Append(nil)) + len(">>\nstream\n") + binding.IVLen
	const tail = "\nendstream\n%%EOF\n"
	s.mark.Start = int64(len(original) + head)
	s.mark.End = s.mark.Start + s.mark.Length + int64(len(tail))
	s.file = append(s.mark.Append([]byte(original)), ">>\nstream\ninitialisationVc"...)
	s.file = append(s.file, make([]byte, s.mark.Length)...)
	copy(s.file[s.mark.Start:], binding.Hole(s.file, s.mark, s.m))
	s.file = append(s.file, tail...)
	s.p.Fingerprint, _ = binding.Fingerprint(s.file, s.mark)
	return s
}

// TestEncrypted: the hole of an encrypted file is bound like a raw one, and
// decrypting it as a viewer does gives the symbol.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	for name, c := range ciphers {
		for _, side := range []int{10, 40, 44} { // streams of 8, 0 and 0 bytes beyond whole blocks
			s := encrypted("%PDF-1.4 the contract\n", c, side)
			if got := binding.Check(s.file, s.p, s.m); got.State != binding.Match {
				t.Fatalf("%s, %d modules: %+v", name, side, got)
			}
			if got := decrypt(t, s, c); !bytes.Equal(got, binding.SymbolStream(s.m)) {
				t.Errorf("%s, %d modules: a viewer finds another symbol", name, side)
			}
			if got := binding.Check(s.file, s.p, modules(side, 8)); got.Code != binding.CodeRepainted {
				t.Errorf("%s, another symbol read: %+v", name, got)
			}
			raw := bytes.Clone(s.file)
			copy(raw[s.mark.Start:], binding.SymbolStream(s.m))
			if got := binding.Check(raw, s.p, s.m); got.Code != binding.CodeRepainted {
				t.Errorf("%s, not encrypted: %+v", name, got)
			}
			for at := range s.file {
				s.file[at] ^= 1
				if got := binding.Check(s.file, s.p, s.m); got.State == binding.Match || got.State == binding.Appended {
					t.Fatalf("%s, byte %d changed: %+v", name, at, got)
				}
				s.file[at] ^= 1
			}
		}
	}
}

// decrypt decrypts the symbol's stream as a viewer does.
func decrypt(t *testing.T, s stamp, c binding.Cipher) []byte {
	t.Helper()
	data := bytes.Clone(s.file[s.mark.Start : s.mark.Start+s.mark.Length])
	if c.Method == binding.RC4 {
		k, err := rc4.NewCipher([]byte(c.Key))
		if err != nil {
			t.Fatal(err)
		}
		k.XORKeyStream(data, data)
		return data
	}
	block, err := aes.NewCipher([]byte(c.Key))
	if err != nil {
		t.Fatal(err)
	}
	cipher.NewCBCDecrypter(block, s.file[s.mark.Start-binding.IVLen:s.mark.Start]).CryptBlocks(data, data)
	return data[:len(data)-int(data[len(data)-1])]
}

// TestCipherMarks: a cipher has one spelling, and only keys of a valid length.
func TestCipherMarks(t *testing.T) {
	t.Parallel()
	for name, c := range ciphers {
		k := binding.Mark{Start: 100, Length: 3200, End: 4000, Cipher: c}
		text := string(k.Append(nil))
		if got := binding.Marks([]byte("x" + text + "x")); len(got) != 1 || got[0] != k {
			t.Errorf("%s: %+v from %s", name, got, text)
		}
		key := strings.ToUpper(hex.EncodeToString([]byte(c.Key)))
		for what, bad := range map[string]string{
			"version 1":      strings.Replace(text, "/V 2", "/V 1", 1),
			"version 3":      strings.Replace(text, "/V 2", "/V 3", 1),
			"another method": strings.Replace(text, "/C/"+string(c.Method), "/C/DES", 1),
			"lower case":     strings.Replace(text, key, strings.ToLower(key)+"AB", 1),
			"a short key":    strings.Replace(text, key, key[:8], 1),
			"a long key":     strings.Replace(text, key, strings.Repeat(key, 8), 1),
			"an odd key":     strings.Replace(text, key, key[1:], 1),
			"no key":         strings.Replace(text, key, "", 1),
			"cut off":        text[:len(text)-1],
		} {
			if got := binding.Marks([]byte(bad)); len(got) != 0 {
				t.Errorf("%s, %s: %+v is a mark", name, what, got)
			}
		}
	}
	if got := (binding.Cipher{Method: binding.AES}).HoleLen(11); got != 0 {
		t.Errorf("a symbol of 11 modules has a hole of %d bytes", got)
	}
	s := encrypted("", ciphers["AES, 128 bits"], 40)
	s.mark.Start = 15
	if binding.Hole(s.file, s.mark, s.m) != nil {
		t.Error("a hole without room for its vector was filled")
	}
}

// TestDrawn: the symbol in a hole is found without rendering, raw and
// encrypted, and no other data counts as one.
func TestDrawn(t *testing.T) {
	t.Parallel()
	for _, side := range []int{10, 40, 144} {
		m := modules(side, 5)
		k := binding.Mark{Start: 7, Length: int64(binding.StreamLen(side)), End: 1 << 20}
		file := append(append([]byte("before:"), binding.SymbolStream(m)...), ":behind"...)
		got, ok := binding.Drawn(file, k)
		if diff := cmp.Diff(m, got); !ok || diff != "" {
			t.Errorf("raw, %d modules: %v (-want +got):\n%s", side, ok, diff)
		}
		for name, bad := range map[string]binding.Mark{
			"a byte late":             {Start: 8, Length: k.Length},
			"a byte short":            {Start: 7, Length: k.Length - 1},
			"behind the end":          {Start: int64(len(file)), Length: k.Length},
			"before the start":        {Start: -1, Length: k.Length},
			"beyond the end":          {Start: 8 + 8, Length: k.Length},
			"no length":               {Start: 7},
			"a length that overflows": {Start: 7, Length: 1<<63 - 1},
			"encrypted":               {Start: 7, Length: k.Length, Cipher: binding.Cipher{Method: binding.AES, Key: "0123456789abcdef"}},
			"key too short":           {Start: 7, Length: k.Length, Cipher: binding.Cipher{Method: binding.RC4, Key: "0"}},
		} {
			if m, ok := binding.Drawn(file, bad); ok {
				t.Errorf("%s: a symbol of %d modules", name, m.Side)
			}
		}
	}
	for name, c := range ciphers {
		for _, side := range []int{10, 40, 44} {
			s := encrypted("%PDF-1.4 the contract\n", c, side)
			got, ok := binding.Drawn(s.file, s.mark)
			if diff := cmp.Diff(s.m, got); !ok || diff != "" {
				t.Errorf("%s, %d modules: %v (-want +got):\n%s", name, side, ok, diff)
			}
			s.file[s.mark.Start+s.mark.Length-1] ^= 0x10
			if _, ok := binding.Drawn(s.file, s.mark); ok {
				t.Errorf("%s, %d modules: a damaged hole holds a symbol", name, side)
			}
		}
	}
}
