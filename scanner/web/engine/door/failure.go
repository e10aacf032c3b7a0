package door

import (
	"context"
	"errors"

	"tcode/offline/contain"
	"tcode/offline/host/journal"
	"tcode/offline/host/twofold"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/link"
	"tcode/sync/feed"
	"tcode/sync/outbox"
	"tcode/sync/transport"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// A Failure is the error of a reply. Code is one of PROTOCOL.md.
type Failure struct {
	Code        string `json:"code"`
	Message     string `json:"message"`
	Advice      string `json:"advice,omitempty"`
	Document    string `json:"document,omitempty"` // code of tcode-scan
	Fingerprint string `json:"fingerprint,omitempty"`
	Status      int    `json:"status,omitempty"`  // HTTP status
	Gateway     string `json:"gateway,omitempty"` // of other_origin
}

func (f *Failure) Error() string { return f.Message }

// codes are the codes of errors that need nothing but their message, the special ones first.
var codes = []struct {
	is   error
	code string
}{
	{engine.ErrBusy, "busy"},
	{engine.ErrFrame, "request"},
	{engine.ErrNotTCode, "request"},
	{engine.ErrTooLarge, "too_large"},
	{engine.ErrPicture, "document"},
	{journal.ErrOwned, "in_use"},
	{journal.ErrClosed, "in_use"},
	{journal.ErrFull, "full"},
	{twofold.ErrUncertain, "damaged"},
	{outbox.ErrReopen, "not_stored"},
	{journal.ErrBroken, "not_stored"},
	{outbox.ErrNoScan, "not_found"},
	{outbox.ErrTransition, "request"},
	{outbox.ErrSyncing, "syncing"},
	{outbox.ErrOtherDevice, "damaged"},
	{trustbook.ErrNotEnrolled, "not_enrolled"},
	{trustbook.ErrOtherRoot, "other_root"},
	{trust.ErrFingerprint, "fingerprint"},
	{trustbook.ErrBelowProof, "refused"},
	{trustbook.ErrExport, "refused"},
	{trustbook.ErrNothing, "not_enrolled"},
	{trustbook.ErrState, "damaged"},
	{link.ErrNoGateway, "no_gateway"},
	{feed.ErrNoGateway, "no_gateway"},
	{wire.ErrEnrolmentCode, "request"},
	{wire.ErrAddress, "request"},
	{uplink.ErrNoTrust, "not_enrolled"},
	{uplink.ErrReceipt, "gateway"},
	{uplink.ErrUnreachable, "offline"},
	{feed.ErrTimeout, "offline"},
	{feed.ErrTooLarge, "gateway"},
	{context.DeadlineExceeded, "offline"},
}

// failureOf puts an error in the codes of PROTOCOL.md.
func failureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	f := &Failure{Code: "internal", Message: err.Error()}
	if _, ok := errors.AsType[*contain.Panic](err); ok { // the engine goes on
		f.Code, f.Document, f.Advice = "document", "crashed", "show it in another way, or scan a print of it"
		f.Message = "the reader failed on this: " + err.Error() + "; that says nothing about the document"
		return f
	}
	if e, ok := errors.AsType[*engine.DocumentError](err); ok {
		f.Code, f.Document, f.Message, f.Advice = "document", e.Code, e.Message, e.Advice
		if errors.Is(err, engine.ErrTooLarge) {
			f.Code = "too_large"
		}
		return f
	}
	for _, c := range codes {
		if errors.Is(err, c.is) {
			f.Code = c.code
			return f
		}
	}
	if e, ok := errors.AsType[*uplink.RefusedError](err); ok {
		f.Code, f.Status = "gateway", e.Status
	} else if e, ok := errors.AsType[*feed.StatusError](err); ok {
		f.Code, f.Status = "gateway", e.Status
	} else if _, ok := errors.AsType[*trust.DocumentError](err); ok {
		f.Code = "refused"
	} else if _, ok := errors.AsType[*transport.Error](err); ok {
		f.Code = "offline"
	}
	return f
}
