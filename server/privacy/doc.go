// Package privacy decides how long a tenant's data is kept, erases the personal data of a
// record, and exports everything that a tenant has.
//
//	Service.Erase ─▶ one transaction: the record without its personal data, audit row, Erasure
//	                     │                          answers already say erased
//	Service.Run          ▼
//	   answers ─▶ events ─▶ scans ─▶ conflicts ─▶ uploads ─▶ files ─▶ compact ─▶ done
//	   small transactions; a killed gateway continues at the step that is stored
//
//	Service.Run, hourly ─▶ Sweeps: deletes what is older than its [Kind] is kept
//
// Reference, hashes and status of an erased record stay: it is verified as before, and
// devices see no difference. Every step may run twice, and on several gateways at the same
// time.
package privacy
