// Package durable puts small files in place so that they are there, whole, after
// a power cut.
//
//	WriteFile: beside, synced ─▶ renamed ─▶ SyncDir: the name, too
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// WriteFile makes path hold data, for its owner only (mode 0600). Whoever reads
// it meanwhile, or after a power cut, finds what was there or all of data. Several
// processes may write the same path; one of them wins.
func WriteFile(path string, data []byte) (err error) {
	sweep(path)
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+partSuffix) // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// partSuffix ends the names of files on their way; stale is how old one is that
// nobody is writing any more.
const (
	partSuffix = ".*.part"
	stale      = time.Hour
)

// sweep removes what was left by processes that were killed.
func sweep(path string) {
	parts, _ := filepath.Glob(filepath.Join(filepath.Dir(path), filepath.Base(path)+partSuffix)) // none, if the folder's name is a pattern
	for _, part := range parts {
		if info, err := os.Stat(part); err == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(part) // next time, if not now
		}
	}
}
