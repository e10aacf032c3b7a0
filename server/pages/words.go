package pages

import "strings"

// words are the words of the pages in one language. Sentences have slots in braces,
// such as {issuer}, which [words.fill] fills.
type words struct {
	Language  string // BCP 47
	Direction string // of writing: ltr or rtl
	Name      string // of the language, in itself

	Skip, Start, Menu, LanguageMenu, WhatIs, Source                     string // around every page
	Verify, App, Console, Another                                       string // links
	IssuedBy, AsOf, TestNote, NewerIs, TookPlace, SignedBy, AllDetails  string
	Compare, Document, Forgery, CannotSee, DropFile                     string
	Erased                                                              string // {date}: when the issuer erased name and details
	More, Questions, WhatToDo, NotFoundAdvice, BusyAdvice, FailedAdvice string
	Type, Issuer, Issued, Recipient, Title, Expires                     string // labels
	Reference, ReferenceHint, ReferenceShort, SymbolUnknown, LookUp     string // the form

	VerifyTitle, TypeIt, DropIt, DropHere, OrChoose   string
	NeverLeaves, Private, PrivateHash, NoScript       string
	OnlyPaper, PaperText, Reading, Read               string
	Question, Lead, CheckOne, OrDropFile              string
	AtTheGate, GateText, OpenApp, AppHint, SignsTitle string
	ForIssuers, IssuersText, SignIn                   string
	ForDevelopers, DevelopersText, Documentation      string
	Signs                                             [4][2]string // accept, look, refuse, unknown: name, text

	// Answers are the headline and the sentence of each answer, by its key in answers.
	// A headline may have two parts, the small one first: "VALID, BUT|STALE".
	Answers map[string][2]string
}

// languages are the languages of the pages: those in which document types have names from
// the start. The first one is the default.
var languages = []words{english, german, french, spanish, arabic}

// A piece is a part of a sentence: plain text of ours, or the value of a slot.
type piece struct{ Slot, Text string }

// fill cuts a sentence into its pieces, and gives the slots their values. A slot without
// a value stays empty: a script of the page fills it.
func fill(sentence string, values map[string]string) (all []piece) {
	for sentence != "" {
		before, rest, _ := strings.Cut(sentence, "{")
		if before != "" {
			all = append(all, piece{"", before})
		}
		slot, after, ok := strings.Cut(rest, "}")
		if ok {
			all = append(all, piece{slot, values[slot]})
		}
		sentence = after
	}
	return all
}
