package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/scanner/answer"
	"tcode/testdata"
)

// story is the demo's state: one gateway, one scanner, the stamped documents.
type story struct {
	dir     string
	addr    string // of the gateway
	table   *table
	gateway *gateway
	dev     *device.Device
	lab     *lab
	docs    []document
}

// A document is one of the project's own PDFs and its stamped version.
type document struct {
	name string // file name
	kind string // document type code
	pdf  []byte // before stamping
	stamped
}

func (s *story) home() string { return filepath.Join(s.dir, "scanner") }

func (s *story) close() {
	if s.dev != nil {
		s.dev.Close()
	}
	if s.lab != nil {
		s.lab.close()
	}
	if s.gateway != nil {
		_ = s.gateway.down() // the demo is over in both cases
	}
}

// tell runs all chapters. An error is a step that could not run; the table
// lists unexpected outcomes.
func (s *story) tell(ctx context.Context) error {
	for _, chapter := range []func(context.Context) error{
		s.issue, s.enrol, s.offline, s.attacks, s.sync, s.revocation, s.time,
	} {
		if err := chapter(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) issue(ctx context.Context) error {
	s.table.chapter("The issuer stamps its documents")
	var err error
	if s.gateway, err = newGateway(ctx, s.dir, s.addr); err != nil {
		return err
	}
	if err := s.gateway.start(ctx); err != nil {
		return err
	}
	if s.docs, err = ownDocuments(); err != nil {
		return err
	}
	for i := range s.docs {
		d := &s.docs[i]
		if d.stamped, err = s.gateway.stamp(ctx, d.name, d.kind, d.pdf); err != nil {
			return fmt.Errorf("stamp %s: %w", d.name, err)
		}
		outcome := "stamped, original kept byte for byte"
		if !strings.HasPrefix(string(d.stamped.pdf), string(d.pdf)) {
			outcome = "stamped, original changed"
		}
		s.table.step(d.name, "stamped, original kept byte for byte", outcome)
		if err := s.write(d.name, d.stamped.pdf); err != nil {
			return err
		}
	}
	return nil
}

// ownDocuments returns the PDFs of testdata/documents.
func ownDocuments() ([]document, error) {
	entries, err := testdata.Documents.ReadDir("documents")
	if err != nil {
		return nil, err
	}
	var docs []document
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".pdf" {
			continue
		}
		pdf, err := testdata.Documents.ReadFile("documents/" + e.Name())
		if err != nil {
			return nil, err
		}
		docs = append(docs, document{name: e.Name(), kind: documentType(e.Name()), pdf: pdf})
	}
	if len(docs) < 5 {
		return nil, fmt.Errorf("found %d documents of our own, want at least 5", len(docs))
	}
	return docs, nil
}

// named returns the document of that name, which testdata/documents has.
func (s *story) named(name string) document {
	for _, d := range s.docs {
		if d.name == name {
			return d
		}
	}
	panic("testdata/documents lacks " + name)
}

// documentType chooses a code of the gateway's starter set.
func documentType(name string) string {
	switch {
	case strings.HasPrefix(name, "diploma"):
		return "DIP"
	case strings.HasPrefix(name, "invoice"):
		return "INV"
	case strings.HasPrefix(name, "contract"):
		return "CON"
	}
	return "CRT"
}

// write stores a file for a person to read.
func (s *story) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(s.dir, name), data, 0o600)
}

func (s *story) enrol(ctx context.Context) error {
	s.table.chapter("A scanner enrols, then the gateway is switched off")
	var err error
	if s.dev, err = device.Open(ctx, device.Config{Home: s.home()}); err != nil {
		return err
	}
	report, err := s.dev.Enrol(ctx, s.gateway.url, nil)
	if err != nil {
		return err
	}
	s.table.step("trust root pinned", s.gateway.root, report.Fingerprint.String())
	if err := s.gateway.down(); err != nil {
		return err
	}
	_, err = s.dev.Refresh(ctx, "")
	s.table.step("refresh with the gateway off", "no connection", connection(err))
	return nil
}

func connection(err error) string {
	if err == nil {
		return "connection"
	}
	return "no connection"
}

func (s *story) offline(ctx context.Context) error {
	s.table.chapter("Offline: genuine documents")
	for _, d := range s.docs {
		if err := s.verify(ctx, d.name, "as PDF", d.stamped.pdf, "valid, match"); err != nil {
			return err
		}
	}
	var err error
	if s.lab, err = newLab(); err != nil {
		return err
	}
	for i, d := range s.docs {
		scan, err := s.lab.scan(ctx, d.stamped.pdf, uint64(i))
		if err != nil {
			return fmt.Errorf("scan %s: %w", d.name, err)
		}
		if err := s.verifyAs(ctx, d.name, "scan.png", "as a scan at 200 dpi", scan, "valid, not_checked"); err != nil {
			return err
		}
		photo, err := s.lab.photo(ctx, d.stamped.pdf, uint64(i))
		if err != nil {
			return fmt.Errorf("photograph %s: %w", d.name, err)
		}
		if err := s.verifyAs(ctx, d.name, "photo.jpg", "as a phone photo", photo, "valid, not_checked"); err != nil {
			return err
		}
	}
	return nil
}

// verifyAs verifies a variant of a document, and stores it under its own name.
func (s *story) verifyAs(ctx context.Context, name, suffix, how string, data []byte, want string) error {
	file := strings.TrimSuffix(name, ".pdf") + "-" + suffix
	if err := s.write(file, data); err != nil {
		return err
	}
	return s.verify(ctx, file, how, data, want)
}

// verify takes one step: verify and compare.
func (s *story) verify(ctx context.Context, name, how string, data []byte, want string) error {
	return s.verifyOn(ctx, s.dev, name, how, data, want)
}

func (s *story) verifyOn(ctx context.Context, dev *device.Device, name, how string, data []byte, want string) error {
	findings, err := dev.Verify(ctx, name, data, device.VerifyOptions{})
	if err != nil {
		return fmt.Errorf("verify %s: %w", name, err)
	}
	got := make([]string, len(findings))
	for i, f := range findings {
		got[i] = outcome(f)
	}
	s.table.step(name+" "+how, want, strings.Join(got, "; "))
	return nil
}

// outcome describes a finding in a few words: the verdict, any defect, and how
// the stamp is bound to the file.
func outcome(f answer.Finding) string {
	if !f.Found() {
		return answer.NoSymbol
	}
	r := f.Result
	words := []string{string(r.Verdict)}
	if r.Stale && r.Verdict == offline.Valid {
		words = append(words, "stale")
	}
	if r.ClockSuspect {
		words = append(words, "clock_suspect")
	}
	for _, c := range r.Checks {
		if c.Status == offline.Fail {
			words = append(words, c.Code)
		}
	}
	if r.Verdict == offline.Valid {
		words = append(words, string(r.Binding))
	}
	return strings.Join(words, ", ")
}

// later opens a copy of the scanner's home on a machine that has run on for the time
// passed and whose clock is off by clock; restart says that the machine was restarted.
func (s *story) later(ctx context.Context, passed, clock time.Duration, restart bool) (*device.Device, error) {
	home := filepath.Join(s.dir, fmt.Sprintf("scanner%+dh%+dh", int(passed.Hours()), int(clock.Hours())))
	if restart {
		home += "-restarted"
	}
	if err := os.CopyFS(home, os.DirFS(s.home())); err != nil {
		return nil, err
	}
	return device.Open(ctx, device.Config{
		Home: home, Now: func() time.Time { return time.Now().Add(clock) },
		Boot: func() offline.Boot {
			boot := device.MachineBoot()
			if boot.At += passed; restart {
				boot = offline.Boot{ID: "restarted", At: time.Minute}
			}
			return boot
		},
	})
}
