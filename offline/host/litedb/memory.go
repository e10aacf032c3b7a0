package litedb

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// OpenMemory opens a private copy, in memory, of a database whose file and write-ahead
// log [ReadFiles] has read. Closing the copy discards all that was written to it.
// OpenMemory migrates the schema of the copy as [Open] does. An empty file is a new
// database. Errors are those of [Open]; [Options.MustExist] has no meaning here.
func OpenMemory(ctx context.Context, file, log []byte, o Options) (*DB, error) {
	db, err := openMemory(ctx, file, log, o)
	if err != nil {
		return nil, fmt.Errorf("open a copy of a database: %w", classify(err))
	}
	return db, nil
}

func openMemory(ctx context.Context, file, log []byte, o Options) (_ *DB, err error) {
	slotsOnce.Do(usePageSlots)
	steps, err := readMigrations(o.Migrations)
	if err != nil {
		return nil, err
	}
	ss := []setting{{"cell_size_check", "1"}, {"foreign_keys", "1"}, {"temp_store", "2"}, {"trusted_schema", "0"}}
	pool, err := openDB(dsn(":memory:", ss, map[string][]string{"_txlock": {"immediate"}, "mode": {"memory"}}))
	if err != nil {
		return nil, err
	}
	// One connection only: each connection has its own memory.
	pool.SetMaxOpenConns(1)
	pool.SetMaxIdleConns(1)
	defer func() {
		if err != nil {
			err = errors.Join(err, pool.Close())
		}
	}()
	if err := fillMemory(ctx, pool, merge(file, log)); err != nil {
		return nil, err
	}
	if err := proveSettings(ctx, pool, ss); err != nil {
		return nil, err
	}
	h, err := readHeader(ctx, pool)
	if err != nil {
		return nil, err
	}
	if err := h.check(o, steps); err != nil {
		return nil, err
	}
	if o.QuickCheck {
		if err := quickCheck(ctx, pool); err != nil {
			return nil, err
		}
	}
	db := &DB{writer: pool, readers: pool}
	return db, migrate(ctx, db, o, steps)
}

// fillMemory puts the bytes of a database into the pool's only connection.
func fillMemory(ctx context.Context, pool *sql.DB, image []byte) error {
	if len(image) == 0 {
		return nil
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	err = conn.Raw(func(driver any) error {
		d, ok := driver.(interface{ Deserialize([]byte) error })
		if !ok {
			return fmt.Errorf("%w: the driver cannot load a database from memory", ErrSetting)
		}
		return d.Deserialize(image)
	})
	return errors.Join(err, conn.Close())
}

// ReadFiles reads a database file and its write-ahead log. Another process may
// be writing them, so ReadFiles reads again until neither changes during the
// reading. It needs no right to write. A missing file is an [fs.ErrNotExist]; a
// missing log is empty.
func ReadFiles(path string) (file, log []byte, err error) {
	for try := 0; ; try++ {
		before, err := stampsOf(path)
		if err != nil {
			return nil, nil, err
		}
		if file, err = os.ReadFile(path); err != nil {
			return nil, nil, err
		}
		if log, err = os.ReadFile(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		after, err := stampsOf(path)
		if err != nil || before == after {
			return file, log, err
		}
		if try == 20 {
			return nil, nil, fmt.Errorf("%s keeps changing: end the programs that write to it", path)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// stampsOf returns a text that differs between two states of a database file
// and its log.
func stampsOf(path string) (s string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("it is not a file")}
	}
	s = strconv.FormatInt(info.Size(), 10) + info.ModTime().String()
	if info, err := os.Stat(path + "-wal"); err == nil {
		s += " " + strconv.FormatInt(info.Size(), 10) + info.ModTime().String()
	}
	return s, nil
}

// merge returns the database as of the last commit in the log, without a log:
// as a file that uses the rollback journal, which works in memory
// (sqlite.org/fileformat.html, sections 1.3.3 and 4).
func merge(file, log []byte) []byte {
	image := append([]byte(nil), file...)
	size := pageSize(nil, log)
	// A page beyond the file's end is in the log.
	for _, f := range committed(log, size, uint32((len(file)+len(log))/size)) {
		end := int(f.page) * size
		if end > len(image) {
			image = append(image, make([]byte, end-len(image))...)
		}
		copy(image[end-size:end], f.data)
		if f.pages > 0 {
			whole := int(f.pages) * size
			image = append(image, make([]byte, max(0, whole-len(image)))...)[:whole]
		}
	}
	if len(image) >= fileHeaderLen && image[18] == 2 && image[19] == 2 {
		image[18], image[19] = 1, 1
	}
	return image
}

// frame is one page in a write-ahead log.
type frame struct {
	page  uint32
	pages uint32 // of the database after this commit; 0: the transaction has more frames
	data  []byte
}

// committed returns the frames up to the last commit whose checksums are
// correct, of a database of at most limit pages.
func committed(log []byte, size int, limit uint32) (frames []frame) {
	const magic = 0x377f0682
	if len(log) < walHeaderLen || binary.BigEndian.Uint32(log)&^1 != magic {
		return nil
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if log[3]&1 == 1 {
		order = binary.BigEndian
	}
	var sum [2]uint32
	add := func(b []byte) {
		for ; len(b) >= 8; b = b[8:] {
			sum[0] += order.Uint32(b) + sum[1]
			sum[1] += order.Uint32(b[4:]) + sum[0]
		}
	}
	holds := func(b []byte) bool {
		return sum[0] == binary.BigEndian.Uint32(b) && sum[1] == binary.BigEndian.Uint32(b[4:])
	}
	if add(log[:24]); !holds(log[24:]) {
		return nil
	}
	last := 0
	for at := walHeaderLen; at+frameHeaderLen+size <= len(log); at += frameHeaderLen + size {
		head, data := log[at:at+frameHeaderLen], log[at+frameHeaderLen:][:size]
		f := frame{binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[4:]), data}
		add(head[:8])
		add(data)
		if string(head[8:16]) != string(log[16:24]) || !holds(head[16:]) || f.page == 0 || f.page > limit || f.pages > limit {
			break
		}
		if frames = append(frames, f); f.pages > 0 {
			last = len(frames)
		}
	}
	return frames[:last]
}
