// Package bulkdesk has the console's screens of bulk jobs: their list, a new order with its
// files, and one job with its progress. Call [New] for the area.
//
//	form ─▶ fields, then files, each written to the spool as it arrives ─▶ bulk.Service ─▶ job
//	                └─ the order is refused before the files are read
//	job ─▶ events: each is the whole state, read from the database ─▶ the page draws it
//
// The stream of events works on every gateway, because it reads the database. It ends with
// the job, with the session, and when the gateway drains; a page attaches again, and misses
// nothing. Without scripts a link refreshes the page.
package bulkdesk
