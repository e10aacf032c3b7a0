package litedb

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// pageSlots is how many pages of all databases of a process lie in memory that
// is taken once: 4.4 MiB. A connection holds 2 MiB at most; where the slots run
// short, pages that were read longest ago give theirs up.
const pageSlots = 1024

// pageBytes is the page size of new databases, SQLite's default.
const pageBytes = 4096

// slotsOnce makes the slots, before the first connection of the process.
var slotsOnce sync.Once

// usePageSlots gives SQLite the memory that its page caches work in
// (SQLITE_CONFIG_PAGECACHE). Each commit makes all other connections forget the
// pages they hold, and pages taken one by one go back to the system then, to
// come again by a page fault each: with a million stamps a look-up cost 2.5
// times as much as with a thousand, with slots 1.3 times. Where SQLite was
// started before, or memory is short, it goes on without: slower, not worse.
func usePageSlots() {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.Xmalloc(tls, types.Size_t(2*unsafe.Sizeof(int64(0))+unsafe.Sizeof(uintptr(0))))
	extra := libc.Xcalloc(tls, 1, types.Size_t(unsafe.Sizeof(int32(0))))
	defer libc.Xfree(tls, args)
	defer libc.Xfree(tls, extra)
	if args == 0 || extra == 0 ||
		sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PCACHE_HDRSZ, libc.VaList(args, extra)) != sqlite3.SQLITE_OK {
		return
	}
	slot := (pageBytes + libc.AtomicLoadPInt32(extra) + 7) &^ 7
	memory := libc.Xmalloc(tls, types.Size_t(slot)*pageSlots)
	if memory == 0 {
		return
	}
	if sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PAGECACHE, libc.VaList(args, memory, slot, int32(pageSlots))) != sqlite3.SQLITE_OK {
		libc.Xfree(tls, memory)
	}
}
