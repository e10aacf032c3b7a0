// Package container has the root file system of the container image of
// tcode-gateway, which cmd/release/Containerfile copies into an empty image.
package container

import (
	"io/fs"

	"tcode/cmd/internal/pack"
)

// User is the number of the user and the group of the program in the container.
const User = "65532"

// Entries returns the root file system: the program and its source, the
// certificates of authorities, and no shell. program, certificates and licence
// are files. Containerfile gives the folder data to the user.
func Entries(program, certificates, licence string, source []byte) []pack.Entry {
	return []pack.Entry{
		{Name: "tcode-gateway", Mode: 0o755, Path: program},
		{Name: "LICENSE", Mode: 0o644, Path: licence},
		{Name: "source.tar.gz", Mode: 0o644, Data: source},
		{Name: "etc/passwd", Mode: 0o644, Data: []byte("root:x:0:0:root:/:/sbin/nologin\ntcode:x:" + User + ":" + User + ":TCode gateway:/data:/sbin/nologin\n")},
		{Name: "etc/group", Mode: 0o644, Data: []byte("root:x:0:\ntcode:x:" + User + ":\n")},
		{Name: "etc/nsswitch.conf", Mode: 0o644, Data: []byte("hosts: files dns\n")},
		{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644, Path: certificates},
		{Name: "data", Mode: fs.ModeDir | 0o700},
		{Name: "proc", Mode: fs.ModeDir | 0o555},
		{Name: "tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777},
	}
}
