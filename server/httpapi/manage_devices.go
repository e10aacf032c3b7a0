package httpapi

import (
	"context"

	"tcode/server/httpapi/api"
	"tcode/server/verify"
)

// Devices tells a tenant about devices that scanned its stamps. Package verify implements
// it.
type Devices interface {
	TenantDevices(ctx context.Context, tenantRef string, f verify.TenantDeviceFilter, p verify.Page) (verify.TenantDevicePage, error)
	TenantDevice(ctx context.Context, tenantRef, scannerID string) (verify.TenantDevice, error)
	TenantClockEvents(ctx context.Context, tenantRef, scannerID string) ([]verify.ClockEvent, error)
	NameTenantDevice(ctx context.Context, tenantRef, scannerID, name string) (verify.TenantDevice, error)
	RefuseTenantDevice(ctx context.Context, tenantRef, scannerID, reason string) (verify.TenantDevice, error)
	AcceptTenantDevice(ctx context.Context, tenantRef, scannerID string) (verify.TenantDevice, error)
}

// ListDevices returns a page of the devices that scanned the tenant's stamps.
func (h *handlers) ListDevices(ctx context.Context, r ListDevicesRequestObject) (ListDevicesResponseObject, error) {
	_, ref := manager(ctx)
	f := verify.TenantDeviceFilter{Refused: deref(r.Params.Refused), Flagged: deref(r.Params.Flagged), Freshness: verify.Freshness(deref(r.Params.Freshness))}
	page, err := h.c.Devices.TenantDevices(ctx, ref, f, verify.Page{Number: pageNumber(r.Params.Page), Size: pageSize(r.Params.PageSize)})
	if err != nil {
		return nil, err
	}
	out := ListDevices200JSONResponse{Items: make([]api.Device, 0, len(page.Items))}
	paging(page.Number, page.Size, page.TotalCount, page.TotalIsLowerBound, len(page.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, d := range page.Items {
		out.Items = append(out.Items, h.deviceRecord(d))
	}
	return out, nil
}

// GetDevice returns one device.
func (h *handlers) GetDevice(ctx context.Context, r GetDeviceRequestObject) (GetDeviceResponseObject, error) {
	_, ref := manager(ctx)
	d, err := h.c.Devices.TenantDevice(ctx, ref, r.ScannerId)
	if err != nil {
		return nil, err
	}
	events, err := h.c.Devices.TenantClockEvents(ctx, ref, r.ScannerId)
	if err != nil {
		return nil, err
	}
	rec := h.deviceRecord(d)
	out := api.DeviceDetail{
		ScannerId: rec.ScannerId, Name: rec.Name, FirstScanAt: rec.FirstScanAt, LastScanAt: rec.LastScanAt, LastBatchAt: rec.LastBatchAt, LastSyncAt: rec.LastSyncAt,
		Scans: rec.Scans, Findings: rec.Findings, TrustVersion: rec.TrustVersion, TrustAt: rec.TrustAt, Freshness: api.DeviceDetailFreshness(rec.Freshness), ClockSkewMs: rec.ClockSkewMs,
		ClockEvents: rec.ClockEvents, Flag: optional(api.DeviceDetailFlag(deref(rec.Flag))), FlaggedAt: rec.FlaggedAt, Refused: rec.Refused, RefusedReason: rec.RefusedReason,
		RefusedAt: rec.RefusedAt, RefusedByOperator: rec.RefusedByOperator, Clock: make([]api.DeviceClockEvent, 0, len(events)),
	}
	for _, e := range events {
		out.Clock = append(out.Clock, api.DeviceClockEvent{Kind: api.DeviceClockEventKind(e.Kind), At: wholeMillis(e.At), Was: optionalTime(e.Was), ReceivedAt: wholeMillis(e.ReceivedAt)})
	}
	return GetDevice200JSONResponse{Data: out}, nil
}

// PatchDevice names a device.
func (h *handlers) PatchDevice(ctx context.Context, r PatchDeviceRequestObject) (PatchDeviceResponseObject, error) {
	ctx, ref := manager(ctx)
	d, err := h.c.Devices.NameTenantDevice(ctx, ref, r.ScannerId, r.Body.Name)
	if err != nil {
		return nil, err
	}
	return PatchDevice200JSONResponse{Data: h.deviceRecord(d)}, nil
}

// RefuseDevice marks the scans of a device.
func (h *handlers) RefuseDevice(ctx context.Context, r RefuseDeviceRequestObject) (RefuseDeviceResponseObject, error) {
	ctx, ref := manager(ctx)
	d, err := h.c.Devices.RefuseTenantDevice(ctx, ref, r.ScannerId, r.Body.Reason)
	if err != nil {
		return nil, err
	}
	return RefuseDevice200JSONResponse{Data: h.deviceRecord(d)}, nil
}

// AcceptDevice takes back a refusal.
func (h *handlers) AcceptDevice(ctx context.Context, r AcceptDeviceRequestObject) (AcceptDeviceResponseObject, error) {
	ctx, ref := manager(ctx)
	d, err := h.c.Devices.AcceptTenantDevice(ctx, ref, r.ScannerId)
	if err != nil {
		return nil, err
	}
	return AcceptDevice200JSONResponse{Data: h.deviceRecord(d)}, nil
}

// deviceRecord returns a device as the contract shows it.
func (h *handlers) deviceRecord(d verify.TenantDevice) api.Device {
	out := api.Device{
		ScannerId: d.ScannerID, Name: optional(d.Name), FirstScanAt: wholeMillis(d.FirstAt), LastScanAt: wholeMillis(d.LastScan), LastBatchAt: wholeMillis(d.LastAt),
		LastSyncAt: wholeMillis(d.LastSync), Scans: int64(d.Scans), Findings: int64(d.Findings), TrustVersion: optional(int64(d.TrustVersion)), TrustAt: optionalTime(d.TrustAt()),
		Freshness: api.DeviceFreshness(d.Freshness(h.c.Now())), ClockEvents: int32(d.ClockEvents), Flag: optional(api.DeviceFlag(d.Flag)), FlaggedAt: optionalTime(d.FlaggedAt),
		Refused: !d.RefusedAt.IsZero(), RefusedReason: optional(d.Refused), RefusedAt: optionalTime(d.RefusedAt), RefusedByOperator: d.RefusedByOperator,
	}
	if d.SkewKnown {
		ms := d.Skew.Milliseconds()
		out.ClockSkewMs = &ms
	}
	return out
}
