package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxFrame is the longest frame in bytes: a gray page of 60 megapixels and its header fit. Longer data goes in parts.
const MaxFrame = 64 << 20

// headerLen is the kind (1 byte) and the length (4 bytes, big-endian) before each frame's data.
const headerLen = 5

// Kinds from firstReserved on belong to this package.
const (
	firstReserved byte = 0xF0

	kindHello  byte = 0xF0 // child: restricted and ready; data names the protections in force
	kindBegin  byte = 0xF1 // parent: a task begins
	kindFinish byte = 0xF2 // parent: no more frames in this task
	kindEnd    byte = 0xF3 // child: task over; status byte, code, NUL, message
	kindShared byte = 0xF4 // parent: a frame whose data lie in the file passed before; its kind, u64 length
)

// Status bytes that begin the data of kindEnd.
const (
	endOK    = 0
	endWorn  = 1 // well, but past half of its CPU time: replace it
	endError = 2
)

// Conn carries the frames of one task between parent and child. Send and Receive may each be used by one goroutine
// at a time.
type Conn struct {
	send   func(kind byte, data ...[]byte) error
	recv   func(buffer []byte) (kind byte, data []byte, err error)
	finish func() error           // says that nothing more comes; nil in the child
	share  func(f *os.File) error // passes a file before the frame that speaks of it; nil: it cannot
	shared []mapping              // in the child: of this task
	ended  error                  // set once the other side has said its last word: io.EOF or a *TaskError
}

// Send sends one frame whose data are the given pieces, one after the other. kind is below 0xF0. Data longer than
// [MaxFrame] is refused with [ErrFrameTooLarge]. When the child's Serve has returned already the frame is dropped
// there; Receive tells.
func (c *Conn) Send(kind byte, data ...[]byte) error {
	if kind >= firstReserved {
		return fmt.Errorf("send frame of reserved kind %#x: %w", kind, ErrProtocol)
	}
	return c.send(kind, data...)
}

// Finish tells the child that nothing more comes. [Pool.Do] does so when the task returns; a task that has enough before
// it is done itself saves the time the child takes to end. Nothing can be sent afterwards. It is for the parent.
func (c *Conn) Finish() error {
	if c.finish == nil {
		return nil
	}
	finish := c.finish
	c.finish, c.share = nil, nil
	c.send = func(byte, ...[]byte) error { return fmt.Errorf("send after the finish: %w", ErrProtocol) }
	return finish()
}

// Receive waits for the next frame; data is the caller's to keep, in the child until Serve returns. In the child
// io.EOF says that the parent has nothing more to ask. In the parent io.EOF says that Serve returned, a [*TaskError]
// that it returned an error; every other error means that the child is gone, and then [Pool.Do] returns the reason
// whatever the task makes of it.
func (c *Conn) Receive() (kind byte, data []byte, err error) { return c.ReceiveInto(nil) }

// ReceiveInto is Receive into the memory of buffer, which data is a part of when it has the room.
func (c *Conn) ReceiveInto(buffer []byte) (kind byte, data []byte, err error) {
	if c.ended != nil {
		return 0, nil, c.ended
	}
	kind, data, err = c.recv(buffer)
	if err != nil {
		return 0, nil, err
	}
	switch {
	case kind == kindFinish, kind == kindEnd:
		c.ended = endOf(data)
		return 0, nil, c.ended
	case kind >= firstReserved:
		return 0, nil, fmt.Errorf("frame of reserved kind %#x: %w", kind, ErrProtocol)
	}
	return kind, data, nil
}

// endOf turns the data of a kindEnd or kindFinish frame into what Receive returns from then on.
func endOf(data []byte) error {
	if len(data) == 0 || data[0] != endError {
		return io.EOF
	}
	code, message, _ := strings.Cut(string(data[1:]), "\x00")
	return &TaskError{Code: Printable(code, maxCode), Message: Printable(message, maxMessage)}
}

// Longest code and message of a TaskError, bytes.
const (
	maxCode    = 64
	maxMessage = 1024
)

// Printable returns at most n bytes of s without anything that a terminal could take for a command. The child chooses
// its words, and hostile input may have chosen the child's.
func Printable(s string, n int) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case r == utf8.RuneError, !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s[:min(len(s), n)])
}

// appendEnd builds the data of a kindEnd frame.
func appendEnd(err error, worn bool) []byte {
	if err == nil {
		if worn {
			return []byte{endWorn}
		}
		return []byte{endOK}
	}
	te, ok := errors.AsType[*TaskError](err)
	if !ok {
		te = &TaskError{Code: "failed", Message: err.Error()}
	}
	b := append([]byte{endError}, Printable(te.Code, maxCode)...)
	b = append(b, 0)
	return append(b, Printable(te.Message, maxMessage)...)
}

// writeFrame writes one frame in as few writes as that takes without copying much.
func writeFrame(w io.Writer, kind byte, data ...[]byte) error {
	n := 0
	for _, d := range data {
		n += len(d)
	}
	if n > MaxFrame {
		return fmt.Errorf("%d bytes: %w", n, ErrFrameTooLarge)
	}
	small := make([]byte, headerLen, 512)
	small[0] = kind
	binary.BigEndian.PutUint32(small[1:], uint32(n))
	for _, d := range data {
		if len(d) <= 4096 {
			small = append(small, d...)
			continue
		}
		if _, err := w.Write(small); err != nil {
			return err
		}
		if _, err := w.Write(d); err != nil {
			return err
		}
		small = small[:0]
	}
	if len(small) == 0 {
		return nil
	}
	_, err := w.Write(small)
	return err
}

// growStep is how much readFrame trusts an announced length before bytes have come: a lying header of a dying child
// must not cost 64 MiB.
const growStep = 1 << 20

// readFrame reads one frame, into buffer if it has the room. io.EOF: clean end before the first byte.
func readFrame(r io.Reader, buffer []byte) (kind byte, data []byte, err error) {
	var h [headerLen]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return 0, nil, err
	}
	n := int64(binary.BigEndian.Uint32(h[1:]))
	if n > MaxFrame {
		return 0, nil, fmt.Errorf("%d bytes announced: %w", n, ErrFrameTooLarge)
	}
	if n <= int64(cap(buffer)) {
		_, err := io.ReadFull(r, buffer[:n])
		return h[0], buffer[:n], noEOF(err)
	}
	data = make([]byte, min(n, growStep))
	if _, err := io.ReadFull(r, data); err != nil {
		return 0, nil, noEOF(err)
	}
	if n > growStep {
		whole := make([]byte, n)
		copy(whole, data)
		if _, err := io.ReadFull(r, whole[len(data):]); err != nil {
			return 0, nil, noEOF(err)
		}
		data = whole
	}
	return h[0], data, nil
}

// noEOF keeps a frame cut short from looking like a clean end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parentConn is the parent's end: every wait has a deadline.
func parentConn(in, out *os.File, wall time.Duration) *Conn {
	return &Conn{
		send: func(kind byte, data ...[]byte) error {
			if err := in.SetWriteDeadline(time.Now().Add(wall)); err != nil {
				return err
			}
			return writeFrame(in, kind, data...)
		},
		recv: func(buffer []byte) (byte, []byte, error) {
			if err := out.SetReadDeadline(time.Now().Add(wall)); err != nil {
				return 0, nil, err
			}
			return readFrame(out, buffer)
		},
	}
}
