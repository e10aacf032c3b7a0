// Command pdfcpu stamps files with pdfcpu's AddWatermarks, as a library, in one
// warm process. The arguments are a PNG, a folder for the results, perhaps the
// word files, and how many times to go over the files, whose names come on
// standard input. The first time each file has an answer: "ok NAME" or "no NAME
// REASON". A file is read into memory and stamped into memory; with the word it
// goes from file to file.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

func main() {
	symbol, dir := os.Args[1], os.Args[2]
	passes, err := strconv.Atoi(os.Args[len(os.Args)-1])
	if err != nil {
		panic(err)
	}
	var names []string
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		names = append(names, in.Text())
	}
	api.DisableConfigDir()
	stamp := inMemory
	if os.Args[3] == "files" {
		stamp = inFiles
	}
	for pass := range passes {
		for _, name := range names {
			to := filepath.Join(dir, filepath.Base(name))
			if pass > 0 {
				to = os.DevNull
			}
			err := stamp(name, to, symbol)
			if pass > 0 {
				continue
			}
			if err != nil {
				fmt.Println("no", filepath.Base(name), strings.ReplaceAll(err.Error(), "\n", " "))
				continue
			}
			fmt.Println("ok", filepath.Base(name))
		}
	}
}

// inMemory stamps the file name into memory, and writes that to the file to.
func inMemory(name, to, symbol string) error {
	pdf, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := stamp(bytes.NewReader(pdf), &out, symbol); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o600)
}

// inFiles stamps the file name into the file to.
func inFiles(name, to, symbol string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(stamp(in, out, symbol), out.Close())
}

// stamp puts the picture of 15 mm with its quiet zone, 44 modules of 40, into
// the bottom right corner of the last page, 10 mm from its edges.
func stamp(in io.ReadSeeker, out io.Writer, symbol string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	conf := model.NewDefaultConfiguration()
	pages, err := api.PageCount(in, conf)
	if err != nil {
		return err
	}
	scale := 15 * 44.0 / 40 / 25.4 * 72 / (44 * 8)
	wm, err := api.ImageWatermark(symbol, fmt.Sprintf("pos:br, off:-28 28, scale:%.4f abs, rot:0", scale), true, false, types.POINTS)
	if err != nil {
		return err
	}
	return api.AddWatermarks(in, out, []string{strconv.Itoa(pages)}, wm, conf)
}
