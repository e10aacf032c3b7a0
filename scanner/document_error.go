package scanner

import (
	"errors"
	"fmt"

	"tcode/offline/contain"
	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

// Codes of a [DocumentError] and of a Page that could not be rendered.
const (
	FileEmpty       = "empty"
	FileUnsupported = "unsupported"
	FileEncrypted   = "encrypted"
	FileDamaged     = "damaged"
	FileTooLarge    = "too_large"
	FileTimeout     = "timeout"
	FileCrashed     = "crashed"
	// FileUnreadable: this machine could not start the process that renders, or it misbehaved. Not the file's fault.
	FileUnreadable = "unreadable"
)

// DocumentError says why a document could not be read, in words for its owner.
type DocumentError struct {
	File    string // as given to Read
	Code    string // one of the File constants
	Message string // what is wrong
	Advice  string // what to do about it
	Err     error
}

func (e *DocumentError) Error() string {
	if e.File == "" {
		return e.Message
	}
	return e.File + ": " + e.Message
}

func (e *DocumentError) Unwrap() error { return e.Err }

var (
	// errOutOfTime means a page that was not searched everywhere.
	errOutOfTime = errors.New("the time for this page is over")
	// errCloser means that other pages took the time for closer looks.
	errCloser = errors.New("the time for closer looks ran out")
)

// documentReasons is searched in order. The message of the causes that carry figures is the cause's own.
var documentReasons = []struct {
	err     error
	code    string
	message string // empty: the cause's own words
	advice  string
}{
	{raster.ErrEmpty, FileEmpty, "", "transfer the file again"},
	{raster.ErrUnsupported, FileUnsupported, "", "send a PDF, PNG, JPEG, HEIC, AVIF, TIFF, BMP, GIF, WebP, JPEG 2000 or PNM file"},
	{raster.ErrEncrypted, FileEncrypted, "", "open it with its password and save it without, or verify a print of it"},
	{raster.ErrDamaged, FileDamaged, "", "transfer the file again, or open it in a viewer and save or print it anew"},
	{raster.ErrTooLarge, FileTooLarge, "", "send the page with the stamp alone, at 300 dpi and normal size"},
	{errBudget, FileTimeout, "", "give more time (--document-time of tcode-scan), or send the page with the stamp alone"},
	{errCeiling, FileTimeout, "", "try again when this machine is less busy, or give more time (--document-time of tcode-scan)"},
	{sandbox.ErrTimeout, FileTimeout, "rendering took too long and was ended", "print the page with the stamp and verify a scan of it"},
	{sandbox.ErrMemory, FileTooLarge, "rendering took too much memory and was ended", "print the page with the stamp and verify a scan of it"},
	{errCloser, FileTimeout, "", "give more time (--document-time of tcode-scan), or send the page with the stamp alone"},
	{errOutOfTime, FileTimeout, "", "give more time, or send the part with the stamp alone"},
	{sandbox.ErrStart, FileUnreadable, "the process that renders documents could not be started", "see the log of this machine"},
	{sandbox.ErrNoMain, FileUnreadable, "", "see the log of this machine"},
	{sandbox.ErrClosed, FileUnreadable, "", "start the scanner again"},
	{sandbox.ErrKilled, FileUnreadable, "the process that renders documents was killed from outside, or for want of memory", "try again"},
	{sandbox.ErrCrashed, FileCrashed, "the process that renders it crashed, which says nothing about the document; the file may be damaged or hostile", "do not trust the file; ask its issuer for a fresh copy"},
	{sandbox.ErrProtocol, FileCrashed, "the process that renders it went astray, which says nothing about the document; the file may be damaged or hostile", "do not trust the file; ask its issuer for a fresh copy"},
}

// Failed returns the error of a file on which this program had the fault err, which package contain returned. A
// DocumentError stays as it is.
func Failed(file string, err error) *DocumentError {
	if known, ok := errors.AsType[*DocumentError](err); ok {
		return known
	}
	return &DocumentError{
		File: file, Code: FileCrashed, Err: err,
		Message: fmt.Sprintf("the scanner failed on this file: %v; this says nothing about the document", err),
		Advice:  "report this with the log of this machine; scan the document at another resolution",
	}
}

// documentError puts err in the words of its reason.
func documentError(file string, err error) *DocumentError {
	if contain.Fault(err) {
		return Failed(file, err)
	}
	for _, r := range documentReasons {
		if !errors.Is(err, r.err) {
			continue
		}
		message := r.message
		if message == "" {
			message = err.Error()
		}
		advice := r.advice
		if e, ok := errors.AsType[*raster.Error](err); ok && e.Advice != "" {
			advice = e.Advice
		}
		return &DocumentError{File: file, Code: r.code, Message: message, Advice: advice, Err: err}
	}
	return &DocumentError{
		File: file, Code: FileUnreadable, Message: fmt.Sprintf("it could not be read: %v", err),
		Advice: "see the log of this machine", Err: err,
	}
}
