package httpapi

import "tcode/server/outbound/delivery"

// deliveryRecord is a document's e-mail as the contract shows it.
func deliveryRecord(m *delivery.Message) *TrustDelivery {
	if m == nil {
		return nil
	}
	out := &TrustDelivery{
		State: TrustDeliveryState(m.State), Reason: optional(TrustDeliveryReason(m.Reason)), Tries: int32(m.Tries),
		Code: optional(int32(m.Code)), SentAt: optionalTime(m.SentAt),
	}
	if m.State == delivery.Waiting {
		out.NextTryAt = optionalTime(m.NextAt)
	}
	return out
}
