// Package browserstore opens a journal.Journal in a browser that survives the loss of what the browser keeps: one copy in
// IndexedDB, one in two private files of our own format. It builds for js alone. Call Open in a worker, once for each journal, before
// the first commit to any of them:
//
//	Open(name) ──▶ idb.Open: Web Lock, database ──────────────┐
//	           ──▶ opfs.Open twice ──▶ logjournal.Open: log ──┤
//	                                                          ▼
//	                     twofold.Open: compared, rebuilt where one is lost ──▶ journal, Report
//
// Where the browser has no private files, such as WebKitGTK, the database is the only copy, and Report.Count is 1: see package idb for what that
// means. The program should say so, send early, and offer the export.
//
// A person who clears the data of the site removes both copies.
package browserstore
