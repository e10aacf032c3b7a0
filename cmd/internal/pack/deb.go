package pack

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A Deb is a Debian package.
type Deb struct {
	Control []Field           // fields of the file control, without Installed-Size, which Write adds
	Scripts map[string]string // postinst, prerm, postrm
	Configs []string          // names of entries that belong to the operator: dpkg keeps changed ones
	Entries []Entry           // with names such as usr/bin/program
}

// A Field is a line of the file control. Further lines of Value begin with a space.
type Field struct{ Name, Value string }

// Write writes the package. It needs the size of its parts first, so these are
// written to a temporary file.
func (d Deb) Write(w io.Writer, at time.Time) (err error) {
	all, err := Complete(d.Entries)
	if err != nil {
		return err
	}
	data, err := os.CreateTemp("", "deb-")
	if err != nil {
		return err
	}
	defer os.Remove(data.Name())
	defer data.Close()
	if err := tarGz(data, d.Entries, at, "./"); err != nil {
		return err
	}
	sums, size, err := summed(all)
	if err != nil {
		return err
	}
	var control bytes.Buffer
	for _, f := range append(d.Control, Field{"Installed-Size", fmt.Sprint((size + 1023) / 1024)}) {
		fmt.Fprintf(&control, "%s: %s\n", f.Name, f.Value)
	}
	parts := []Entry{{Name: "control", Mode: 0o644, Data: control.Bytes()}, {Name: "md5sums", Mode: 0o644, Data: sums}}
	for name, script := range d.Scripts {
		parts = append(parts, Entry{Name: name, Mode: 0o755, Data: []byte(script)})
	}
	if len(d.Configs) > 0 {
		parts = append(parts, Entry{Name: "conffiles", Mode: 0o644, Data: []byte("/" + strings.Join(d.Configs, "\n/") + "\n")})
	}
	var about bytes.Buffer
	if err := tarGz(&about, parts, at, "./"); err != nil {
		return err
	}
	n, err := data.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := data.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "!<arch>\n"); err != nil {
		return err
	}
	for _, m := range []member{
		{"debian-binary", strings.NewReader("2.0\n"), 4},
		{"control.tar.gz", &about, int64(about.Len())},
		{"data.tar.gz", data, n},
	} {
		if err := m.write(w, at); err != nil {
			return err
		}
	}
	return nil
}

// A member is a file in an ar archive.
type member struct {
	name string
	r    io.Reader
	size int64
}

func (m member) write(w io.Writer, at time.Time) error {
	if _, err := fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", m.name, at.Unix(), 0, 0, 0o100644, m.size); err != nil {
		return err
	}
	if _, err := io.CopyN(w, m.r, m.size); err != nil {
		return err
	}
	if m.size%2 == 1 {
		_, err := w.Write([]byte{'\n'})
		return err
	}
	return nil
}

// summed returns the file md5sums, and the bytes of all files.
func summed(entries []Entry) (sums []byte, size int64, err error) {
	for _, e := range entries {
		if e.Mode.IsDir() || e.Link != "" {
			size += 1024
			continue
		}
		h := md5.New() // the format has no other; dpkg looks for damage with it
		n, err := e.copyTo(h)
		if err != nil {
			return nil, 0, err
		}
		size += n
		sums = fmt.Appendf(sums, "%s  %s\n", hex.EncodeToString(h.Sum(nil)), e.Name)
	}
	return sums, size, nil
}
