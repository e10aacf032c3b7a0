// Package answer makes the answer about one document: a [Finding] for each stamp
// on it, and what is recorded of it. The scanner on the command line and the one
// in the browser share it, so that both say the same. Call [NewJudge] and
// [Read] first.
//
//	what pages show ─▶ Reading.Page ─┐
//	marks in the bytes ──────────────┼─▶ Judge: offline.Verifier, binder ─▶ Finding ─▶ JSON, headline, facts
//	Drawing, if pages can be drawn ──┘                                         │
//	                                                            Record: revocations, then scans, then the answer
//
// The package draws nothing, opens no file and stores nothing itself: its caller
// hands it symbols that pages show, a [Drawing] and a [Store].
package answer
