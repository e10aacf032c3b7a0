// Package privacydesk has the screens of privacy: how long data is kept, what the sweeps
// removed, the erasure of a record, and the archive of everything that a tenant has. Call
// [New] first; its result goes to console.Config.
//
//	/console/privacy ─▶ times of kinds; a shorter one is confirmed, as it deletes
//	             ├────▶ erase?reference= ─▶ erase/SUBJECT/ID: reason, typed reference ─▶ the record
//	             └────▶ export: one ZIP archive, made as it is sent
//
// Everyone of the tenant sees the times; owners alone change them, erase and export.
package privacydesk
