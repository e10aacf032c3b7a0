package tenant

import (
	"time"

	"tcode/offline/trust"
)

// Trust returns the key in the form of the signed bundle. Times are cut to whole seconds,
// as in the bundle and in payloads.
func (k SigningKey) Trust() trust.Key {
	return trust.Key{
		Tenant: k.Tenant, Seq: k.Seq, Public: k.Public, State: trust.KeyState(k.State),
		ValidFrom: seconds(k.ValidFrom), ValidUntil: seconds(k.ValidUntil),
		CompromisedSince: seconds(k.CompromisedSince), SurvivorList: k.SurvivorList,
	}
}

// Trust returns the tenant in the form of the signed bundle.
func (t Tenant) Trust() trust.Tenant {
	return trust.Tenant{Reference: t.Reference, Name: t.Name, State: trust.TenantState(t.State)}
}

func seconds(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Second)
}
