package elements

import "strings"

// Separator is the character between two fields, and after a GS1 element of variable length.
const Separator = "\x1d"

// An Element is a GS1 element string: an application identifier (AI) and its value.
type Element struct {
	AI    string `json:"ai"`    // 2 to 4 digits
	Value string `json:"value"` // without separators; empty only if the symbol has it so

	ended bool // a separator follows
}

// fixed are the lengths of the elements, AI included, that end without a separator, by the first two digits of their AI
// (GS1 General Specifications, "Element strings with pre-defined length").
var fixed = map[string]int{
	"00": 20, "01": 16, "02": 16, "03": 16, "04": 18,
	"11": 8, "12": 8, "13": 8, "14": 8, "15": 8, "16": 8, "17": 8, "18": 8, "19": 8, "20": 4,
	"31": 10, "32": 10, "33": 10, "34": 10, "35": 10, "36": 10, "41": 16,
}

// digits are the lengths of AIs by their first two digits (GS1 General Specifications, "GS1 Application Identifiers").
var digits = map[string]int{
	"00": 2, "01": 2, "02": 2, "03": 2, "04": 2,
	"10": 2, "11": 2, "12": 2, "13": 2, "14": 2, "15": 2, "16": 2, "17": 2, "18": 2, "19": 2,
	"20": 2, "21": 2, "22": 2, "23": 3, "24": 3, "25": 3, "30": 2,
	"31": 4, "32": 4, "33": 4, "34": 4, "35": 4, "36": 4, "37": 2, "39": 4,
	"40": 3, "41": 3, "42": 3, "43": 4, "70": 4, "71": 3, "72": 4, "80": 4, "81": 4, "82": 4,
	"90": 2, "91": 2, "92": 2, "93": 2, "94": 2, "95": 2, "96": 2, "97": 2, "98": 2, "99": 2,
}

// GS1 returns the elements of text, the data of a symbol in GS1 format without the FNC1 that marks it. ok is false if text
// is none: an AI of no known length, or an element of fixed length that is too short or holds a separator.
// [Join] returns text again.
func GS1(text string) (all []Element, ok bool) {
	for text != "" {
		if len(text) < 2 {
			return nil, false
		}
		n, fix := digits[text[:2]], fixed[text[:2]]
		if n == 0 || len(text) < n || strings.Trim(text[:n], "0123456789") != "" {
			return nil, false
		}
		e := Element{AI: text[:n]}
		value, rest, ended := strings.Cut(text[n:], Separator)
		if fix > 0 {
			if len(text) < fix || strings.Contains(text[:fix], Separator) {
				return nil, false
			}
			value, rest = text[n:fix], text[fix:]
			rest, ended = strings.CutPrefix(rest, Separator) // needless, but some writers put it
		}
		e.Value, e.ended = value, ended
		all = append(all, e)
		text = rest
	}
	return all, len(all) > 0
}

// Join returns the text of which [GS1] returned all.
func Join(all []Element) string {
	var out strings.Builder
	for _, e := range all {
		out.WriteString(e.AI + e.Value)
		if e.ended {
			out.WriteString(Separator)
		}
	}
	return out.String()
}

// String returns e as people write it, such as "(01)09521234543213".
func (e Element) String() string { return "(" + e.AI + ")" + e.Value }
