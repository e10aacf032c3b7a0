package restamp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tcode/scanner/pdfobj"
)

// entries is the trailer of a stamped file, as a dictionary of its own and within a
// cross-reference stream. Groups 1 to 5 are Root, Info, Encrypt, the first file identifier
// and Prev; group 6 is Size.
const entries = `<</Root (\d+) 0 R\n(?:/Info (\d+) 0 R\n)?(?:/Encrypt (\d+) 0 R\n)?` +
	`(?:/ID \[(<[0-9A-Fa-f]*>|\((?:[^()\\]|\\(?s:.))*\)) <[0-9A-F]{32}>\]\n)?/Prev (\d+)\n`

var (
	started  = later(`^` + entries)
	trailers = later(`^` + entries + `/Size (\d{1,9})\n>>\n$`)
	inStream = later(`^` + entries + `/Type /XRef\n/Size (\d{1,9})\n/W \[1 4 2\]\n/Index \[[\d ]+\]\n/Length \d+\n>>$`)
)

// crossReference checks that the section at the end names the objects of the revision,
// each at its place, and leads to the section before.
func (r *revision) crossReference() error {
	slices.SortFunc(r.objects, func(a, b object) int { return a.num - b.num })
	end := fmt.Sprintf("startxref\n%d\n%%%%EOF\n", r.xref)
	text, ok := strings.CutSuffix(string(r.file[r.xref:]), end)
	if !ok {
		return other("it does not end in its cross-reference")
	}
	var m []string
	if r.xrefStream {
		m = r.sectionStream()
	} else if rest, ok := strings.CutPrefix(text, r.table()+"trailer\n"); ok {
		m = trailers().FindStringSubmatch(rest)
	}
	if m == nil {
		return other("its cross-reference is not a stamp's")
	}
	return r.trailer(m)
}

// runs calls yield with the objects in runs of consecutive numbers.
func (r *revision) runs(yield func(run []object)) {
	for i := 0; i < len(r.objects); {
		j := i + 1
		for j < len(r.objects) && r.objects[j].num == r.objects[j-1].num+1 {
			j++
		}
		yield(r.objects[i:j])
		i = j
	}
}

// table returns the cross-reference table of the objects.
func (r *revision) table() string {
	b := []byte("xref\n")
	r.runs(func(run []object) {
		b = fmt.Appendf(b, "%d %d\n", run[0].num, len(run))
		for _, o := range run {
			b = fmt.Appendf(b, "%010d 00000 n \n", o.at)
		}
	})
	return string(b)
}

// sectionStream checks the cross-reference stream, which is the last object,
// and returns the trailer's entries.
func (r *revision) sectionStream() []string {
	i := slices.IndexFunc(r.objects, func(o object) bool { return o.at == r.xref })
	o, ok := r.after.Object(pdfobj.Ref(r.objects[i].num))
	if !ok {
		return nil
	}
	data, ok := r.after.Data(o)
	var rows []byte
	var index pdfobj.Array
	r.runs(func(run []object) {
		index = append(index, run[0].num, len(run))
		for _, o := range run {
			rows = binary.BigEndian.AppendUint32(append(rows, 1), uint32(o.at))
			rows = append(rows, 0, 0)
		}
	})
	if !ok || !bytes.Equal(data, rows) || !reflect.DeepEqual(o.Dict()["Index"], index) {
		return nil
	}
	return inStream().FindStringSubmatch(r.objects[i].text)
}

// trailer compares the entries m of the newest trailer with the one before, which also
// ends a stamp.
func (r *revision) trailer(m []string) error {
	was := r.before.Trailer()
	for i, key := range []pdfobj.Name{"Root", "Info", "Encrypt"} {
		old, had := was[key].(pdfobj.Ref)
		if now := m[i+1]; had != (now != "") || had && int(old) != number(now) || !had && was.Has(key) {
			return other("its trailer has another %s", key)
		}
	}
	ids, _ := was["ID"].(pdfobj.Array)
	switch {
	case m[4] == "" && len(ids) == 0:
	case m[4] != "" && len(ids) == 2 && reflect.DeepEqual(ids[0], pdfobj.String(m[4])):
	default:
		return other("its trailer has another ID")
	}
	// Some programs ignore objects beyond Size.
	size, isInt := was["Size"].(int)
	if now := number(m[6]); !isInt || now < size || now != max(size, r.objects[len(r.objects)-1].num+1) {
		return other("its trailer has another Size")
	}
	before := r.file[:r.from]
	at := bytes.LastIndex(before, []byte("startxref\n"))
	if at < 0 || string(before[at:]) != fmt.Sprintf("startxref\n%s\n%%%%EOF\n", m[5]) {
		return other("it does not follow the revision before")
	}
	// References in the trailer before also name generation 0, because it is a stamp's.
	newest := bytes.LastIndex(before[:at], []byte("<</Root "))
	if newest < 0 || !started().Match(before[newest:at]) {
		return other("the trailer before is not a stamp's")
	}
	return nil
}
