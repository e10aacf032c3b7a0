// Package picturefile reads size, orientation and resolution from the bytes of picture files. Nothing is decoded, so a
// program can refuse a file before it costs memory, and a browser can do so too. Call [Size] and [MetaOf].
//
//	first bytes ─▶ filekind.Of ─▶ kind ─┬─▶ Size ─▶ px as coded
//	                                    └─▶ MetaOf ─▶ orientation, dpi
package picturefile
