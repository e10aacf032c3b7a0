package feed_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/trustbook"
	"tcode/sync/feed"
	"tcode/sync/transport"
	"tcode/sync/transport/transporttest"
)

// diskBook opens the trust state on a disk.
func diskBook(t *testing.T, disk *journal.Disk) *trustbook.Book {
	t.Helper()
	c, err := trustjournal.Open(t.Context(), func(context.Context) (journal.Journal, error) { return disk.Open() }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Book
}

func feedOf(t *testing.T, b *trustbook.Book, tr transport.Transport, gateway string) *feed.Feed {
	t.Helper()
	f, err := feed.New(feed.Config{Book: b, Transport: tr, Gateway: gateway})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// refusesCuts enrols with gateways behind transporttest.Cut at a server, which give documents of that number: none that is cut is
// taken, and the whole ones are taken afterwards. With TCODE_CUTS=all each is cut at each place, otherwise at one.
func refusesCuts(t *testing.T, tr transport.Transport, server string, documents int) {
	percents := []int{0, 50, 100}
	for m, mode := range transporttest.CutModes {
		for number := 1; number <= documents; number++ {
			for i, percent := range percents {
				if os.Getenv("TCODE_CUTS") != "all" && i != (m+number)%len(percents) {
					continue
				}
				what := fmt.Sprintf("%s, document %d cut after %d %%", mode, number, percent)
				key := fmt.Sprintf("%s-%d-%d-%d", mode, percent, number, time.Now().UnixNano())
				gateway := server + transporttest.CutPath(key, mode, number, percent)
				b := diskBook(t, new(journal.Disk))
				report, err := feedOf(t, b, tr, gateway).Enrol(t.Context(), nil)
				if err == nil {
					t.Errorf("%s: taken: %+v", what, report)
				}
				if snapshot, err := b.Snapshot(t.Context()); err != nil || number < documents && snapshot.State() != nil && snapshot.State().Complete() {
					t.Errorf("%s: the state is complete (%v)", what, err)
				}
				if _, err := feedOf(t, b, tr, gateway).Enrol(t.Context(), nil); err != nil {
					t.Errorf("%s: whole documents after it: %v", what, err)
				}
				if snapshot, err := b.Snapshot(t.Context()); err != nil || !snapshot.State().Complete() || len(snapshot.Missing()) > 0 {
					t.Errorf("%s: the state is not complete after it (%v)", what, err)
				}
				if err := b.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
