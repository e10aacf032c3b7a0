// Package sketch draws the boxes, candidates and modules that a reader saw, so that a
// person can see why a symbol was read or not. Call [New], then [Folder.Watch].
//
//	scanner.Trace ─▶ Folder ─┬─▶ page-001.png          boxes, candidates, symbols
//	                         ├─▶ page-001-try-01.png   a sampled grid, module by module
//	                         └─▶ read.json             the same in figures
//
// Every picture includes its legend. The same traces give the same bytes.
package sketch
