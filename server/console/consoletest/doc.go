// Package consoletest runs the console for tests: call [NewWorld] first for a gateway, then
// [World.Browser] for a client with cookies, or [Open] for Chromium, and [Screen.As] to sign in.
package consoletest
