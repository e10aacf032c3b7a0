package verify

import (
	"context"
	"strconv"
	"time"

	"tcode/offline"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

// A TenantDevice is a device as one tenant sees it. Devices belong to no tenant: a tenant
// sees those that signed scans of its own stamps. Name and refusal are the tenant's own,
// other tenants do not see them, and they change no answer to the device.
//
// A refusal marks and does not drop: the scans of the device are stored as before, each
// once, and are listed with the mark until the device is accepted again. Only an operator
// can refuse a device's batches ([Service.RefuseDevice]), because one batch has the scans
// of several tenants' stamps.
type TenantDevice struct {
	Tenant    string
	ScannerID string
	FirstAt   time.Time // gateway clock; of the first batch with a scan of the tenant's stamps
	LastAt    time.Time // of the last such batch
	LastScan  time.Time // device's clock; of the latest such scan
	Scans     int       // stored scans of the tenant's stamps
	Findings  int       // of these, those that have a finding

	// TrustVersion is the highest version of trust documents by which it judged such a scan;
	// 0: it named none. It is the Unix time of their publication, or little more.
	TrustVersion uint64
	Skew         time.Duration // its clock minus the gateway's, at its last such batch
	SkewKnown    bool

	Name      string    // the tenant's own
	Refused   string    // the tenant's reason; "": not refused
	RefusedAt time.Time // zero: not refused

	// Of the device itself, whatever stamps it scans.
	LastSync          time.Time // of its last batch with anything new
	Flag              DeviceFlag
	FlaggedAt         time.Time
	ClockEvents       int  // corrections of its clock
	RefusedByOperator bool // its batches are not taken
}

// A Freshness says how old the status was that a device last judged by.
type Freshness string

// The degrees of freshness, by the limits of scanners.
const (
	Fresh   Freshness = "fresh"
	Stale   Freshness = "stale"   // its VALID says that it is stale
	TooOld  Freshness = "too_old" // it answers UNVERIFIED
	Unknown Freshness = "unknown"
)

// TrustAt returns the time of the trust documents that the device last judged by; zero:
// not known.
func (d TenantDevice) TrustAt() time.Time {
	if d.TrustVersion == 0 || d.TrustVersion > 1<<40 { // no time of this age
		return time.Time{}
	}
	return time.Unix(int64(d.TrustVersion), 0).UTC()
}

// Freshness returns how old those are at a time.
func (d TenantDevice) Freshness(now time.Time) Freshness {
	switch at := d.TrustAt(); {
	case at.IsZero():
		return Unknown
	case now.Sub(at) <= offline.DefaultFresh:
		return Fresh
	case now.Sub(at) <= offline.DefaultHardExpiry:
		return Stale
	}
	return TooOld
}

// A TenantDeviceFilter selects a tenant's devices. Zero members select all.
type TenantDeviceFilter struct {
	Refused   bool      // only those that the tenant refuses
	Flagged   bool      // only those with findings, or of which there seem to be two
	Freshness Freshness // only those of this freshness now

	// At is set by the service: the time for Freshness.
	At time.Time
}

// A TenantDevicePage is one page of a tenant's devices, the last ones to send first.
type TenantDevicePage struct {
	Page
	Items             []TenantDevice
	TotalCount        int
	TotalIsLowerBound bool
}

// CountedDevices is the limit of an exact count of devices.
const CountedDevices = 10_000

// A DeviceCount is a number of devices. More than [CountedDevices] means that there are more than
// those.
type DeviceCount int

// String returns the number in digits, or "10,000+".
func (n DeviceCount) String() string {
	if n > CountedDevices {
		return "10,000+"
	}
	return strconv.Itoa(int(n))
}

// TenantDeviceCounts are numbers of a tenant's devices.
type TenantDeviceCounts struct {
	All, Fresh, Stale, TooOld, Unknown DeviceCount // by freshness
	Refused                            DeviceCount
	Flagged                            DeviceCount // as [TenantDeviceFilter.Flagged]
}

// TenantDeviceStore stores what tenants know of devices. Package store implements it.
type TenantDeviceStore interface {
	// TenantDevices returns one page of a tenant's devices.
	TenantDevices(ctx context.Context, tenant string, f TenantDeviceFilter, p Page) (TenantDevicePage, error)
	// TenantDevice returns a NotFound fault if the device scanned no stamp of the tenant.
	TenantDevice(ctx context.Context, tenant, scannerID string) (TenantDevice, error)
	// CountTenantDevices counts a tenant's devices.
	CountTenantDevices(ctx context.Context, tenant string, now time.Time) (TenantDeviceCounts, error)
	// ChangeTenantDevice stores the name and the refusal that change returns, and returns the
	// device. If both are as before, it stores nothing.
	ChangeTenantDevice(ctx context.Context, tenant, scannerID string, change func(TenantDevice) TenantDevice, audit *tenant.Entry) (TenantDevice, error)
}

// TenantDevices returns one page of the devices that scanned a tenant's stamps.
func (s *Service) TenantDevices(ctx context.Context, tenantRef string, f TenantDeviceFilter, p Page) (TenantDevicePage, error) {
	var bad fault.Fields
	p.Number, p.Size = stamp.CheckPage(&bad, p.Number, p.Size)
	switch f.Freshness {
	case "", Fresh, Stale, TooOld, Unknown:
	default:
		bad.Add("Freshness", "must be fresh, stale, too_old or unknown")
	}
	if err := bad.Err(); err != nil {
		return TenantDevicePage{}, err
	}
	f.At = s.c.Now()
	return s.c.Store.TenantDevices(ctx, tenantRef, f, p)
}

// TenantDevice returns one device, or a NotFound fault if it scanned no stamp of the
// tenant.
func (s *Service) TenantDevice(ctx context.Context, tenantRef, scannerID string) (TenantDevice, error) {
	if !wire.IsDeviceID(scannerID) {
		return TenantDevice{}, ErrNoTenantDevice
	}
	return s.c.Store.TenantDevice(ctx, tenantRef, scannerID)
}

// ErrNoTenantDevice is the fault of a device that scanned no stamp of a tenant.
var ErrNoTenantDevice = fault.New(fault.NotFound, fault.CodeNotFound, "no device with this id has scanned a stamp of yours")

// CountTenantDevices counts the devices that scanned a tenant's stamps.
func (s *Service) CountTenantDevices(ctx context.Context, tenantRef string) (TenantDeviceCounts, error) {
	return s.c.Store.CountTenantDevices(ctx, tenantRef, s.c.Now())
}

// TenantClockEvents is [Service.ClockEvents] of a device that scanned a stamp of the
// tenant.
func (s *Service) TenantClockEvents(ctx context.Context, tenantRef, scannerID string) ([]ClockEvent, error) {
	if _, err := s.TenantDevice(ctx, tenantRef, scannerID); err != nil {
		return nil, err
	}
	return s.ClockEvents(ctx, scannerID)
}

// NameTenantDevice gives a device a name that only the tenant sees. An empty one removes
// it.
func (s *Service) NameTenantDevice(ctx context.Context, tenantRef, scannerID, name string) (TenantDevice, error) {
	if err := checkLine("name", name, false); err != nil {
		return TenantDevice{}, err
	}
	return s.changeTenantDevice(ctx, tenantRef, scannerID, ActionDeviceName, func(d TenantDevice) TenantDevice {
		d.Name = name
		return d
	})
}

// RefuseTenantDevice marks the scans of the tenant's stamps that a device sends from now
// on, for a reason that only the tenant sees; see [TenantDevice].
func (s *Service) RefuseTenantDevice(ctx context.Context, tenantRef, scannerID, reason string) (TenantDevice, error) {
	if err := checkLine("reason", reason, true); err != nil {
		return TenantDevice{}, err
	}
	return s.changeTenantDevice(ctx, tenantRef, scannerID, ActionDeviceRefuse, func(d TenantDevice) TenantDevice {
		if d.Refused = reason; d.RefusedAt.IsZero() {
			d.RefusedAt = wire.TruncateMillis(s.c.Now())
		}
		return d
	})
}

// AcceptTenantDevice takes back [Service.RefuseTenantDevice]: none of the device's scans
// has the mark any more.
func (s *Service) AcceptTenantDevice(ctx context.Context, tenantRef, scannerID string) (TenantDevice, error) {
	return s.changeTenantDevice(ctx, tenantRef, scannerID, ActionDeviceAccept, func(d TenantDevice) TenantDevice {
		d.Refused, d.RefusedAt = "", time.Time{}
		return d
	})
}

// checkLine checks a text of a person on a device, which may be empty unless it is needed.
func checkLine(member, text string, needed bool) error {
	var bad fault.Fields
	if needed || text != "" {
		bad.Name(member, text)
	}
	return bad.Err()
}

func (s *Service) changeTenantDevice(ctx context.Context, tenantRef, scannerID, action string, change func(TenantDevice) TenantDevice) (TenantDevice, error) {
	if !wire.IsDeviceID(scannerID) {
		return TenantDevice{}, ErrNoTenantDevice
	}
	return s.c.Store.ChangeTenantDevice(ctx, tenantRef, scannerID, change, tenant.NewEntry(ctx, tenantRef, action, scannerID, s.c.Now()))
}
