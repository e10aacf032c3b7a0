// Package keep holds what a phone keeps: its scans, and its notes. Call [OpenScans] and [OpenNotes], each with a
// function that opens a journal:
//
//	answer ─▶ Scans.Record ─▶ outbox.Book ─▶ journal     a scan is durable before its verdict is shown
//	            │                  ▲
//	            │   uplink ─▶ Session: one book, from the sync lock to its end
//	            ▼
//	          Notes: settings, remarks, answers as they were shown ─▶ another journal
//
// A commit whose outcome is unknown makes a book unusable. [Scans] then closes it, and the next call opens it again and
// reads: it never guesses. FORMAT.md describes the records of the notes.
package keep
