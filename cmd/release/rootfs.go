package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/pack"
)

type rootfsCmd struct {
	Out          string `short:"o" required:"" help:"Folder to make the root file system in. It must not exist, or be empty." type:"path" placeholder:"DIR"`
	Target       string `help:"System and machine: linux/amd64 or linux/arm64. Default: ${default}." default:"linux/amd64" placeholder:"OS/ARCH"`
	Certificates string `help:"File with the certificates of authorities, for webhooks, mail and OpenID providers. Default: ${default}." default:"/etc/ssl/certs/ca-certificates.crt" type:"path" placeholder:"FILE"`
	Program      string `help:"Use this program, instead of building tcode-gateway." type:"path" placeholder:"FILE"`
	NoWeb        bool   `name:"keep-engine" help:"Use the engine of the web app that is there, instead of building it first."`
}

// Run makes the folder.
func (c *rootfsCmd) Run(ctx context.Context) error {
	if entries, err := os.ReadDir(c.Out); err == nil && len(entries) > 0 {
		return cli.Usage("%s is not empty: remove it, or name another folder with -o", c.Out)
	}
	top, err := moduleFolder(ctx)
	if err != nil {
		return err
	}
	program := c.Program
	if program == "" {
		src, err := readSource(ctx, "")
		if err != nil {
			return err
		}
		list, err := chosen([]string{c.Target})
		if err != nil {
			return err
		}
		if !c.NoWeb {
			if _, err := goCommand(ctx, top, []string{"GOFLAGS="}, "generate", "./scanner/web"); err != nil {
				return err
			}
		}
		work, err := os.MkdirTemp("", "release-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(work)
		if err := list[0].build(ctx, src, []string{"tcode-gateway"}, work); err != nil {
			return err
		}
		program = filepath.Join(work, "tcode-gateway")
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	return unpacked(c.Out, rootfs(program, c.Certificates, filepath.Join(top, "LICENSE")))
}

// containerUser is the user of the program in the container. It has no name elsewhere.
const containerUser = "65532"

// rootfs is the root file system of the container image: the program, the
// certificates of authorities, and no shell. Containerfile gives the folder data
// to the user.
func rootfs(program, certificates, licence string) []pack.Entry {
	return []pack.Entry{
		{Name: "tcode-gateway", Mode: 0o755, Path: program},
		{Name: "LICENSE", Mode: 0o644, Path: licence},
		{Name: "etc/passwd", Mode: 0o644, Data: []byte("root:x:0:0:root:/:/sbin/nologin\ntcode:x:" + containerUser + ":" + containerUser + ":TCode gateway:/data:/sbin/nologin\n")},
		{Name: "etc/group", Mode: 0o644, Data: []byte("root:x:0:\ntcode:x:" + containerUser + ":\n")},
		{Name: "etc/nsswitch.conf", Mode: 0o644, Data: []byte("hosts: files dns\n")},
		{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644, Path: certificates},
		{Name: "data", Mode: fs.ModeDir | 0o700},
		{Name: "proc", Mode: fs.ModeDir | 0o555},
		{Name: "tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777},
	}
}
