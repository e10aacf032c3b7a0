package ecc200

// charset is one of the character tables of C40 and Text mode
// (ISO/IEC 16022 tables C.1 and C.2). Values 0 to 2 of the basic set shift.
type charset struct {
	basic string // from value 3 on
	third string // shift 3
}

// c40Sets and textSets differ only in the case of the letters.
var (
	c40Sets  = charset{" 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", "`abcdefghijklmnopqrstuvwxyz{|}~\x7f"}
	textSets = charset{" 0123456789abcdefghijklmnopqrstuvwxyz", "`ABCDEFGHIJKLMNOPQRSTUVWXYZ{|}~\x7f"}
)

// secondSet is shift 2 of both; values 27 and 30 are FNC1 and upper shift.
const secondSet = "!\"#$%&'()*+,-./:;<=>?@[\\]^_"

const (
	secondFNC1  = 27
	secondUpper = 30
)

// unpack splits two codewords into their three values below 40.
func unpack(hi, lo byte) ([3]int, error) {
	v := int(hi)*256 + int(lo) - 1
	if v < 0 || v/1600 >= 40 {
		return [3]int{}, ErrText
	}
	return [3]int{v / 1600, v / 40 % 40, v % 40}, nil
}

// triplets reads C40 or Text mode up to its unlatch or the end.
func (t *textReader) triplets(set *charset) error {
	shift, upper := 0, byte(0)
	for t.left() >= 2 {
		if t.in[t.at] == cwUnlatch {
			t.at++
			return nil
		}
		values, err := unpack(t.in[t.at], t.in[t.at+1])
		if err != nil {
			return err
		}
		t.at += 2
		for _, v := range values {
			if shift == 0 && v < 3 {
				shift = v + 1
				continue
			}
			var c byte
			switch shift {
			case 0:
				c = set.basic[v-3]
			case 1:
				if v > 31 {
					return ErrText
				}
				c = byte(v)
			case 2:
				shift = 0
				if v == secondFNC1 {
					t.separate()
					continue
				}
				if v == secondUpper {
					upper = 128
					continue
				}
				if v >= len(secondSet) {
					return ErrText
				}
				c = secondSet[v]
			case 3:
				if v >= len(set.third) {
					return ErrText
				}
				c = set.third[v]
			}
			t.run = append(t.run, c+upper)
			shift, upper = 0, 0
		}
	}
	// One remaining codeword is ASCII without an unlatch, or an unlatch.
	if t.left() == 1 && t.in[t.at] == cwUnlatch {
		t.at++
	}
	return nil
}

// x12Special are the values 0 to 3 of ANSI X12 mode.
const x12Special = "\r*> "

func (t *textReader) x12() error {
	for t.left() >= 2 {
		if t.in[t.at] == cwUnlatch {
			t.at++
			return nil
		}
		values, err := unpack(t.in[t.at], t.in[t.at+1])
		if err != nil {
			return err
		}
		t.at += 2
		for _, v := range values {
			switch {
			case v < 4:
				t.run = append(t.run, x12Special[v])
			case v < 14:
				t.run = append(t.run, '0'+byte(v-4))
			default:
				t.run = append(t.run, 'A'+byte(v-14))
			}
		}
	}
	if t.left() == 1 && t.in[t.at] == cwUnlatch {
		t.at++
	}
	return nil
}

// edifact reads four 6-bit characters from every three codewords. The value 31 unlatches
// and discards the rest of its byte. With fewer than three codewords left, the symbol
// continues in ASCII.
func (t *textReader) edifact() error {
	for t.left() > 2 {
		bits, have := 0, 0
		for range 4 {
			if have < 6 {
				bits = bits<<8 | int(t.in[t.at])
				t.at++
				have += 8
			}
			have -= 6
			v := bits >> have & 63
			if v == 31 {
				return nil
			}
			if v < 32 {
				v += 64
			}
			t.run = append(t.run, byte(v))
		}
	}
	return nil
}
