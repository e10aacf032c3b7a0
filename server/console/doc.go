// Package console has the screens of the management console, at /console. Call [New]
// first.
//
//	request ─▶ observe: trace, log ─▶ limit of the body ─▶ no other origin ─▶ route ─▶ screen
//	             door.go: sign in, second factor, invitation        │
//	             inside.go: screens of a signed-in user ─ Visit ────┴─▶ account, by role
//
// Screens are html/template with one style sheet and no script: the Content-Security-Policy
// permits nothing else, and every text of a person stays text. The session is in a cookie
// for /console alone. Each form is refused if another origin sent it. A screen of a
// signed-in user names the action that the user's role must permit; a new one is a line in
// the routes with its action, a template and its words in five languages.
package console
