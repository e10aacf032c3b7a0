package pdfobj

// Content calls yield with each operator of a content stream and its operands (ISO
// 32000-2, 7.8.2), until yield returns false. It returns false if it did not reach the
// end: the stream is against the grammar, or yield returned false. It does not skip the
// data of an inline image, so yield must return false for BI.
func Content(data []byte, yield func(op string, args []any) bool) bool {
	const most = 64 // operands
	left := maxLexed*len(data) + maxTail
	l := &lexer{b: data, left: &left}
	var args []any
	for {
		c := l.peek()
		if l.out || l.odd {
			return false
		}
		if l.pos >= len(l.b) {
			return len(args) == 0
		}
		if !isRegular(c) || isDigit(c) || c == '+' || c == '-' || c == '.' {
			v := l.value(0)
			if _, isEnd := v.(end); isEnd || len(args) >= most {
				return false
			}
			args = append(args, v)
			continue
		}
		switch word := string(l.regular()); word {
		case "true", "false":
			args = append(args, word == "true")
		case "null":
			args = append(args, nil)
		default:
			if !yield(word, args) {
				return false
			}
			args = nil
		}
	}
}
