package publish_test

import (
	"testing"
	"time"

	"tcode/offline/trust"
	"tcode/server/store/storetest"
)

// TestClockRanAhead: after a clock that ran 400 days ahead is corrected, the next check
// publishes a new set, under higher versions and with the right dates, and devices accept it.
func TestClockRanAhead(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Tenant(t, "Acme", "ACME01")
	right := b.Clock.Now()
	b.Clock.Add(400 * 24 * time.Hour)
	publishNow(t, b, true)
	u := fetch(t, b.Publish)
	fp := b.Publish.Fingerprint()
	device, err := trust.Pin(u.Roots, &fp)
	if err != nil {
		t.Fatal(err)
	}
	if device, _, err = device.Apply(u); err != nil {
		t.Fatal(err)
	}
	ahead := device
	b.Clock.Add(-400*24*time.Hour + time.Minute)
	publishNow(t, b, true)
	if device, _, err = device.Apply(fetch(t, b.Publish)); err != nil {
		t.Fatal(err)
	}
	now := right.Add(time.Minute).UTC().Truncate(time.Second)
	week := now.Add(7 * 24 * time.Hour)
	if device.Timestamp.Version <= ahead.Timestamp.Version || device.Bundle.Version <= ahead.Bundle.Version || device.Status.Version <= ahead.Status.Version {
		t.Errorf("versions %d, %d, %d after %d", device.Timestamp.Version, device.Bundle.Version, device.Status.Version, ahead.Timestamp.Version)
	}
	if !device.Timestamp.StatusAsOf.Equal(now) || device.Bundle.Expires.After(week) || device.Status.Expires.After(week) {
		t.Errorf("timestamp of %v, bundle until %v, status until %v; it is %v", device.Timestamp.StatusAsOf, device.Bundle.Expires, device.Status.Expires, now)
	}
	// Which of the dates is wrong is not for the versions to say; a proof is.
	if !device.Floor.Equal(ahead.Timestamp.StatusAsOf) {
		t.Errorf("floor %v without a proof", device.Floor)
	}
	if proved, lowered := device.Proved(now); !lowered || !proved.Floor.Equal(now) || proved.Dated() != true {
		t.Errorf("with a proof: floor %v, lowered %v, dated %v", proved.Floor, lowered, proved.Dated())
	}
}
