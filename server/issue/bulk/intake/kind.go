package intake

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
)

// Marks at the beginning of files.
var (
	zipMarks    = []string{"PK\x03\x04", "PK\x05\x06"}
	packerMarks = []string{"Rar!\x1a\x07", "7z\xbc\xaf\x27\x1c", "\x1f\x8b", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "MSCF"}
	pageMarks   = []string{"<?xml", "<html", "<!doctype", "<table"}
)

const (
	oldOfficeMark = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" // also of new ones with a password
	pdfMark       = "%PDF-"
	tarMark       = "ustar" // at tarMarkAt
	tarMarkAt     = 257
	headLen       = 512 // bytes that tell the kind of a file
)

// begins reports whether a file begins with one of some marks.
func begins(file []byte, marks ...string) bool {
	for _, m := range marks {
		if bytes.HasPrefix(file, []byte(m)) {
			return true
		}
	}
	return false
}

// packed reports whether a file is packed in another way than as ZIP.
func packed(head []byte) bool {
	return begins(head, packerMarks...) || len(head) > tarMarkAt && begins(head[tarMarkAt:], tarMark)
}

// foreign returns the refusal of a file that is no CSV file, nil if it may be one.
func foreign(file []byte) *Refusal {
	switch {
	case begins(file, zipMarks...):
		if a, err := OpenArchive(bytes.NewReader(file), int64(len(file)), Limits{}); errors.Is(err, ErrOffice) {
			return a.office
		}
		return errArchive
	case begins(file, oldOfficeMark):
		return errWorkbook
	case begins(file, pdfMark), packed(file):
		return errNoTable
	case begins(bytes.ToLower(bytes.TrimLeft(decode(file[:min(len(file), headLen)]), " \t\r\n")), pageMarks...):
		return errPage
	}
	return nil
}

// notZIP returns the refusal of a file that is no ZIP archive.
func notZIP(r io.ReaderAt, size int64) error {
	head := make([]byte, min(size, headLen))
	if err := readAt(r, head, 0); err != nil {
		return err
	}
	switch text := decode(head); {
	case begins(head, zipMarks...):
		return ErrNotZIP
	case begins(head, oldOfficeMark):
		return ErrOffice
	case begins(head, pdfMark):
		return ErrPDF
	case packed(head):
		return ErrPacker
	case len(text) > 0 && !bytes.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) && !unicode.IsSpace(c) }):
		return ErrText
	}
	return ErrNotZIP
}

// Swapped reports whether a CSV file and an archive, for which [OpenArchive] returned err,
// were each sent as the other.
func Swapped(csv []byte, err error) bool {
	return errors.Is(err, ErrText) && foreign(csv) == errArchive
}

// officeOf returns the refusal as a CSV file of an archive with files of these names, if an
// office program wrote it; otherwise nil.
func officeOf(names []string) *Refusal {
	types, mime, contents := false, false, false
	for _, n := range names {
		types = types || n == "[Content_Types].xml"
		mime = mime || n == "mimetype"
		contents = contents || n == "content.xml" || strings.HasPrefix(n, "META-INF/")
	}
	switch {
	case types:
		return errWorkbook
	case mime && contents:
		return errOpenDocument
	}
	return nil
}
