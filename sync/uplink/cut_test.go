package uplink_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
	"tcode/sync/transport"
	"tcode/sync/transport/transporttest"
	"tcode/sync/uplink"
)

// cutDevice is a device with one scan of each kind in its queue, and a clock event.
func cutDevice(t *testing.T, tr transport.Transport, gateway string) (*outbox.Book, *uplink.Uplink) {
	t.Helper()
	j, err := new(journal.Disk).Open()
	if err != nil {
		t.Fatal(err)
	}
	b, err := outbox.OpenBook(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := b.Record(t.Context(), scan("ok 1", now), scan("bad 2", now)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: now}); err != nil {
		t.Fatal(err)
	}
	u, err := uplink.New(uplink.Config{
		Outbox: b, Transport: tr, Gateway: gateway, Key: deviceKey, Online: online(onlineKey), Sleep: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return b, u
}

// refusesCuts sends to a gateway behind transporttest.Cut at a server: no cut answer settles a scan or a clock event, and the
// next whole one settles all.
func refusesCuts(t *testing.T, tr transport.Transport, server string) {
	for _, mode := range transporttest.CutModes {
		for _, percent := range []int{0, 1, 50, 99, 100} {
			for number := 1; number <= 2; number++ { // the answer about scans, then the one about the clock
				key := fmt.Sprintf("%s-%d-%d-%d", mode, percent, number, time.Now().UnixNano())
				b, u := cutDevice(t, tr, server+transporttest.CutPath(key, mode, number, percent))
				_, err := u.Flush(t.Context())
				c, err2 := b.Counts(t.Context())
				untold, err3 := b.Untold(t.Context())
				waiting := 2 * (2 - number)
				if !errors.Is(err, uplink.ErrUnreachable) || err2 != nil || err3 != nil || c.Queued != waiting || len(untold) != 1 {
					t.Errorf("%s, answer %d cut after %d %%: %v; %+v, %v, %v", mode, number, percent, err, c, err2, err3)
				}
				if _, err := u.FlushNow(t.Context()); err != nil {
					t.Errorf("%s: the whole answer: %v", mode, err)
				}
				c, err2 = b.Counts(t.Context())
				untold, err3 = b.Untold(t.Context())
				if err2 != nil || err3 != nil || c.Done != 1 || c.Dead != 1 || len(untold) != 0 {
					t.Errorf("%s: after the whole answer %+v, %v, %v", mode, c, err2, err3)
				}
			}
		}
	}
}
