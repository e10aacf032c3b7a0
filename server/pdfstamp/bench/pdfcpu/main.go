// Command pdfcpu stamps files with pdfcpu's AddWatermarks, as a library, in one
// warm process. The arguments are a PNG, a folder for the results and how many
// times to go over the files, whose names come on standard input. The first
// time each file has an answer: "ok NAME" or "no NAME REASON".
package main

import (
	"bufio"
	"bytes"
	"fmt"
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
	passes, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	var names []string
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		names = append(names, in.Text())
	}
	api.DisableConfigDir()
	for pass := range passes {
		for _, name := range names {
			out, err := stamp(name, symbol)
			if pass > 0 {
				continue
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), out, 0o600)
			}
			if err != nil {
				fmt.Println("no", filepath.Base(name), strings.ReplaceAll(err.Error(), "\n", " "))
				continue
			}
			fmt.Println("ok", filepath.Base(name))
		}
	}
}

// stamp puts the picture of 15 mm with its quiet zone, 44 modules of 40, into
// the bottom right corner of the last page, 10 mm from its edges.
func stamp(name, symbol string) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	pdf, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	conf := model.NewDefaultConfiguration()
	pages, err := api.PageCount(bytes.NewReader(pdf), conf)
	if err != nil {
		return nil, err
	}
	scale := 15 * 44.0 / 40 / 25.4 * 72 / (44 * 8)
	wm, err := api.ImageWatermark(symbol, fmt.Sprintf("pos:br, off:-28 28, scale:%.4f abs, rot:0", scale), true, false, types.POINTS)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = api.AddWatermarks(bytes.NewReader(pdf), &b, []string{strconv.Itoa(pages)}, wm, conf)
	return b.Bytes(), err
}
