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

// MaxFrame is the longest frame in bytes: enough for a gray page of 60 megapixels and its header. Longer data takes
// several frames.
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
	kindShared byte = 0xF4 // parent: a frame whose data is in the file passed before; its kind, u64 length
)

// Status bytes that begin the data of kindEnd.
const (
	endOK    = 0
	endWorn  = 1 // successful, but more than half of its CPU time is used: replace it
	endError = 2
)

// A Conn carries the frames of one task between parent and child. One goroutine at a time may use Send, and one may use
// Receive.
type Conn struct {
	send   func(kind byte, data ...[]byte) error
	recv   func(buffer []byte) (kind byte, data []byte, err error)
	finish func() error           // says that no more frames come; nil in the child
	share  func(f *os.File) error // passes a file before the frame that names it; nil: not possible
	used   func() time.Duration   // the child's work for this task; nil in the child
	shared []mapping              // in the child: of this task
	ended  error                  // set after the last frame of the other side: io.EOF or a *TaskError
}

// Send sends one frame whose data is the given pieces, one after the other. kind is below 0xF0. Send refuses data
// longer than [MaxFrame] with [ErrFrameTooLarge]. If the child's Serve has returned already, the child drops the frame
// and Receive returns the outcome.
func (c *Conn) Send(kind byte, data ...[]byte) error {
	if kind >= firstReserved {
		return fmt.Errorf("send frame of reserved kind %#x: %w", kind, ErrProtocol)
	}
	return c.send(kind, data...)
}

// Finish tells the child that no more frames come. [Pool.Do] calls it when the task returns; a task that is done early
// saves time by calling it itself. Send fails afterwards. Only the parent calls Finish.
func (c *Conn) Finish() error {
	if c.finish == nil {
		return nil
	}
	finish := c.finish
	c.finish, c.share = nil, nil
	c.send = func(byte, ...[]byte) error { return fmt.Errorf("send after the finish: %w", ErrProtocol) }
	return finish()
}

// Receive waits for the next frame. The caller may keep data, in the child until Serve returns. In the child io.EOF
// means that the parent sends no more. In the parent io.EOF means that Serve returned, and a [*TaskError] that it
// returned an error; every other error means that the child is gone, and then [Pool.Do] returns the reason, whatever
// error the task returns.
func (c *Conn) Receive() (kind byte, data []byte, err error) { return c.ReceiveInto(nil) }

// ReceiveInto is like Receive, but uses the memory of buffer for data if it is large enough.
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

// endOf converts the data of a kindEnd or kindFinish frame to the error that Receive returns from then on.
func endOf(data []byte) error {
	if len(data) == 0 || data[0] != endError {
		return io.EOF
	}
	code, message, _ := strings.Cut(string(data[1:]), "\x00")
	return &TaskError{Code: Printable(code, maxCode), Message: Printable(message, maxMessage)}
}

// These are the longest code and message of a TaskError in bytes.
const (
	maxCode    = 64
	maxMessage = 1024
)

// Printable returns at most n bytes of s without anything that a terminal could take for a command. Hostile input may
// have chosen the child's words.
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

// writeFrame writes one frame in few writes, without copying much.
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

// growStep is how much memory readFrame allocates for an announced length before bytes arrive: a wrong header of a
// dying child must not cost 64 MiB.
const growStep = 1 << 20

// readFrame reads one frame, into buffer if it is large enough. io.EOF means a clean end before the first byte.
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

// noEOF makes a frame that is cut short differ from a clean end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
