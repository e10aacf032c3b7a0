package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/dates"
	"tcode/offline/trust"
	"tcode/scanner/answer"
	"tcode/scanner/caveat"
)

// colours are those of the tones of a headline.
var colours = map[answer.Tone]string{answer.Accept: green, answer.Look: amber, answer.Refuse: red, answer.Unknown: amber, answer.None: amber}

// headline returns the mark and the words that begin a verdict, in their colour.
func (a *app) headline(f answer.Finding) string {
	h := f.Headline()
	return a.paint.in(colours[h.Tone], h.Mark+" "+f.Words())
}

// findingPrinter prints one finding for people.
func (a *app) findingPrinter(f answer.Finding, now time.Time) func(io.Writer) {
	return func(w io.Writer) {
		if !f.Found() {
			fmt.Fprintf(w, "%s  %s\n   %s\n", a.headline(f), escapePath(f.File), f.Missing.Message)
			if advice := answer.Advice(f.Missing); advice != "" {
				fmt.Fprintf(w, "   %s\n", advice)
			}
			if f.NotKept {
				fmt.Fprintln(w, "   nothing is kept of this (--no-record)")
			}
			return
		}
		fmt.Fprintf(w, "%s  %s%s\n", a.headline(f), a.paint.in(bold, escapePath(f.File)), a.paint.in(faint, pageWords(f)))
		fmt.Fprintf(w, "   %s\n", trust.Escape(f.Result.Reason))
		lines := factLines(f.Result, f.Image, now)
		if f.Restamped {
			lines = append(lines, [2]string{"added", "proven to be nothing but other valid stamps, which cover nothing"})
		}
		for _, c := range f.Caveats {
			lines = append(lines, [2]string{"caution", c.Text})
		}
		if r := f.Result; r.Verdict == offline.Valid && r.Binding == binding.Match && len(f.Caveats) > 0 {
			lines = append(lines, [2]string{"advice", "viewers may show it differently: compare the important parts with the issuer's own copy"})
		}
		if f.NotKept {
			lines = append(lines, [2]string{"scan", notKept(f.Result)})
		}
		for _, line := range lines {
			fmt.Fprintf(w, "   %-10s %s\n", line[0], trust.Escape(line[1]))
		}
	}
}

// notKept explains that no scan is recorded.
func notKept(r offline.Result) string {
	text := "not kept (--no-record): the gateway will not receive it"
	if r.Basis == offline.DeviceClock {
		text += ", and it does not show when this device's clock is set back later"
	}
	return text
}

// pageWords say which page shows the stamp, and the kind of the file if its
// name claims another.
func pageWords(f answer.Finding) string {
	words := ""
	if slices.ContainsFunc(f.Caveats, func(c caveat.Caveat) bool { return c.Code == caveat.FileName }) {
		words = ", judged as " + strings.ToUpper(string(f.Kind))
	}
	if f.Hidden {
		return words + ", not seen on the pages"
	}
	if f.Image && f.Page <= 1 {
		return words
	}
	return words + fmt.Sprintf(", page %d", f.Page)
}

// factLines returns the facts under a verdict, label and text. Without a good
// signature nothing in the payload counts as a fact.
func factLines(r offline.Result, image bool, now time.Time) [][2]string {
	var lines [][2]string
	add := func(label, text string) { lines = append(lines, [2]string{label, text}) }
	if r.Authentic() {
		add("issuer", named(r.Issuer))
		add("document", named(r.DocumentType))
		add("reference", r.Reference)
		add("issued", when(r.IssuedAt))
		if !r.ExpiresAt.IsZero() {
			add("expires", dates.LastDay(r.ExpiresAt))
		}
		for _, f := range r.Fields {
			label := f.Label
			if label == "" {
				label = f.Key
			}
			add(label, f.Value)
		}
	}
	if c, _ := offline.FindCheck(r.Checks, offline.CheckBinding); r.Binding == binding.NotChecked && c.Detail != "" && r.Authentic() {
		add("file", c.Detail)
		if !image {
			add("advice", "ask for the file that the issuer gave out: it answers without comparing")
		}
	}
	for _, c := range r.Checks {
		if c.Status == offline.Fail {
			add("failed", strings.ReplaceAll(c.Name, "_", " ")+": "+detailOf(c))
		}
	}
	if !r.StatusAsOf.IsZero() {
		if r.Basis == offline.Proven {
			add("status", "as of "+when(r.StatusAsOf)+", "+ago(r.StatusAsOf, r.Now)+" by the proven time")
		} else {
			add("status", "as of "+when(r.StatusAsOf)+", "+ago(r.StatusAsOf, now)+" by this device's clock")
		}
	}
	if r.ClockSuspect {
		add("clock", "this device's clock is wrong: tcode-scan clock says what to do")
	}
	return lines
}

// detailOf returns the sentence of a check, or its code if it has none.
func detailOf(c offline.Check) string {
	if c.Detail != "" {
		return c.Detail
	}
	return strings.ReplaceAll(c.Code, "_", " ")
}

func named(n offline.Named) string {
	if n.Name == "" {
		return n.Code
	}
	return n.Name + " (" + n.Code + ")"
}
