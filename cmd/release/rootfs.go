package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/container"
	"tcode/cmd/internal/pack"
)

type rootfsCmd struct {
	Out          string `short:"o" required:"" help:"Folder to make the root file system in. It must not exist, or be empty." type:"path" placeholder:"DIR"`
	Certificates string `help:"File with the certificates of authorities, for webhooks, mail and OpenID providers. Default: ${default}." default:"/etc/ssl/certs/ca-certificates.crt" type:"path" placeholder:"FILE"`
	Program      string `help:"Use this program, instead of building tcode-gateway." type:"path" placeholder:"FILE"`
	NoWeb        bool   `name:"keep-engine" help:"Use the engine of the web app that is there, instead of building it first."`
}

// Run makes the folder.
func (c *rootfsCmd) Run(ctx context.Context) error {
	if entries, err := os.ReadDir(c.Out); err == nil && len(entries) > 0 {
		return cli.Usage("%s is not empty: remove it, or name another folder with -o", c.Out)
	}
	src, err := readSource(ctx, "")
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := src.archive(ctx, &archive); err != nil {
		return err
	}
	program := c.Program
	if program == "" {
		if err := generate(ctx, src.top, !c.NoWeb); err != nil {
			return err
		}
		on := target{os: "linux", arch: runtime.GOARCH, cgo: true} // it stamps, so it needs both engines
		work, err := os.MkdirTemp("", "release-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(work)
		if err := on.build(ctx, src, []string{"tcode-gateway"}, work); err != nil {
			return err
		}
		program = filepath.Join(work, "tcode-gateway")
	}
	err = os.MkdirAll(c.Out, 0o755)
	if err := errors.Join(err, os.Chmod(c.Out, 0o755)); err != nil { // whatever the umask
		return err
	}
	return pack.Unpack(c.Out, container.Entries(program, c.Certificates, filepath.Join(src.top, "LICENSE"), archive.Bytes()))
}
