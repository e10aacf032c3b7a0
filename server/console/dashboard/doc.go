// Package dashboard has the first screen of a tenant's users: what deserves a look, what was
// issued and verified by day, the plan, signing keys, scanners, and work that goes on. Call
// [New] for the area.
//
//	services ─▶ parts, each with its own failure ─▶ one screen
//	            └─ counters, and short lists that an index has
//
// A part that does not come in time says so in its place; the others are shown.
package dashboard
