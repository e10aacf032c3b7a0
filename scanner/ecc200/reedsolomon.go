package ecc200

import "errors"

// ErrUncorrectable means that a block has more errors and erasures than its
// error correction codewords can prove.
var ErrUncorrectable = errors.New("too many damaged codewords")

// maxECC bounds the error correction codewords of one block (48x48 has 68).
const maxECC = 68

func mul(a, b byte) byte {
	if a == 0 || b == 0 {
		return 0
	}
	return expTable[int(logTable[a])+int(logTable[b])]
}

func inverse(a byte) byte { return expTable[255-int(logTable[a])] }

// pow returns α^i for 0 <= i.
func pow(i int) byte { return expTable[i%255] }

// generator returns the coefficients of the product of (x - α^i), i = 1..n,
// highest first without the leading 1.
func generator(n int) []byte {
	g := make([]byte, n+1)
	g[0] = 1
	for i := 1; i <= n; i++ {
		for j := i; j > 0; j-- {
			g[j] ^= mul(g[j-1], pow(i))
		}
	}
	return g[1:]
}

// parity writes the error correction codewords of data into ecc.
func parity(data, gen, ecc []byte) {
	clear(ecc)
	last := len(ecc) - 1
	for _, d := range data {
		f := d ^ ecc[0]
		copy(ecc, ecc[1:])
		ecc[last] = 0
		if f == 0 {
			continue
		}
		for i, g := range gen {
			ecc[i] ^= mul(g, f)
		}
	}
}

// syndromes sets s[j] to the value of block at α^(j+1), where the first codeword is the
// highest coefficient, and reports whether all are zero.
func syndromes(block, s []byte) bool {
	clean := true
	for j := range s {
		var v byte
		for _, c := range block {
			if v != 0 {
				v = expTable[int(logTable[v])+j+1]
			}
			v ^= c
		}
		s[j] = v
		clean = clean && v == 0
	}
	return clean
}

// correctBlock corrects block in place; its last ecc codewords are its error correction.
// erased lists distinct indexes of codewords that carry no information. It returns the
// number of changed codewords at other places, or [ErrUncorrectable] with the block
// unchanged. 2*errors + erasures <= ecc.
func correctBlock(block []byte, ecc int, erased []int) (int, error) {
	if len(erased) > ecc {
		return 0, ErrUncorrectable
	}
	var synd [maxECC]byte
	s := synd[:ecc]
	if syndromes(block, s) {
		return 0, nil
	}
	lambda, degree := locator(s, len(block), erased)
	if degree == 0 || 2*degree > ecc+len(erased) {
		return 0, ErrUncorrectable
	}
	// omega = s * lambda mod x^ecc
	var omega [maxECC]byte
	for i := range ecc {
		var v byte
		for j := 0; j <= min(i, degree); j++ {
			v ^= mul(lambda[j], s[i-j])
		}
		omega[i] = v
	}
	var at [maxECC]int
	var by [maxECC]byte
	roots := 0
	for i := range block {
		position := len(block) - 1 - i // power of x
		xinv := pow(255 - position%255)
		if evaluate(lambda[:degree+1], xinv) != 0 {
			continue
		}
		if roots == degree {
			return 0, ErrUncorrectable
		}
		d := derivative(lambda[:degree+1], xinv)
		if d == 0 {
			return 0, ErrUncorrectable
		}
		at[roots], by[roots] = i, mul(evaluate(omega[:ecc], xinv), inverse(d))
		roots++
	}
	if roots != degree {
		return 0, ErrUncorrectable
	}
	for i := range roots {
		block[at[i]] ^= by[i]
	}
	if !syndromes(block, s) {
		for i := range roots {
			block[at[i]] ^= by[i]
		}
		return 0, ErrUncorrectable
	}
	return changedElsewhere(at[:roots], by[:roots], erased), nil
}

// locator runs the Berlekamp-Massey algorithm, started from the erasures, and
// returns the locator polynomial, lowest coefficient first, and its degree.
func locator(s []byte, n int, erased []int) (lambda [maxECC + 1]byte, degree int) {
	ecc := len(s)
	lambda[0] = 1
	for k, i := range erased {
		x := pow(n - 1 - i)
		for j := k + 1; j > 0; j-- {
			lambda[j] ^= mul(lambda[j-1], x)
		}
	}
	b := lambda
	length := len(erased)
	for r := len(erased) + 1; r <= ecc; r++ {
		var discrepancy byte
		for i := 0; i < r; i++ {
			discrepancy ^= mul(lambda[i], s[r-1-i])
		}
		shifted := b
		copy(shifted[1:], b[:ecc])
		shifted[0] = 0
		if discrepancy == 0 {
			b = shifted
			continue
		}
		next := lambda
		for i := range ecc + 1 {
			next[i] ^= mul(discrepancy, shifted[i])
		}
		if 2*length <= r+len(erased)-1 {
			length = r + len(erased) - length
			inv := inverse(discrepancy)
			for i := range ecc + 1 {
				b[i] = mul(lambda[i], inv)
			}
		} else {
			b = shifted
		}
		lambda = next
	}
	for i := ecc; i > 0; i-- {
		if lambda[i] != 0 {
			return lambda, i
		}
	}
	return lambda, 0
}

// evaluate returns the value of p, lowest coefficient first, at x.
func evaluate(p []byte, x byte) byte {
	var v byte
	for i := len(p) - 1; i >= 0; i-- {
		v = mul(v, x) ^ p[i]
	}
	return v
}

// derivative returns the value of p's formal derivative at x: in
// characteristic 2 only the odd powers are left.
func derivative(p []byte, x byte) byte {
	x2 := mul(x, x)
	var v byte
	power := byte(1)
	for i := 1; i < len(p); i += 2 {
		v ^= mul(p[i], power)
		power = mul(power, x2)
	}
	return v
}

// changedElsewhere counts the non-zero changes at places not listed as erased.
func changedElsewhere(at []int, by []byte, erased []int) int {
	n := 0
	for i, p := range at {
		if by[i] == 0 {
			continue
		}
		known := false
		for _, e := range erased {
			if e == p {
				known = true
				break
			}
		}
		if !known {
			n++
		}
	}
	return n
}
