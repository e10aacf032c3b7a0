package payload

import "math/big"

// These are the curve's prime p = 2^255 - 19 and its d, RFC 8032 section 5.1,
// and the y coordinates of the points of order 8. The points of order 1, 2 and
// 4 have y = 1, -1 and 0.
const (
	edPrime  = "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed"
	edD      = "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3"
	edOrder8 = "05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826"
)

// goodEd25519Point reports whether raw is the one encoding of a point on the
// curve whose order is not small. crypto/ed25519 accepts encodings with y >= p
// and the eight points of small order. For those points one signature fits
// every message, or is easy to make.
func goodEd25519Point(raw [ed25519KeyLen]byte) bool {
	var be [ed25519KeyLen]byte
	for i, c := range raw {
		be[ed25519KeyLen-1-i] = c
	}
	be[0] &= 0x7F // the sign of x
	p, d := hexInt(edPrime), hexInt(edD)
	y := new(big.Int).SetBytes(be[:])
	if y.Cmp(p) >= 0 {
		return false
	}
	// With y = ±1, x is 0 and a set sign bit would be a second encoding; this
	// refuses both as points of small order.
	one := big.NewInt(1)
	o8 := hexInt(edOrder8)
	for _, small := range []*big.Int{new(big.Int), one, new(big.Int).Sub(p, one), o8, new(big.Int).Sub(p, o8)} {
		if y.Cmp(small) == 0 {
			return false
		}
	}
	// The point is on the curve if x² = (y² - 1) / (d·y² + 1) has a root. The
	// divisor is never 0, and a quotient is a square exactly when the product is.
	yy := new(big.Int).Mul(y, y)
	u := new(big.Int).Sub(yy, one)
	v := new(big.Int).Mul(d, yy)
	v.Add(v, one)
	u.Mul(u, v).Mod(u, p)
	return big.Jacobi(u, p) == 1
}

// hexInt reads one of the constants above.
func hexInt(s string) *big.Int {
	v, _ := new(big.Int).SetString(s, 16)
	return v
}
