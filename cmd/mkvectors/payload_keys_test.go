package mkvectors_test

import (
	"crypto/elliptic"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"

	"tcode/offline/payload"
)

// publicKey is one public key, good or refused.
type publicKey struct {
	name, class, comment string
	alg                  payload.Algorithm
	raw                  []byte
}

// publicKeys are keys that ParsePublicKey accepts and refuses.
func publicKeys(made files, keys signers) error {
	all, err := ed25519Keys(keys)
	if err != nil {
		return err
	}
	es, err := es256Keys(keys)
	if err != nil {
		return err
	}
	for _, k := range append(all, es...) {
		headers := []header{{"algorithm", k.alg.String()}}
		if err := made.add("key-"+k.name, vector(k.class, k.comment, headers, hexBody(k.raw))); err != nil {
			return err
		}
	}
	return nil
}

// smallOrder lists the canonical encodings of the eight points whose order
// divides 8, and the two further encodings that a lenient decoder takes for
// those with x = 0.
func smallOrder() []string {
	return []string{
		"0100000000000000000000000000000000000000000000000000000000000000", // order 1
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", // order 2
		"0000000000000000000000000000000000000000000000000000000000000000", // order 4
		"0000000000000000000000000000000000000000000000000000000000000080",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", // order 8
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
		"0100000000000000000000000000000000000000000000000000000000000080", // order 1, sign set
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", // order 2, sign set
	}
}

func ed25519Keys(keys signers) ([]publicKey, error) {
	good, err := payload.KeyOf(keys.ed.Public())
	if err != nil {
		return nil, err
	}
	raw := good.Bytes()
	all := []publicKey{
		{"ed25519", "ok", "a good key", payload.Ed25519, raw},
		{"ed25519-short", "public-key", "31 bytes", payload.Ed25519, raw[:31]},
		{"ed25519-long", "public-key", "33 bytes", payload.Ed25519, append(slices.Clone(raw), 0)},
		{"ed25519-empty", "public-key", "no bytes", payload.Ed25519, nil},
	}
	for i, s := range smallOrder() {
		b, err := hex.DecodeString(s)
		if err != nil {
			return nil, err
		}
		all = append(all, publicKey{fmt.Sprintf("ed25519-small-order-%d", i+1), "public-key", "a point of small order", payload.Ed25519, b})
	}
	// y = p + i for y from 0 to 18 have a second encoding each; 3 is the first
	// that is a point of large order. y = 2 is no point at all.
	p, _ := new(big.Int).SetString("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed", 16)
	second := func(y int64) []byte { return toLittleEndian(new(big.Int).Add(p, big.NewInt(y))) }
	small := func(y byte) []byte { return append([]byte{y}, make([]byte, 31)...) }
	return append(
		all,
		publicKey{"ed25519-y-3", "ok", "y = 3, a point of large order", payload.Ed25519, small(3)},
		publicKey{"ed25519-y-3-second", "public-key", "y = 3 written as p + 3", payload.Ed25519, second(3)},
		publicKey{"ed25519-y-0-second", "public-key", "y = 0 written as p", payload.Ed25519, second(0)},
		publicKey{"ed25519-y-1-second", "public-key", "y = 1 written as p + 1", payload.Ed25519, second(1)},
		publicKey{"ed25519-off-curve", "public-key", "y = 2 is not on the curve", payload.Ed25519, small(2)},
		publicKey{"ed25519-all-ones", "public-key", "y = 2^255 - 1 and sign set", payload.Ed25519, slices.Repeat([]byte{0xFF}, 32)},
	), nil
}

func es256Keys(keys signers) ([]publicKey, error) {
	good, err := payload.KeyOf(keys.es.Public())
	if err != nil {
		return nil, err
	}
	raw := good.Bytes()
	changed := func(at int, c byte) []byte {
		b := slices.Clone(raw)
		b[at] ^= c
		return b
	}
	prefix := func(c byte) []byte { return append([]byte{c}, raw[1:]...) }
	p := elliptic.P256().Params().P
	// x = p is 0 to a lenient reader, and this y is on the curve there.
	y, _ := hex.DecodeString("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
	outOfRange := slices.Concat([]byte{4}, p.Bytes(), y)
	zero := slices.Concat([]byte{4}, make([]byte, 32), y)
	return []publicKey{
		{"es256", "ok", "a good key", payload.ES256, raw},
		{"es256-off-curve", "public-key", "one bit of y changed", payload.ES256, changed(64, 1)},
		{"es256-identity", "public-key", "the point at infinity", payload.ES256, []byte{0}},
		{"es256-identity-padded", "public-key", "the point at infinity, filled up to 65 bytes", payload.ES256, make([]byte, 65)},
		{"es256-origin", "public-key", "x and y are 0", payload.ES256, append([]byte{4}, make([]byte, 64)...)},
		{"es256-compressed", "public-key", "the good key in compressed form", payload.ES256, append([]byte{2 + raw[64]&1}, raw[1:33]...)},
		{"es256-hybrid", "public-key", "the good key in hybrid form", payload.ES256, prefix(6 + raw[64]&1)},
		{"es256-bare", "public-key", "the good key without its first byte", payload.ES256, raw[1:]},
		{"es256-long", "public-key", "66 bytes", payload.ES256, append(slices.Clone(raw), 0)},
		{"es256-x-is-0", "ok", "x is 0, a point of the curve", payload.ES256, zero},
		{"es256-x-is-p", "public-key", "the same point with the field's prime for x", payload.ES256, outOfRange},
		{"es256-is-ed25519", "public-key", "an Ed25519 key", payload.ES256, slices.Clone(raw[1:33])},
	}, nil
}
