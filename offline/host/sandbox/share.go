package sandbox

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// shareFrom is the length in bytes from which data is shared as a file: shorter data is cheaper in a pipe.
const shareFrom = 256 << 10

// SendFrom sends one frame with all data of r, as [Conn.Send] does. On Linux, long data does not go through the pipe,
// and this process does not hold it: the child maps the file with the data, and only the pages that it reads become
// resident in the child. If r begins at the start of an [os.File] opened for reading only, the child maps that file;
// otherwise SendFrom copies r to a sealed file in memory. The file must not change until the task is over. Only the
// parent calls SendFrom. The child receives such a frame like any other and cannot write to its data.
func (c *Conn) SendFrom(kind byte, r *io.SectionReader) error {
	n := r.Size()
	if kind >= firstReserved {
		return fmt.Errorf("send frame of reserved kind %#x: %w", kind, ErrProtocol)
	}
	if n > MaxFrame {
		return fmt.Errorf("%d bytes: %w", n, ErrFrameTooLarge)
	}
	if c.share != nil && n >= shareFrom {
		f, done, err := sharedFile(r)
		if err != nil {
			return err
		}
		if f != nil {
			defer done()
			if err := c.share(f); err != nil {
				return err
			}
			return c.send(kindShared, binary.BigEndian.AppendUint64([]byte{kind}, uint64(n)))
		}
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, n), data); err != nil {
		return noEOF(err)
	}
	return c.send(kind, data)
}

// sharedFile returns a file that holds r from its start on and that a child cannot change, and a function to call after
// the file was passed on. The file is nil if the data cannot be shared.
func sharedFile(r *io.SectionReader) (f *os.File, done func(), err error) {
	outer, at, n := r.Outer()
	if f, ok := outer.(*os.File); ok && at == 0 && passable(f, n) {
		return f, func() {}, nil
	}
	if f, err = memoryFile(); err != nil {
		return nil, nil, nil // the pipe works too
	}
	whole := io.NewSectionReader(r, 0, n)
	copied, err := io.CopyBuffer(struct{ io.Writer }{f}, struct{ io.Reader }{whole}, make([]byte, 128<<10))
	if err == nil && copied < n {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = seal(f)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}

// A mapping is the data of a shared frame in the child.
type mapping []byte

// Drop removes data that [Conn.SendFrom] shared from the memory of this process; reading it brings it back. So a child
// that reads parts of a long file holds only the parts that it reads between two calls. Each call costs a system call.
// Data that came through the pipe stays in memory.
func (c *Conn) Drop(data []byte) {
	for _, m := range c.shared {
		if len(data) > 0 && len(m) > 0 && &m[0] == &data[0] {
			m.drop()
		}
	}
}

// takeShared converts the data of a kindShared frame to the shared frame itself.
func takeShared(data []byte) (kind byte, m mapping, err error) {
	if len(data) != 9 {
		return 0, nil, fmt.Errorf("shared frame of %d bytes: %w", len(data), ErrProtocol)
	}
	n := binary.BigEndian.Uint64(data[1:])
	if n > MaxFrame {
		return 0, nil, fmt.Errorf("%d bytes announced: %w", n, ErrFrameTooLarge)
	}
	m, err = mapShared(int(n))
	return data[0], m, err
}
