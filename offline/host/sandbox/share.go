package sandbox

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// shareFrom is the length in bytes from which data is shared as a file: less costs less in a pipe.
const shareFrom = 256 << 10

// SendFrom sends one frame whose data are all of r, as [Conn.Send] does. Where the system can (Linux), data that is
// long does not go through the pipe and is not held by this process: the child maps the file that holds it, and only
// what it looks at becomes resident there. That file is the one r reads from if it is an [os.File], opened for reading
// only and r begins at its start; else a sealed one in memory that r is copied to. The file must not change until the
// task is over. SendFrom is for the parent; the child receives such a frame as any other, and cannot write to its data.
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

// sharedFile returns a file that holds r from its start on and that no child can change, and what to do when it was
// passed on. The file is nil where there can be none.
func sharedFile(r *io.SectionReader) (f *os.File, done func(), err error) {
	outer, at, n := r.Outer()
	if f, ok := outer.(*os.File); ok && at == 0 && passable(f, n) {
		return f, func() {}, nil
	}
	if f, err = memoryFile(); err != nil {
		return nil, nil, nil // the pipe does it too
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

// Drop takes data out of the memory of this process where [Conn.SendFrom] shared them: what is read again comes back.
// So a child that looks here and there into a long file holds no more of it than it looks at between two calls, of
// which each costs a system call. Data that came through the pipe stay where they are.
func (c *Conn) Drop(data []byte) {
	for _, m := range c.shared {
		if len(data) > 0 && len(m) > 0 && &m[0] == &data[0] {
			m.drop()
		}
	}
}

// takeShared turns the data of a kindShared frame into the frame it stands for.
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
