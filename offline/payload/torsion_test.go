package payload_test

import (
	"math/big"
	"slices"
	"testing"

	"tcode/offline/payload"
)

// edwards is textbook arithmetic on the curve of RFC 8032 section 5.1. It
// computes the points of small order instead of using a list.
type edwards struct{ p, d, order *big.Int }

type point struct{ x, y *big.Int }

func newEdwards() edwards {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	d := new(big.Int).ModInverse(big.NewInt(121666), p)
	d.Mul(d, big.NewInt(-121665)).Mod(d, p)
	order, _ := new(big.Int).SetString("27742317777372353535851937790883648493", 10)
	return edwards{p, d, order.Add(order, new(big.Int).Lsh(big.NewInt(1), 252))}
}

// at returns a point with this y, if there is one.
func (c edwards) at(y int64) (point, bool) {
	yy := big.NewInt(y * y)
	v := new(big.Int).Mul(c.d, yy)
	v.Add(v, big.NewInt(1)).ModInverse(v, c.p)
	v.Mul(v, yy.Sub(yy, big.NewInt(1))).Mod(v, c.p)
	x := new(big.Int).ModSqrt(v, c.p)
	return point{x, big.NewInt(y)}, x != nil
}

func (c edwards) add(a, b point) point {
	mul := func(u, v *big.Int) *big.Int { return new(big.Int).Mul(u, v) }
	k := mul(mul(mul(a.x, b.x), mul(a.y, b.y)), c.d)
	k.Mod(k, c.p)
	one := big.NewInt(1)
	x := new(big.Int).Add(mul(a.x, b.y), mul(b.x, a.y))
	x.Mul(x, new(big.Int).ModInverse(new(big.Int).Add(one, k), c.p)).Mod(x, c.p)
	y := new(big.Int).Add(mul(a.y, b.y), mul(a.x, b.x))
	y.Mul(y, new(big.Int).ModInverse(new(big.Int).Mod(new(big.Int).Sub(one, k), c.p), c.p)).Mod(y, c.p)
	return point{x, y}
}

func (c edwards) times(n *big.Int, a point) point {
	r := point{new(big.Int), big.NewInt(1)}
	for i := n.BitLen() - 1; i >= 0; i-- {
		if r = c.add(r, r); n.Bit(i) == 1 {
			r = c.add(r, a)
		}
	}
	return r
}

func (p point) encode() [32]byte {
	var b [32]byte
	p.y.FillBytes(b[:])
	b[0] |= byte(p.x.Bit(0)) << 7
	slices.Reverse(b[:])
	return b
}

// TestSmallOrderPoints finds all eight points whose order divides 8 by
// multiplying others with the group order, and checks that each is refused.
func TestSmallOrderPoints(t *testing.T) {
	t.Parallel()
	c := newEdwards()
	small := map[[32]byte]bool{}
	large := 0
	for y := int64(2); len(small) < 8 && y < 100; y++ {
		p, ok := c.at(y)
		if !ok {
			continue
		}
		enc := p.encode()
		if _, err := payload.ParsePublicKey(payload.Ed25519, enc[:]); err != nil {
			t.Errorf("y = %d: %v, want a key", y, err)
		}
		large++
		torsion := c.times(c.order, p)
		for m := int64(0); m < 8; m++ {
			small[c.times(big.NewInt(m), torsion).encode()] = true
		}
	}
	if len(small) != 8 || large == 0 {
		t.Fatalf("found %d points of small order from %d others, want 8", len(small), large)
	}
	for enc := range small {
		if _, err := payload.ParsePublicKey(payload.Ed25519, enc[:]); err == nil {
			t.Errorf("%x is taken, and has small order", enc)
		}
	}
}
