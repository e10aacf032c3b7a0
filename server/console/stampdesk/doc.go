// Package stampdesk has the screens that stamp one document and edit placement templates.
// Call [New].
//
//	file ─▶ draft ─▶ editor: form ─▶ placement.Spec ─▶ Preview ─▶ place, grade, obstacles
//	           │          ▲                                │
//	           │          └──── parts of the page ◀────────┘
//	           └─▶ stamp, once for a draft ─▶ done: reference, grade, file
//
// The gateway draws the pages. The editor is one form that works without scripts; its
// script moves the box, sends the form after each change, and replaces the parts of the page
// that answer it. All numbers of the form are in mm on the page that is shown. A draft
// belongs to one session.
package stampdesk
