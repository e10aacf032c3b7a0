package trustjournal_test

//race:off its tests run in a browser too

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal/trustjournaltest"
	"tcode/offline/trustbook/booktest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	trustjournaltest.Run(t, func(*testing.T) trustjournaltest.Disk {
		var d journal.Disk
		fault := func(name string, f journal.Fault) booktest.Fault {
			return booktest.Fault{Name: name, Arm: func(after int) {
				d.Fail(append(slices.Repeat([]journal.Fault{journal.NoFault}, after), f)...)
			}}
		}
		return trustjournaltest.Disk{
			Open:   func(context.Context) (journal.Journal, error) { return d.Open() },
			Faults: []booktest.Fault{fault("before", journal.FailBefore), fault("after", journal.FailAfter), fault("full", journal.Full)},
		}
	}, runtime.GOOS != "js" && !testing.Short())
}
