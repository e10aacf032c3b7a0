package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tcode/server/fault"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

// DeviceFlag is the sign of two devices with one key: a home folder that was copied, or
// restored from an old copy.
type DeviceFlag string

// The flags. The words are in the database.
const (
	SeqReused   DeviceFlag = "seq_reused"    // one number with two scan ids
	SeqWentBack DeviceFlag = "seq_went_back" // a later scan with a lower number
)

// A Device is the gateway's record of a device that signs its batches.
type Device struct {
	ScannerID       string
	FirstAt, LastAt time.Time // gateway clock; of its first and its last batch with new scans
	LastSeq         uint64    // the highest
	LastScan        time.Time // device's clock at the scan with LastSeq
	Scans           int       // stored scans

	Flag      DeviceFlag // "": none
	FlagSeq   uint64     // of the last scan that shows a second device
	FlagScan  string     // id of that scan
	FlagOther string     // id of the scan that had the number, "" if the number went back
	FlagCount int        // number of such scans since the flag was last cleared
	FlaggedAt time.Time
	ClearedAt time.Time // zero: never

	ClockEvents int // number of events reported

	KnownAt  time.Time // of its first batch with a scan of a live stamp; zero: none had one
	DayAt    time.Time // since then it has stored
	DayBytes int64     // as a proven device, of known stamps

	Name      string    // given by an operator
	Refused   string    // why the gateway takes no scans of it; "": it does
	RefusedAt time.Time // zero: it is not refused
}

// A ClockEvent is a correction of its clock that a device reported.
type ClockEvent struct {
	wire.ClockEvent
	ReceivedAt time.Time // gateway clock
}

// A DevicePage is one page of devices, in the order of their ids.
type DevicePage struct {
	Items []Device
	More  bool // there are more
}

// DeviceStore stores devices. Package store implements it.
type DeviceStore interface {
	// Devices returns at most limit devices in the order of scanner ids, after one.
	Devices(ctx context.Context, flagged bool, after string, limit int) ([]Device, error)
	// ClockEvents returns the newest clock events of a device, newest first.
	ClockEvents(ctx context.Context, scannerID string, limit int) ([]ClockEvent, error)
	// ClearDevice removes the flag from a device. It is a NotFound fault if there is no such
	// device.
	ClearDevice(ctx context.Context, scannerID string, at time.Time) error
	// ChangeDevice stores the name and the refusal that change returns for a device, which may
	// be new. If both are as before, it stores nothing.
	ChangeDevice(ctx context.Context, scannerID string, change func(Device) (Device, error), audit *tenant.Entry) error
}

// A Clone is one scan that shows a second device with the same key.
type Clone struct {
	Row   ScanRow
	Flag  DeviceFlag
	Other string // id of the scan that has the number, or ""
}

// watch updates a device's record with the new scans and the number of new clock events,
// and finds scans that a second device with its key must have made. Scans are stored in
// any case.
//
// news: the batch has stored something, if only a second scan under an id.
func (run *syncRun) watch(ctx context.Context, fresh []ScanRow, events int, news bool) error {
	d, now := run.device, run.now
	if len(fresh) == 0 && events == 0 && !news {
		return nil
	}
	clones, err := findClones(ctx, run.tx, d, fresh)
	if err != nil {
		return err
	}
	for i := range clones {
		if err := run.budget.tell(ctx, &clones[i].Row); err != nil {
			return err
		}
	}
	if d.FirstAt.IsZero() {
		d.FirstAt = now
	}
	if d.Scans, d.ClockEvents = d.Scans+len(fresh), d.ClockEvents+events; len(fresh) > 0 || events > 0 {
		d.LastAt = now
	}
	for _, r := range fresh {
		if r.Found && !r.Test && d.KnownAt.IsZero() {
			d.KnownAt = now
		}
		if r.Item.Seq > d.LastSeq {
			d.LastSeq, d.LastScan = r.Item.Seq, r.Item.ScannedAt
		}
	}
	if n := len(clones); n > 0 {
		last := clones[n-1]
		d.Flag, d.FlagSeq, d.FlagScan, d.FlagOther = last.Flag, last.Row.Item.Seq, last.Row.Item.ScanID, last.Other
		d.FlagCount, d.FlaggedAt = d.FlagCount+n, now
	}
	return run.tx.PutDevice(ctx, d, clones)
}

// findClones returns the scans that d itself cannot have made. Numbers above the highest
// need no query: no scan has them yet.
func findClones(ctx context.Context, tx SyncTx, d Device, fresh []ScanRow) ([]Clone, error) {
	var seqs []uint64
	seen := make(map[uint64]bool)
	for _, r := range fresh {
		if seq := r.Item.Seq; seq > 0 && (seq <= d.LastSeq || seen[seq]) {
			seqs = append(seqs, seq)
		}
		seen[r.Item.Seq] = true
	}
	if len(seqs) == 0 {
		return nil, nil
	}
	slices.Sort(seqs)
	holders, err := tx.ScansNumbered(ctx, d.ScannerID, slices.Compact(seqs))
	if err != nil {
		return nil, fmt.Errorf("look for scans by number: %w", err)
	}
	var clones []Clone
	for _, r := range fresh {
		seq := r.Item.Seq
		switch first := holders[seq]; {
		case seq == 0:
		case first != "" && first != r.Item.ScanID:
			clones = append(clones, Clone{r, SeqReused, first})
		case seq < d.LastSeq && r.Item.ScannedAt.After(d.LastScan):
			clones = append(clones, Clone{Row: r, Flag: SeqWentBack})
		}
	}
	return clones, nil
}

// devicesAtOnce is the size of a page of devices.
const devicesAtOnce = 100

// Devices returns a page of the devices that sign, in the order of their ids, after one
// ("": from the first); with flagged, only the flagged ones.
func (s *Service) Devices(ctx context.Context, flagged bool, after string) (DevicePage, error) {
	items, err := s.c.Store.Devices(ctx, flagged, after, devicesAtOnce+1)
	p := DevicePage{Items: items}
	if len(items) > devicesAtOnce {
		p = DevicePage{Items: items[:devicesAtOnce], More: true}
	}
	return p, err
}

// clockEventsShown is the number of clock events that are shown for a device.
const clockEventsShown = 200

// ClockEvents returns the newest corrections of a device's clock, newest first.
func (s *Service) ClockEvents(ctx context.Context, scannerID string) ([]ClockEvent, error) {
	return s.c.Store.ClockEvents(ctx, scannerID, clockEventsShown)
}

// ClearDevice removes the flag from a device, after its operator has found the reason.
// Another sign of a second device sets it again.
func (s *Service) ClearDevice(ctx context.Context, scannerID string) error {
	if scannerID == "" {
		return fault.New(fault.NotFound, fault.CodeNotFound, "no device has an empty id")
	}
	return s.c.Store.ClearDevice(ctx, scannerID, s.c.Now())
}

// The actions on devices, for the audit log.
const (
	ActionDeviceName   = "device.name"
	ActionDeviceRefuse = "device.refuse"
	ActionDeviceAccept = "device.accept"
)

// NameDevice gives a device a name, for operators only. An empty one removes it.
func (s *Service) NameDevice(ctx context.Context, scannerID, name string) error {
	if utf8.RuneCountInString(name) > fault.MaxName || strings.ContainsFunc(name, unicode.IsControl) {
		return fault.New(fault.Invalid, fault.CodeValidationFailed, "a device's name has at most %d characters, on one line", fault.MaxName)
	}
	return s.changeDevice(ctx, scannerID, ActionDeviceName, func(d Device) Device {
		d.Name = name
		return d
	})
}

// RefuseDevice makes the gateway refuse all batches that a device signs, for a reason that the
// device shows. Its scans stay on it, and arrive once it is accepted again. The device may be one
// that has sent nothing yet. Scans that arrived before stay.
func (s *Service) RefuseDevice(ctx context.Context, scannerID, reason string) error {
	if reason = strings.TrimSpace(reason); reason == "" || utf8.RuneCountInString(reason) > fault.MaxName || strings.ContainsFunc(reason, unicode.IsControl) {
		return fault.New(fault.Invalid, fault.CodeValidationFailed, "a device is refused for a reason of at most %d characters, on one line", fault.MaxName)
	}
	return s.changeDevice(ctx, scannerID, ActionDeviceRefuse, func(d Device) Device {
		if d.Refused = reason; d.RefusedAt.IsZero() {
			d.RefusedAt = s.c.Now()
		}
		return d
	})
}

// AcceptDevice takes back [Service.RefuseDevice].
func (s *Service) AcceptDevice(ctx context.Context, scannerID string) error {
	return s.changeDevice(ctx, scannerID, ActionDeviceAccept, func(d Device) Device {
		d.Refused, d.RefusedAt = "", time.Time{}
		return d
	})
}

// changeDevice changes what operators decide. Only a refusal may be about a device that was not
// seen before.
func (s *Service) changeDevice(ctx context.Context, scannerID, action string, change func(Device) Device) error {
	if !wire.IsDeviceID(scannerID) {
		return fault.New(fault.NotFound, fault.CodeNotFound, "%q is no id of a device: dev_ and 26 characters, as the device shows it", scannerID)
	}
	return s.c.Store.ChangeDevice(ctx, scannerID, func(d Device) (Device, error) {
		if d.FirstAt.IsZero() && d.RefusedAt.IsZero() && d.Name == "" && action != ActionDeviceRefuse {
			return d, fault.New(fault.NotFound, fault.CodeNotFound, "no device with the id %s has sent scans", scannerID)
		}
		return change(d), nil
	}, tenant.NewEntry(ctx, "", action, scannerID, s.c.Now()))
}

// refused returns the fault of a device whose batches are refused, or nil.
func (d Device) refused() error {
	if d.RefusedAt.IsZero() {
		return nil
	}
	f := fault.New(fault.Forbidden, fault.CodeForbidden, "this device is refused: %s. Its scans stay on it", strings.TrimSuffix(d.Refused, "."))
	f.Reason = fault.ReasonDeviceRefused
	return f
}
