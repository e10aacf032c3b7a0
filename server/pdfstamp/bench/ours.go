package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tcode/offline/sandbox"
	"tcode/server/pdfstamp"
)

// ourRole is the first argument of this program when it is a tool itself. The
// others are a folder for the results and how many times to go over the files,
// whose names come on standard input; the answers are those of the other
// libraries.
const ourRole = "stamp-files"

// memoryRole is ourRole with each file read into memory and stamped there.
const memoryRole = "stamp-in-memory"

// largeRole is the first argument of this program when it makes the large file.
const largeRole = "make-large-file"

// side is the side of the smallest symbol in modules.
const side = 40

func ours(role string, args []string, stdin io.Reader, stdout io.Writer) error {
	dir := args[0]
	passes, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	var names []string
	for in := bufio.NewScanner(stdin); in.Scan(); {
		names = append(names, in.Text())
	}
	pool := sandbox.NewPool(sandbox.Config{Role: pdfstamp.Role().Name, Size: 1})
	defer pool.Close()
	if _, err := pool.Protections(context.Background()); err != nil { // starts the child
		return err
	}
	g := newGauge(role == memoryRole)
	defer g.tell(stdout)
	s, seal := pdfstamp.New(pool), newSealer()
	stampFile := stampFile
	if role == memoryRole {
		stampFile = stampInMemory
	}
	for pass := range passes {
		for _, name := range names {
			to := filepath.Join(dir, filepath.Base(name))
			if pass > 0 { // the others do not write either, they only make
				_ = stampFile(s, seal, name, os.DevNull)
				continue
			}
			err := stampFile(s, seal, name, to)
			if err != nil {
				fmt.Fprintln(stdout, "no", filepath.Base(name), strings.ReplaceAll(err.Error(), "\n", " "))
				continue
			}
			fmt.Fprintln(stdout, "ok", filepath.Base(name))
		}
	}
	return nil
}

// stampFile stamps the file name into the file to, which becomes the original
// and its revision.
func stampFile(s *pdfstamp.Stamper, seal sealer, name, to string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	pdf := io.NewSectionReader(f, 0, info.Size())
	done, err := s.Append(context.Background(), pdf, pdfstamp.Placement{}, seal.ref, side, seal.seal)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, pdf)
	if err == nil {
		_, err = out.Write(done.Revision)
	}
	return errors.Join(err, out.Close())
}

// stampInMemory is stampFile by way of memory.
func stampInMemory(s *pdfstamp.Stamper, seal sealer, name, to string) error {
	pdf, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	done, err := s.Stamp(context.Background(), pdf, pdfstamp.Placement{}, seal.ref, side, seal.seal)
	if err != nil {
		return err
	}
	return os.WriteFile(to, done.PDF, 0o600)
}
