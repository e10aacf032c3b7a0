// Package trustdoc is the life of Trust documents and of the templates they are
// issued from.
//
//	Issuance ─▶ template, fields ─▶ reference ─▶ (PDF: files; TCode: a stamp) ─▶ canonical text, signed ─▶ one transaction ─▶ Document
//
//	            suspend               revoke
//	  Active ────────────▶ Suspended ────────▶ Revoked
//	   │  ▲ ◀── reinstate ──┘ │                   ▲
//	   │  └────── revoke, replace, from both ─────┘
//	   └────── expiresAt passes, or expire, from both ──▶ Expired
//
//	             archive
//	  Active ─────────────▶ Archived     a template: archived, it issues nothing
//	     ▲ ◀─── unarchive ───┘
//
// A document consists of its canonical text (FORMAT.md) and the tenant's signature
// under it: anyone who has both and the tenant's public key can check it without the
// gateway. Its status says whether it counts today.
//
// A document issued with a TCode owns the stamp on its PDF: the stamp is made
// in the document's transaction, changes with it, and cannot be changed alone.
//
// Expired is decided when a document is read (expiresAt <= now), by
// [Document.At]; [Service.Sweep] makes it durable.
package trustdoc
