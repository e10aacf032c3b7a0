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

	"tcode/offline/host/sandbox"
	"tcode/server/pdfstamp"
	"tcode/server/platform/spool"
)

// ourRole is the first argument of this program when it is a tool itself. The
// others are a folder for the results and the number of passes over the files. The
// names of the files come on standard input; the answers are those of the other
// libraries.
const ourRole = "stamp-files"

// gatewayRole is ourRole with each file stamped as the gateway does it.
const gatewayRole = "stamp-as-gateway"

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
	g := newGauge()
	defer g.tell(stdout)
	t := stampingTool{pdfstamp.New(pool), newSealer(), nil}
	stampFile := t.stampFile
	if role == gatewayRole {
		if t.spool, err = spool.Open(filepath.Join(dir, "spool")); err != nil {
			return err
		}
		stampFile = t.stampUpload
	}
	for pass := range passes {
		for _, name := range names {
			to := filepath.Join(dir, filepath.Base(name))
			if pass > 0 { // the others do not write either, they only make
				_ = stampFile(name, os.DevNull)
				continue
			}
			err := stampFile(name, to)
			if err != nil {
				fmt.Fprintln(stdout, "no", filepath.Base(name), strings.ReplaceAll(err.Error(), "\n", " "))
				continue
			}
			fmt.Fprintln(stdout, "ok", filepath.Base(name))
		}
	}
	return nil
}

// stampingTool holds the parts that stamp in this program.
type stampingTool struct {
	stamper *pdfstamp.Stamper
	sealer  sealer
	spool   *spool.Folder
}

func (t stampingTool) revision(pdf *io.SectionReader) ([]byte, error) {
	done, err := t.stamper.Append(context.Background(), pdf, pdfstamp.Placement{}, t.sealer.ref, side, t.sealer.seal)
	return done.Revision, err
}

// stampFile stamps the file name into the file to, which becomes the original
// and its revision.
func (t stampingTool) stampFile(name, to string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	revision, err := t.revision(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, f) // the system does it
	if err == nil {
		_, err = out.Write(revision)
	}
	return errors.Join(err, out.Close())
}

// stampUpload stamps the file name as the gateway does with one that comes in a
// request: into the spool, and there into the file that goes.
func (t stampingTool) stampUpload(name, to string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := t.spool.Writer()
	defer w.Close()
	// In pieces as a decoder of Base64 hands them on; not as the system copies files.
	if _, err := io.CopyBuffer(w, struct{ io.Reader }{f}, make([]byte, 48<<10)); err != nil {
		return err
	}
	upload, err := w.Upload()
	if err != nil {
		return err
	}
	defer upload.Close()
	in, err := upload.File(t.spool)
	if err != nil {
		return err
	}
	revision, err := t.revision(in.Section())
	if err != nil {
		return err
	}
	stamped, err := t.spool.Append(in, revision)
	if err != nil {
		return err
	}
	defer stamped.Close()
	if to == os.DevNull {
		return nil // it is on the disk already
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, stamped.Section())
	return errors.Join(err, out.Close())
}
