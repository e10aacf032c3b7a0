package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"tcode/server/platform/blob"
	"tcode/server/platform/draft"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

var (
	// ErrFilesMissing means that the database names files, and there are none at all, most
	// likely because a file system is not mounted. Mounting it later would hide files written
	// meanwhile.
	ErrFilesMissing = errors.New("the folder of files is missing or empty, and the database names some: is it mounted? If they are lost permanently, put a file into it")
	// ErrOtherFiles means that the database belongs to another store of files: gateways of one
	// database must share one.
	ErrOtherFiles = errors.New("the database names another store of files: every gateway of a database needs the same --blob-url, or the same folder. " +
		"If the files were moved here, run \"tcode-gateway fsck --adopt-files\" once, while no gateway runs")
)

// ErrFilesTaken means that the store has the files of another gateway.
var ErrFilesTaken = errors.New("this store of files belongs to another gateway, whose files this one would remove: choose another one. If no other gateway uses it, remove its file notes/store")

// storeNote is the note of a store with its random id, which the database names as well.
const storeNote = "store"

// openBucket opens the store of [Config.BlobURL].
func (g *Gateway) openBucket(ctx context.Context) (err error) {
	if g.c.BlobURL == "" {
		return nil
	}
	g.files, err = blob.OpenURL(ctx, g.c.BlobURL)
	return err
}

func (g *Gateway) openFiles(ctx context.Context) (err error) {
	if err := g.checkAnyFiles(ctx); err != nil {
		return err
	}
	if g.files == nil {
		if g.files, err = blob.Open(g.filesFolder()); err != nil {
			return err
		}
	}
	if err := g.identifyFiles(ctx); err != nil {
		return err
	}
	if g.spool, err = spool.Open(filepath.Join(g.c.Data, "spool")); err != nil {
		return err
	}
	g.spool.Guard = g.ballast.Room
	g.Drafts = draft.Open(filepath.Join(g.c.Data, "drafts"), draft.Config{Room: g.spool.Room, Now: g.c.Now})
	return nil
}

// filesFolder is the folder of the files without [Config.BlobURL].
func (g *Gateway) filesFolder() string { return filepath.Join(g.c.Data, "files") }

// checkAnyFiles returns [ErrFilesMissing] if there is no file at all, and rows name some.
func (g *Gateway) checkAnyFiles(ctx context.Context) error {
	empty, err := g.noFiles(ctx)
	if err != nil || !empty {
		return err
	}
	n, err := g.db.NamedBytes(ctx) // after the check: files are written before the rows that name them
	if err != nil || n == 0 {
		return err
	}
	if empty, err = g.noFiles(ctx); empty {
		return fmt.Errorf("%s: %w", cmp.Or(g.c.BlobURL, g.filesFolder()), ErrFilesMissing)
	}
	return err
}

// noFiles reports whether the store is empty.
func (g *Gateway) noFiles(ctx context.Context) (bool, error) {
	if g.files == nil {
		empty, err := isEmpty(g.filesFolder())
		if err != nil {
			return false, fmt.Errorf("open files: %w", err)
		}
		return empty, nil
	}
	if _, version, err := g.files.Note(ctx, storeNote); err != nil || version != "" {
		return false, err
	}
	return g.files.Empty(ctx)
}

// isEmpty reports whether a folder is empty or missing.
func isEmpty(dir string) (bool, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	_, err = f.ReadDir(1)
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// identifyFiles compares the id of the store with the one that the database names, and makes
// both for a new one. The folder next to an SQLite file needs none, unless the files were in
// another store before.
func (g *Gateway) identifyFiles(ctx context.Context) error {
	named, err := g.db.FilesID(ctx)
	if err != nil || named == "" && g.c.BlobURL == "" && g.c.DatabaseURL == "" {
		return err
	}
	id, _, err := g.files.Note(ctx, storeNote)
	if err != nil {
		return err
	}
	switch {
	case id == nil && named != "" && !g.c.AdoptFiles:
		return fmt.Errorf("%s: %w", g.files.Place(), ErrOtherFiles)
	case id != nil && named != "" && string(id) != named && g.c.AdoptFiles:
		return fmt.Errorf("%s: %w", g.files.Place(), ErrFilesTaken)
	case id != nil && named == "": // or another gateway begins now
		if named, err = g.db.FilesID(ctx); err == nil && named == "" {
			err = g.checkOwner(ctx)
		}
		if err != nil {
			return err
		}
	case id == nil:
		if id, err = g.newFilesID(ctx); err != nil {
			return err
		}
	}
	if g.c.BlobURL != "" { // also proves that the credentials allow to write
		if err := g.files.ProveConditions(ctx, storeNote); err != nil {
			return err
		}
	}
	if g.c.AdoptFiles && named != string(id) {
		audit := tenant.NewEntry(ctx, "", "database.adopt_files", "files", g.c.Now().UTC()).With("place", g.files.Place())
		g.c.Log.WarnContext(ctx, "the database names this store of files from now on", slog.String("files", g.files.Place()))
		return g.db.SetFilesID(ctx, string(id), audit)
	}
	if named, err = g.db.NameFiles(ctx, string(id)); err == nil && named != string(id) {
		err = fmt.Errorf("%s: %w", g.files.Place(), ErrOtherFiles)
	}
	return err
}

// checkOwner returns [ErrFilesTaken] if the store has an id and files, and the database names
// no file: it is another gateway's. Two of them would remove each other's files.
func (g *Gateway) checkOwner(ctx context.Context) error {
	n, err := g.db.NamedBytes(ctx)
	if err != nil || n > 0 {
		return err
	}
	for _, err := range g.files.All(ctx) {
		if err == nil {
			err = fmt.Errorf("%s: %w", g.files.Place(), ErrFilesTaken)
		}
		return err
	}
	return nil
}

// newFilesID gives the store an id, unless another gateway does so now.
func (g *Gateway) newFilesID(ctx context.Context) ([]byte, error) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	id := []byte(hex.EncodeToString(b[:]))
	err := g.files.SetNote(ctx, storeNote, id, "")
	if errors.Is(err, blob.ErrChanged) {
		id, _, err = g.files.Note(ctx, storeNote)
	}
	return id, err
}
