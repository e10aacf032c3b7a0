// Package issue is what the packages of this floor share: the step of a state
// machine that is written as a table, and the life of templates. The packages below
// it issue documents:
//
//	placement, tdoc, field ─▶ stamp ─▶ trustdoc ─▶ bulk
//
//	state ─┬─ next[state][action] ─▶ the state after
//	       ├─ result[action] is the state itself ─▶ the same: nothing to do
//	       └─ neither ─▶ INVALID_TRANSITION
//
// Stamps, Trust documents, templates and bulk jobs each say in one table what is
// allowed, and the tests walk every pair. Call [Step] with that table. [Templates]
// makes, finds, changes and hides the templates of one kind.
package issue

import "tcode/server/fault"

// Step returns the state after action a on a noun ("stamp", "template") in
// state s. next is the whole machine: what is not in it is not allowed. result
// is where an action leads, whatever it starts from; an action that leads to the
// present state returns s and changes nothing. All else is an
// INVALID_TRANSITION fault.
func Step[S, A ~string](noun string, next map[S]map[A]S, result map[A]S, s S, a A) (S, error) {
	if to, ok := next[s][a]; ok {
		return to, nil
	}
	if to, ok := result[a]; ok && to == s {
		return s, nil
	}
	return "", fault.New(fault.Conflict, fault.CodeInvalidTransition, "a %s that is %s cannot be changed by %s", noun, s, a)
}
