// Package intake reads the files of a bulk job: a CSV file with a row for each
// document, and a ZIP archive with their PDFs. Both are untrusted input.
//
//	CSV bytes ─▶ text (UTF-8, UTF-16; BOM) ─▶ delimiter ─▶ header ─▶ rows ─┐
//	                                                                      ├─▶ Sheet, Archive or problems,
//	ZIP file ─▶ end record ─▶ directory ─▶ entries side by side, by name ─┘   each with its line and column
//
// It reads what has one meaning, as offices make it: forms of dates and numbers of
// spreadsheets, names in code pages. It refuses what may have two, and names both.
//
// The package reads a file whole before it reports anything. It reports all problems
// together, with line and column, so that a person corrects them in one pass. It
// writes nothing under a name that a file chose.
package intake
