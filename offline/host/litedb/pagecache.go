package litedb

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// pageSlots is the number of pages of all databases of a process for which
// memory is allocated once: 4.4 MiB. A connection holds 2 MiB at most; when no
// slot is free, SQLite reuses those of the pages that were read longest ago.
const pageSlots = 1024

// pageBytes is the page size of new databases, SQLite's default.
const pageBytes = 4096

// slotsOnce allocates the slots before the first connection of the process.
var slotsOnce sync.Once

// usePageSlots gives SQLite the memory for its page caches
// (SQLITE_CONFIG_PAGECACHE). Each commit makes all other connections drop their
// pages. Pages allocated one by one then return to the system, and each costs a
// page fault when it is needed again: with a million stamps a look-up took 2.5
// times as long as with a thousand, with slots 1.3 times. If SQLite was started
// before, or memory is short, SQLite works without slots: slower, but correct.
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
