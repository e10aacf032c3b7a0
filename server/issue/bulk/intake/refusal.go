package intake

import "tcode/server/fault"

// A Refusal is why a file is not taken and what to do next, in words for who made it.
type Refusal struct {
	fault.Text
	kind *Refusal // that has no parts yet; nil: this is one
}

func refusal(key string) *Refusal { return &Refusal{Text: fault.Text{Key: key}} }

// of returns a refusal of kind r, whose key is a format, with its parts.
func (r *Refusal) of(args ...any) *Refusal { return &Refusal{fault.Say(r.Key, args...), r} }

// Error returns the words in English.
func (r *Refusal) Error() string { return r.String() }

// Is reports whether r is of the kind err.
func (r *Refusal) Is(err error) bool { return err == error(r.kind) }

// Refusals of an archive as a whole.
var (
	ErrNotZIP = refusal("the file is not a ZIP archive, or is cut off; pack the PDFs into a ZIP archive, and send that")
	ErrPacker = refusal("the file is packed, but not as ZIP; pack the PDFs into a ZIP archive, and send that")
	ErrText   = refusal("the file sent as ZIP archive is a text; pack the PDFs into a ZIP archive, and send that")
	ErrOffice = refusal("the file sent as ZIP archive is an office document; pack the PDFs into a ZIP archive, and send that")
	ErrPDF    = refusal("the file sent as ZIP archive is a PDF; pack it into a ZIP archive, and send that")

	ErrTooMany    = refusal("the ZIP archive has more than %d entries; split it and its CSV file into several jobs")
	ErrParts      = refusal("the ZIP archive is one of several parts; pack the files into a single one")
	ErrOverlap    = refusal("entries of the ZIP archive share bytes; pack the files anew")
	ErrSameName   = refusal("two entries of the ZIP archive have the name %q; rename one of the files, and pack them anew")
	ErrUnsafeName = refusal("the entry %q of the ZIP archive has a name that leads out of its folder; pack the files anew, in one folder")
)

// Refusals of one file of an archive.
var (
	ErrNoFile     = refusal("is not in the ZIP archive; pack the file too, or correct the name")
	errNear       = refusal("is not in the ZIP archive; did you mean %q?")
	ErrAmbiguous  = refusal("may be %q or %q in the ZIP archive; give the whole name, with the folder")
	ErrEncrypted  = refusal("is encrypted in the ZIP archive; pack it without a password")
	ErrMethod     = refusal("is packed in a way other than store or deflate; pack it as an ordinary ZIP archive")
	ErrFileLength = refusal("is larger than %d MiB; save the PDF smaller, for example with pictures of fewer pixels")
	ErrRatio      = refusal("is packed more than %d to 1, which no PDF is; make the PDF anew")
	ErrDamaged    = refusal("is damaged in the ZIP archive; pack the files anew")
)

// Refusals of a file that is no CSV file.
var (
	errWorkbook     = refusal("the CSV file is an Excel workbook; save it in Excel as \"CSV UTF-8\", and send that file")
	errOpenDocument = refusal("the CSV file is an OpenDocument file; save it as CSV with the character set UTF-8, and send that file")
	errArchive      = refusal("the CSV file is a ZIP archive; send the table of the rows as CSV, and the PDFs as ZIP")
	errPage         = refusal("the CSV file is a web page or XML; open it in a spreadsheet program, save it as \"CSV UTF-8\", and send that file")
	errNoTable      = refusal("the CSV file is a PDF or packed; save the table of the rows as \"CSV UTF-8\", and send that file")

	// ErrSwapped is that of a CSV file and an archive of which each was sent as the other.
	ErrSwapped = refusal("the CSV file and the ZIP archive are swapped; send the CSV file as CSV and the ZIP archive as ZIP")
)
