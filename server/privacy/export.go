package privacy

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"time"

	"tcode/offline/jsontext"
	"tcode/server/tenant"
)

// A Manifest says what is in an archive of a tenant's data. It is the last file in it.
type Manifest struct {
	Tenant  string           `json:"tenant"`
	Begun   time.Time        `json:"begunAt"`
	Ended   time.Time        `json:"endedAt"`
	Rows    map[string]int64 `json:"rows"`    // by table
	Files   int64            `json:"files"`   // in files/
	Missing []string         `json:"missing"` // files that rows name and that are not there
}

// exportReadme is the file README.txt of an archive.
const exportReadme = `Everything that a TCode gateway keeps of one tenant.

tables/NAME.jsonl   the rows of a table, one JSON object a line. Times are milliseconds
                    since 1970 in UTC, 0 for none. Bytes are hexadecimal.
files/...           stamp/ID/KIND, document/ID/KIND, bulk_job/ID/csv and zip. The tables
                    stamp_files, document_files and bulk_jobs have their hashes and types;
                    a size below 0 says that the file was deleted.
manifest.json       the counts. An archive without it is not whole.

Each part is as of when it was read, while the gateway continued to work. Secrets are left
out: keys, passwords, secrets of webhooks.
`

// Export writes an archive of everything that a tenant has, as it reads it: only a part of
// one table or file is in memory, and some hundred bytes for each file's line in the
// directory. An archive that is cut short has no directory, and no
// program opens it. The audit log says that by began it. An export is a request or a command: if it
// ends its process, nothing begins it again. The fault is NOT_FOUND.
func (s *Service) Export(ctx context.Context, tenantRef string, by tenant.By, w io.Writer) error {
	if _, err := s.c.Tenants.Tenant(ctx, tenantRef); err != nil {
		return err
	}
	if err := s.c.Store.Record(ctx, &tenant.Entry{Tenant: tenantRef, By: by, Action: ActionExport, Subject: tenantRef, At: s.now()}); err != nil {
		return err
	}
	m := Manifest{Tenant: tenantRef, Begun: s.now(), Rows: map[string]int64{}, Missing: []string{}}
	z := zip.NewWriter(w)
	if err := s.entry(z, "README.txt", func(w io.Writer) error {
		_, err := io.WriteString(w, exportReadme)
		return err
	}); err != nil {
		return err
	}
	for _, table := range s.c.Store.ExportTables() {
		err := s.entry(z, "tables/"+table+".jsonl", func(w io.Writer) error {
			return s.c.Store.ExportRows(ctx, tenantRef, table, func(row []byte) error {
				m.Rows[table]++
				_, err := w.Write(append(row, '\n'))
				return err
			})
		})
		if err != nil {
			return fmt.Errorf("export %s: %w", table, err)
		}
	}
	if err := s.exportFiles(ctx, tenantRef, z, &m); err != nil {
		return fmt.Errorf("export files: %w", err)
	}
	m.Ended = s.now()
	if err := s.entry(z, "manifest.json", func(w io.Writer) error { return jsontext.Encoder(w).Encode(m) }); err != nil {
		return err
	}
	return z.Close()
}

// exportFiles adds the files. One that was deleted since its row was read is only named.
func (s *Service) exportFiles(ctx context.Context, tenantRef string, z *zip.Writer, m *Manifest) error {
	return s.c.Store.ExportFiles(ctx, tenantRef, func(path, name string) error {
		there, err := s.c.Files.Has(ctx, name)
		if err != nil {
			return err
		}
		if !there {
			m.Missing = append(m.Missing, name)
			return nil
		}
		m.Files++
		return s.entry(z, "files/"+path, func(w io.Writer) error { return s.c.Files.CopyTo(ctx, w, name) })
	})
}

// entry adds one file to an archive.
func (s *Service) entry(z *zip.Writer, name string, write func(io.Writer) error) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: s.now()})
	if err != nil {
		return err
	}
	return write(w)
}
