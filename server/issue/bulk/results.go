package bulk

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tcode/offline/cell"
	"tcode/server/issue/stamp"
)

// ManifestName is the file of a results archive that has a line for each row.
const ManifestName = "manifest.csv"

// manifestColumns are the columns of the manifest.
var manifestColumns = []string{"line", "state", "fileName", "externalId", "id", "reference", "file", "sha256", "warnings", ErrorColumn}

// WriteResults writes a ZIP archive of the documents that a job has made so far. It
// copies while it reads: only a part of one file is in memory. After an error the
// archive has no directory, so that no program opens it.
func (s *Service) WriteResults(ctx context.Context, j Job, w io.Writer) error {
	delimiter, err := s.delimiter(ctx, j)
	if err != nil {
		return err
	}
	scratch, err := s.c.Spool.Scratch()
	if err != nil {
		return err
	}
	defer scratch.Close()
	manifest := cell.NewWriter(scratch, delimiter)
	if err := manifest.Write(manifestColumns); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	err = s.eachRow(ctx, j, "", func(row Row) error {
		name, file, err := s.addResult(ctx, z, j, row)
		if err != nil {
			return err
		}
		return manifest.Write([]string{
			strconv.Itoa(row.Line), string(row.State), row.File, row.Cells[externalIDColumn], row.Made.ID, row.Made.Reference, name, file.SHA256,
			strings.Join(row.Warnings, "; "), row.Message,
		})
	})
	if err == nil {
		err = manifest.Flush()
	}
	if err != nil {
		return err
	}
	entry, err := z.CreateHeader(&zip.FileHeader{Name: ManifestName, Method: zip.Deflate, Modified: j.UpdatedAt})
	if err != nil {
		return err
	}
	if _, err := scratch.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(entry, scratch); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	return z.Close()
}

// addResult adds the PDF of a row, if it has one.
func (s *Service) addResult(ctx context.Context, z *zip.Writer, j Job, row Row) (name string, file stamp.File, err error) {
	if row.State != RowSucceeded {
		return "", file, nil
	}
	file, ok, err := s.c.Makers[j.Product].File(ctx, j.Tenant, row.Made)
	if err != nil || !ok {
		return "", file, err
	}
	name = resultName(row)
	entry, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: row.UpdatedAt})
	if err != nil {
		return "", file, err
	}
	return name, file, s.c.Blobs.CopyTo(ctx, entry, file.SHA256)
}

// maxBaseName keeps names in an archive, with reference and extension, within
// the limit of file systems (255 bytes), in any script.
const maxBaseName = 150

// resultName returns the name of a row's PDF in the archive: the name of its source
// file, for people, and its reference, which makes the name unique.
func resultName(row Row) string {
	base := path.Base(strings.ReplaceAll(row.File, `\`, "/"))
	base = strings.TrimSuffix(base, path.Ext(base))
	return safeName(base) + "_" + row.Made.Reference + ".pdf"
}

// safeName returns a name that every file system takes, and that is one name
// and no path, option or hidden file. An empty name becomes "document".
func safeName(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(s, "_"))
	s = strings.Trim(s, " .")
	if len(s) > maxBaseName {
		cut := maxBaseName
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = strings.TrimRight(s[:cut], " .")
	}
	if strings.HasPrefix(s, "-") {
		s = "_" + s[1:]
	}
	if s == "" || slices.Contains(reserved, strings.ToUpper(s)) {
		return "document"
	}
	return s
}

// reserved are names that Windows takes for devices, whatever follows a point.
var reserved = []string{
	"CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
	"LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9",
}
