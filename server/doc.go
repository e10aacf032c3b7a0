// Package server is the gateway as one program: it opens a data folder, wires
// stores and services, and serves them.
//
//	Config ─▶ Open ─▶ Gateway ───────── Serve ─▶ HTTP ─▶ ctx done ─▶ drain ─▶ Close
//	                  │ store  (SQLite)          │
//	                  │ keyring (master keyset)  └▶ publisher: signs what changed
//	                  │ files by hash
//	                  │ tenant refdata stamp trustdoc verify
//	                  └ pdfstamp in child processes; scanner/proof reads back what it made
//
// Run does all of it. Command line tools [Open] the same folder concurrently with
// a running gateway and call the services; what they change the running one publishes.
//
// The data folder holds gateway.sqlite, master.keyset.json and files/. All of
// it is needed to restore a gateway; the keyset may live in the environment
// instead. Beside them, published-version is what tells a database that was put
// back from one that was not.
//
//	Backup ─▶ one file ─▶ Restore ─▶ a folder that nothing is published from ─▶ Fsck agrees ─▶ Serve
//
// A backup does not know what was revoked after it, and devices do: Fsck takes
// their trust documents and makes up for it.
package server
