package prepared

import (
	_ "embed"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// rowsText has the rows of the classes, in sections [NAME]. Tabs separate the
// cells of a row. A cell in double quotes is a Go string; {WORD} stands for one of
// phrases.
//
//go:embed rows.txt
var rowsText string

// phrases are texts that many rows contain.
var phrases = strings.NewReplacer("{honest}", honest, "{other}", other, "{blot}", blot, "{covered}", covered,
	"{overlay}", overlay, "{tint}", tint, "{box}", box, "{drawn}", drawn, "{anew}", anew, "{show9}", show9, "{root}", root,
	"{helvetica}", helvetica, "{a4}", a4, "{drafted}", drafted)

// rowsOf returns the rows of a section. A name that is not there, or a cell that is no
// Go string, is a fault of the file, and panics.
func rowsOf(section string) (all [][]string) {
	_, text, ok := strings.Cut(rowsText, "["+section+"]\n")
	if !ok {
		panic("rows.txt has no section " + section)
	}
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		cells := strings.Split(line, "\t")
		for i, c := range cells {
			if strings.HasPrefix(c, `"`) {
				s, err := strconv.Unquote(c)
				if err != nil {
					panic(fmt.Sprintf("rows.txt, section %s: %s: %v", section, c, err))
				}
				c = s
			}
			cells[i] = phrases.Replace(c)
		}
		all = append(all, cells)
	}
	return all
}

// makers are functions that make a variant, by the word in the first cell of a row.
// Their parameters are strings, integers and, at the end, values that rows do not give.
type makers map[string]any

// madeOf returns the variants of a section: each row is a call of one of by.
func madeOf(section string, by makers) (all []variant) {
	for _, row := range rowsOf(section) {
		f := reflect.ValueOf(by[row[0]])
		t := f.Type()
		var args []reflect.Value
		for i, cell := range row[1:] {
			arg := reflect.ValueOf(cell)
			if n, err := strconv.Atoi(cell); err == nil && i < t.NumIn() && t.In(i).Kind() == reflect.Int {
				arg = reflect.ValueOf(n)
			}
			args = append(args, arg)
		}
		for i := len(args); i < t.NumIn() && !t.IsVariadic(); i++ {
			args = append(args, reflect.Zero(t.In(i)))
		}
		all = append(all, f.Call(args)[0].Interface().(variant))
	}
	return all
}
