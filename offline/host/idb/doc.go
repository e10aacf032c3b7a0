// Package idb keeps a journal.Journal in IndexedDB, the database of a browser. It builds for js alone. Call Open in a worker:
//
//	Open(name) ──Web Lock "idb:name"──▶ the only owner ──▶ a database with one object store: bytes under bytes
//	   ▲                                     │
//	   │                                     └─Commit──▶ one transaction, strict: complete, or its outcome is unknown
//	   └──ErrOwned: another tab has it; Ask asks that tab to close it
//
// A commit returns nil after the transaction is complete, which the browser says with strict durability after the data are on the
// disk. After an aborted transaction the journal refuses all work until it is opened again, except when the browser has no room
// for it (journal.ErrFull). The browser gives the locks back when the worker ends, however it ends.
//
// Strict durability is not enough: Chromium 156 that is killed while commits follow each other without a pause has found its
// database damaged at the next start, and deleted all of it. A program must not keep its only copy of anything here:
// package browserstore keeps a second one.
//
// A person who clears the data of the site removes the database: the journal is lost then, and says so at the next commit.
package idb
