// Package sketch draws what a reader saw, so that a person can see why a symbol
// was read or not.
//
//	symbol.Trace ─▶ Folder ─┬─▶ page-001.png          boxes, candidates, symbols
//	                         ├─▶ page-001-try-01.png   a sampled grid, module by module
//	                         └─▶ read.json             the same in figures
//
// Every picture has its legend in it. The same traces give the same bytes.
package sketch
