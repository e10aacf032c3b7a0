package httpapi

import (
	"tcode/server/outbound/delivery"

	"tcode/server/httpapi/api"
)

// deliveryRecord returns a document's e-mail as the contract shows it.
func deliveryRecord(m *delivery.Message) *api.TrustDelivery {
	if m == nil {
		return nil
	}
	out := &api.TrustDelivery{
		State: api.TrustDeliveryState(m.State), Reason: optional(api.TrustDeliveryReason(m.Reason)), Tries: int32(m.Tries),
		Code: optional(int32(m.Code)), Message: m.Words(), SentAt: optionalTime(m.SentAt),
	}
	if m.State == delivery.Waiting {
		out.NextTryAt = optionalTime(m.NextAt)
	}
	return out
}
