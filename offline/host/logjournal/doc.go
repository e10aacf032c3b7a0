// Package logjournal keeps a journal.Journal in two small files of its own format, for places where there are files and no
// database, such as a browser's private file system. Start with [Open]:
//
//	Open(a, b) ──▶ the slot with a whole header and the higher generation ──▶ every frame checked ──▶ index: key ─▶ place
//	  │                                                                            │
//	  │                       torn tail: cut; damage: Damage says it, Repair rewrites what verifies
//	  ├──Commit──▶ one frame behind the last one, then a flush
//	  └──too much of the log is old──▶ snapshot into the other slot, flush, header, flush; then the old slot is emptied
//
// A commit is a frame with its length, its number and checksums, so it is there as a whole or not at all. At most one frame is not
// flushed, and it is the last one: bytes at the end that do not verify are a commit that was never acknowledged, and Open cuts
// them. Bytes that do not verify and have a frame behind them, or lie in the snapshot, are damage. A damaged log shows what
// verifies, takes no commits and changes no file until Repair is called. A loss at a boundary of frames at the end cannot be seen
// here: package twofold compares the log with another copy.
//
// The checksums find damage and no attacker: a person who can write to the files can write commits. But the content of
// a record cannot pass for a frame, because checksums begin with a random number in the header.
//
// The index has the keys and places of the values, so memory does not grow with the values. FORMAT.md describes the files.
package logjournal
