// Package twofold keeps a journal.Journal in two copies that fail in different ways, such as files of our own and the database of a
// browser, so that the loss of either copy loses nothing. Start with [Open]:
//
//	Open(first, second) ──▶ the marks of both ──same──▶ Pair
//	                           └──one is lost, older, damaged──▶ rebuilt from the other; Report says which and why ──▶ Pair
//	Pair.Commit ──▶ first ──complete──▶ second ──complete──▶ nil
//	                  └──error            └──error: the outcome is unknown, and the next Open reads it
//
// # Why an acknowledged commit survives
//
// A copy has a mark: a random id of the store, the number of commits (to both copies, and to either one alone), and a random tag of
// the opening that made the last one. Every commit carries the next mark, so records and mark change in one.
//
// Commit returns nil when both copies have the commit. If one of them is lost then, the other one has it, and its mark says so:
//
//   - A copy that is missing or empty has no mark, so it never counts as the state of the store. The other one is copied.
//   - Of two marks of one store, the one with no lower number is of a copy that has every commit of the other one: commits are made on
//     copies that were made equal, in one order. So the copy that lost its last commits is rebuilt, however many they were.
//   - A process that ends between the two copies leaves the first one newer by a commit. Its outcome was unknown; it is there now.
//   - A copy that is rebuilt in more than one commit has a mark that says so until the last one. An interrupted rebuilding begins anew.
//   - A copy that cannot be opened, or rebuilt for lack of room, takes no part. Commits to the other one alone have their own number,
//     so a later Open sees which copy did not take part, or that each has commits of its own; then it unites them.
//   - Without room to unite two copies, or to make a damaged one whole, one copy is used as it is: Load shows the records of both, and the first
//     commit that has room writes it (Report.Owed).
//   - If one copy cannot be opened and the other is not whole, Open fails (ErrUncertain): it does not begin a new store.
//
// If the copy that is newer is damaged, or neither is whole, Open unites them: each record carries the number of its commit, and
// the higher number wins; a record that one of them does not have stays, unless the whole copy proves that it was removed. The removals of
// the last commit are in its mark. So nothing that can be read is lost; a removed record may come back, and Report.Lost says that
// records may be missing. Records of another store under keys that are in use are set aside, in both copies.
//
// # An attacker
//
// Marks and checksums have no secret: a person who can write to one copy can make it the newer one, with any records, as
// that person could if there were no other. The records of the owner must prove themselves, as they must in one copy. A forged copy
// gives no more: the other one is only overwritten by a copy that the owner would have read in any case. Made-up numbers
// cannot stop the store: a mark with a number of 2^52 or more is no mark. FORMAT.md describes the records.
package twofold
