package mkvectors_test

import (
	"crypto/ed25519"
	"crypto/sha512"
	"math/big"
	"slices"
)

// edwards is textbook arithmetic on the curve of RFC 8032 section 5.1.
type edwards struct{ p, d, order *big.Int }

// edPoint is a point in affine coordinates.
type edPoint struct{ x, y *big.Int }

func newEdwards() edwards {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	d := new(big.Int).ModInverse(big.NewInt(121666), p)
	d.Mul(d, big.NewInt(-121665)).Mod(d, p)
	order, _ := new(big.Int).SetString("27742317777372353535851937790883648493", 10)
	return edwards{p, d, order.Add(order, new(big.Int).Lsh(big.NewInt(1), 252))}
}

// at is the point with this y whose x is even. There must be one.
func (c edwards) at(y *big.Int) edPoint {
	yy := new(big.Int).Mul(y, y)
	v := new(big.Int).Mul(c.d, yy)
	v.Add(v, big.NewInt(1)).ModInverse(v, c.p)
	x := new(big.Int).ModSqrt(v.Mul(v, yy.Sub(yy, big.NewInt(1))).Mod(v, c.p), c.p)
	if x.Bit(0) == 1 {
		x.Sub(c.p, x)
	}
	return edPoint{x, y}
}

func (c edwards) add(a, b edPoint) edPoint {
	mul := func(u, v *big.Int) *big.Int { return new(big.Int).Mul(u, v) }
	k := mul(mul(mul(a.x, b.x), mul(a.y, b.y)), c.d)
	k.Mod(k, c.p)
	one := big.NewInt(1)
	x := new(big.Int).Add(mul(a.x, b.y), mul(b.x, a.y))
	x.Mul(x, new(big.Int).ModInverse(new(big.Int).Add(one, k), c.p)).Mod(x, c.p)
	y := new(big.Int).Add(mul(a.y, b.y), mul(a.x, b.x))
	y.Mul(y, new(big.Int).ModInverse(new(big.Int).Mod(new(big.Int).Sub(one, k), c.p), c.p)).Mod(y, c.p)
	return edPoint{x, y}
}

func (c edwards) times(n *big.Int, a edPoint) edPoint {
	r := edPoint{new(big.Int), big.NewInt(1)}
	for i := n.BitLen() - 1; i >= 0; i-- {
		if r = c.add(r, r); n.Bit(i) == 1 {
			r = c.add(r, a)
		}
	}
	return r
}

func (p edPoint) encode() []byte {
	b := p.y.FillBytes(make([]byte, 32))
	b[0] |= byte(p.x.Bit(0)) << 7
	slices.Reverse(b)
	return b
}

// torsionSignature signs msg as RFC 8032 does, but for a point T of order 8 that it
// adds to R: S B = R + k A holds for R without T only, and 8 S B = 8 R + 8 k A for both.
func torsionSignature(key ed25519.PrivateKey, msg []byte) []byte {
	c := newEdwards()
	base := c.at(new(big.Int).Mod(new(big.Int).Mul(big.NewInt(4), new(big.Int).ModInverse(big.NewInt(5), c.p)), c.p))
	torsion := c.times(c.order, c.at(big.NewInt(3))) // a multiple of the order leaves the torsion
	h := sha512.Sum512(key.Seed())
	h[0], h[31] = h[0]&248, h[31]&63|64
	secret := littleEndian(h[:32])
	scalar := func(parts ...[]byte) *big.Int {
		sum := sha512.Sum512(slices.Concat(parts...))
		return new(big.Int).Mod(littleEndian(sum[:]), c.order)
	}
	r := scalar(h[32:], msg)
	point := c.add(c.times(r, base), torsion).encode()
	s := scalar(point, key.Public().(ed25519.PublicKey), msg)
	s.Mod(s.Add(s.Mul(s, secret), r), c.order)
	return append(point, toLittleEndian(s)...)
}
