// Package door takes the requests of a page, or of a native shell, and answers them: a whole scanner behind one function.
// Fill a [Config], call [New], then [Door.Ask] for each request; PROTOCOL.md in the folder above describes them.
//
//	start ─▶ stores open, device key ─▶ Phone
//	frame, file, typed, rejudge ─▶ engine ─▶ scan durable ─▶ reply ─▶ link sends
//	history, entry, counts, annotate, export ─▶ keep
//	sync, sendNow, refresh, enrol ─▶ link ─▶ gateway
//	trust, importTrust, exportTrust, forget ─▶ trustbook
//
// Events go to Config.Event. A request whose reply never comes has an unknown outcome: a scan of it is stored at most
// once, and history shows whether it is.
//
// # Native shells
//
// A program for a phone binds the same scanner without a browser: one exported function that passes the bytes of a request to
// Door.Ask, and one that takes events. Its Config has journals in the private folder of the app (package logjournal, on two
// files each), the key of the system's key store, package nethttp as transport, and the decoders of the system for pictures.
// All of it builds without cgo for android/arm64 and ios/arm64. The example is such a shell.
package door
