// Package elements takes the text of a symbol apart where its data has a structure: GS1 element strings and the messages of
// ISO/IEC 15434. Call [GS1] for a symbol with the identifier "]d2" or "]d5", and [Messages] for any other.
//
//	]d2  0109521234543213 10ABC<GS>21XYZ ──▶ GS1      ──▶ (01)09521234543213 (10)ABC (21)XYZ
//	[)><RS>06<GS>1PABC<GS>S123<RS><EOT>  ──▶ Messages ──▶ format 06: 1PABC, S123
//
// The package is pure, and says nothing about the values: check digits and dates are the business of others.
package elements
