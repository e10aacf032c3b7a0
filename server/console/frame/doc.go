// Package frame has what all screens of the console share: the page around a screen, its
// words, sessions and languages, answers to errors, and the rule that each route names the
// action that the user's role must permit. Call [New] first, give it areas with
// [Frame.Add], and serve [Frame.Handler].
//
//	request ─▶ observe: trace, log, headers ─▶ no other origin ─▶ limit of the body ─▶ route
//	   route of an area ─▶ session, stage, role ([Route.Needs]) ─▶ Serve ─▶ Page, Draw
//
// An [Area] is a package of screens: routes, templates, words in five languages, and lines
// of the navigation. A template of an area defines "main" and gets a [Page], whose W has the
// area's words and D its data. The Content-Security-Policy permits the style sheet and forms
// alone; a screen that names scripts permits modules of this origin too. Every text of a
// person stays text.
package frame
