// Package console has the management console, at /console. Call [Frame] first, with the areas
// of screens behind the door.
//
//	door.go: sign in, second factor, invitation ─▶ session ─▶ own.go: overview, sessions
//	frame:   page, words, session and role of every route ─▶ areas: the other screens
//
// Package frame has what all screens share. This package is its first area: the way in, and
// a user's own screens.
package console
