// Package bulk makes many documents of one upload: a CSV file with a row for
// each, and a ZIP archive of their PDFs.
//
//	Order ─▶ Service.Create ─▶ Job, woken in the same transaction
//	                             │
//	   Runner.Run, under a lease ▼
//	   files ─▶ package intake ─▶ every row checked ─┬─ problems: Failed, nothing was made
//	                                                 ├─ dry run: Completed
//	                                                 ▼
//	                       rows Pending ─▶ Maker.Make, concurrently ─▶ Succeeded, in the document's own transaction
//	                                                 │                    Failed, with what to correct
//	                       cancel, checked between rows: the rest is Skipped
//
// The transaction of a document also writes its row's outcome: whichever process is
// killed, a row is made once, and one that was not made is still Pending. A condition
// that stops all rows (a full disk, a database that is away) is no row's failure:
// the job waits and continues.
package bulk

import (
	"time"

	"tcode/server/issue/bulk/intake"
	"tcode/server/issue/trustdoc"
)

// Limits of an upload.
const (
	MaxRows = 5_000
	MaxCSV  = 8 << 20   // bytes: 1.6 KiB a row; memory holds all rows together
	MaxZIP  = 200 << 20 // bytes
	MaxName = 200       // characters
)

// Product is the kind of document that the rows of a job become.
type Product string

// The products.
const (
	TCode Product = "tcode" // stamps
	Trust Product = "trust" // Trust documents
)

// An Order holds the instructions for a job, other than its files.
type Order struct {
	Product Product
	Name    string `json:",omitempty"` // for people; may be ""
	DryRun  bool   // check the files and stop
	Test    bool   // the rows become test documents

	// Of TCode.
	TdocTemplateID      string // "" if none
	PlacementTemplateID string // "" if none

	// Of Trust.
	TemplateID string
	Path       trustdoc.Path
	Validity   trustdoc.Validity
}

// A Job is one bulk job, as its tenant sees it.
type Job struct {
	ID     string // UUIDv7
	Tenant string
	Order
	Status Status

	CSV, ZIP     File // as they were uploaded
	Problems     []intake.Problem
	MoreProblems int // beyond those in Problems
	Unmatched    Unmatched
	Message      string // why the job as a whole failed; "" if it did not
	Counts       Counts
	Accepted     bool     // the files were found good, and their rows kept
	Columns      []string // of the CSV file, once it was read
	Checked      string   // the dry run whose files it has; "" if none

	By           string    // [tenant.Identity.Author] of the key or user that ordered it, or last had it retried
	ScheduledFor time.Time // zero: immediately
	CreatedAt    time.Time
	StartedAt    time.Time // when rows were first made; zero: not yet
	FinishedAt   time.Time // zero: not yet
	UpdatedAt    time.Time
}

// A File is an uploaded file in the blob store.
type File struct {
	SHA256 string // hex
	Bytes  int64  // below 0: the file was deleted
	Copy   int    // as which it was put; not stored
}

// Gone reports whether the file was deleted: its time was over, or a record that was made
// of it was erased.
func (f File) Gone() bool { return f.Bytes < 0 }

// Counts holds the number of a job's rows in each state.
type Counts struct {
	Total, Succeeded, Failed, Skipped int
}

// Pending returns the number of rows that are still to be made.
func (c Counts) Pending() int { return c.Total - c.Processed() }

// Processed returns the number of rows that have an outcome.
func (c Counts) Processed() int { return c.Succeeded + c.Failed + c.Skipped }

// A Row is one row of a job whose files were found good.
type Row struct {
	Number    int // from 1, as rows are counted by people
	Line      int // where it begins in the CSV file, from 1
	State     RowState
	File      string            // name in the archive; "" if it names none
	Cells     map[string]string // by column
	Made      Made              // once it succeeded
	Code      string            // of the fault that it failed by, see package fault
	Message   string            // one sentence on it for people
	Warnings  []string          // of the document that it became
	UpdatedAt time.Time
}

// Made is the document that a row became.
type Made struct {
	ID        string
	Reference string
}
