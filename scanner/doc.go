// Package scanner turns a document into the Data Matrix symbols on it.
//
//	file ─▶ raster ─▶ gray page ─▶ symbol.ReadImage ─▶ Page: symbols, or a reason
//	bytes   sandbox    gray.Image
//
// [New] returns a [Scanner], which reads whole documents: it renders their pages in
// a sandboxed child process and hands each page to package symbol. Package answer makes
// the answer about the symbols, and package binder relates them to the file.
package scanner
