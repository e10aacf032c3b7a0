package placement

import (
	"errors"
	"strconv"
	"strings"
)

// MaxPage is the highest page that may be named: no longer file is stamped.
const MaxPage = 500

// Problems of a list of pages. The words are for people.
var (
	errPages     = errors.New("must be pages and ranges such as 1,3-5,-1")
	errPageZero  = errors.New("has no page 0: 1 is the first page, -1 the last")
	errPageLarge = errors.New("must not name pages beyond 500")
	errPageOrder = errors.New("must not hold a range that ends before it begins")
	errPageSigns = errors.New("must not hold a range from one end of the file to the other")
)

// ParsePages reads a list such as "1,3-5,-1": pages and ranges, 1 is the first
// page and -1 the last, blanks do not count. Both ends of a range count from
// the same end of the file ("-3--1" are the last three), because how many pages
// lie between others only the file knows. Pages come in the order of the list,
// each once.
func ParsePages(s string) ([]int, error) {
	var pages []int
	seen := map[int]bool{}
	for item := range strings.SplitSeq(s, ",") {
		from, to, err := pageRange(strings.ReplaceAll(item, " ", ""))
		if err != nil {
			return nil, err
		}
		for n := from; n <= to; n++ {
			if !seen[n] {
				seen[n] = true
				pages = append(pages, n)
			}
		}
	}
	return pages, nil
}

// pageRange reads one item: a page, or two with a hyphen between.
func pageRange(item string) (from, to int, err error) {
	if item == "" {
		return 0, 0, errPages
	}
	first, second := item, item
	if i := strings.IndexByte(item[1:], '-'); i >= 0 { // a sign is no hyphen between
		first, second = item[:i+1], item[i+2:]
	}
	if from, err = pageNumber(first); err != nil {
		return 0, 0, err
	}
	if to, err = pageNumber(second); err != nil {
		return 0, 0, err
	}
	switch {
	case from > 0 != (to > 0):
		return 0, 0, errPageSigns
	case from > to:
		return 0, 0, errPageOrder
	}
	return from, to, nil
}

func pageNumber(s string) (int, error) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, errPages
	}
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil || n > MaxPage:
		return 0, errPageLarge
	case n == 0:
		return 0, errPageZero
	case s[0] == '-':
		return -n, nil
	}
	return n, nil
}
