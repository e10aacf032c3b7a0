// Package server is the gateway as one program: it opens a data folder, assembles stores
// and services, and serves them. Call [Run], or [Open] and [Gateway.Serve].
//
//	Config ─▶ Open ─▶ Gateway ───────── Serve ─▶ HTTP ─▶ ctx done ─▶ drain ─▶ Close
//	                  │ store  (SQLite)          │
//	                  │ keyring (master keyset)  └▶ publisher: signs changes
//	                  │ files by hash
//	                  │ tenant refdata stamp trustdoc verify
//	                  └ pdfstamp in child processes; scanner/proof reads the stamps back
//
// Run does all of it. Command line tools [Open] the same folder concurrently with a
// running gateway and call the services; the running gateway publishes their changes.
//
// The data folder has gateway.sqlite, master.keyset.json and files/. A restore needs
// all of it; the keyset may be in the environment instead, the rows in PostgreSQL, and
// the files in a bucket. The file published-version next to them, or the note of that
// name in the bucket, reveals a database that was replaced by an old copy.
//
//	Backup ─▶ one file ─▶ Restore ─▶ a folder that nothing is published from ─▶ Fsck agrees ─▶ Serve
//
// A backup does not know later revocations, and devices do: Fsck reads their trust
// documents and repeats missing revocations.
package server
