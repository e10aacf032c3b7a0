package frame

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"

	"tcode/server/httpapi/gate"
)

// heldBytes is the number of bytes of a file that are held back, so that an early failure
// gets a screen.
const heldBytes = 32 << 10

// Attach sets the headers of a file.
func Attach(w http.ResponseWriter, kind, name string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// File serves a file while write makes it. If write fails after the answer has begun, the
// connection ends before the answer, so that no browser takes the part for the whole file.
func (f *Frame) File(w http.ResponseWriter, r *http.Request, kind, name string, write func(io.Writer) error) {
	answer := &begun{ResponseWriter: gate.Paced(w)}
	Attach(w, kind, name)
	out := bufio.NewWriterSize(answer, heldBytes)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	switch {
	case err != nil && answer.yes:
		if !gate.ClientGone(r.Context(), err) {
			f.c.Log.ErrorContext(r.Context(), "a file is cut short", slog.String("file", name), slog.String("route", r.Pattern), slog.Any("err", err))
		}
		panic(http.ErrAbortHandler)
	case err != nil:
		w.Header().Del("Content-Disposition")
		f.Failed(w, r, err)
	}
}

// begun notes that an answer has begun.
type begun struct {
	http.ResponseWriter
	yes bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.ResponseWriter.Write(p)
}
