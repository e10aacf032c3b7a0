package world

import (
	"bytes"
	"context"
	"encoding/json"
	"image/jpeg"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/scanner/answer"
	"tcode/scanner/gray"
	"tcode/scanner/pageimage"
	"tcode/scanner/simulate"
	"tcode/scanner/web/engine"
)

// Scanner opens an enrolled device in a home folder of that name.
func (w *World) Scanner(name string) *device.Device {
	w.T.Helper()
	return w.ScannerWith(name, device.Config{})
}

// ScannerWith returns an enrolled device with a new home of this name and the
// other settings of c.
func (w *World) ScannerWith(name string, c device.Config) *device.Device {
	w.T.Helper()
	c.Home = filepath.Join(w.Dir, name)
	s := w.open(c)
	if _, err := s.Enrol(w.T.Context(), w.URL(), nil); err != nil {
		w.T.Fatal(err)
	}
	return s
}

// OpenDevice opens a scanner's home without enrolment.
func (w *World) OpenDevice(name string) *device.Device {
	w.T.Helper()
	return w.open(device.Config{
		Home: filepath.Join(w.Dir, name), RefreshTimeout: 10 * time.Minute,
	})
}

// DeviceAt opens a home with a clock that is ahead by that time, on a machine
// whose start has that name.
func (w *World) DeviceAt(home string, ahead time.Duration, start string) *device.Device {
	w.T.Helper()
	return w.open(device.Config{
		Home: filepath.Join(w.Dir, home),
		Now:  func() time.Time { return time.Now().Add(ahead) },
		Boot: func() offline.Boot { return offline.Boot{ID: start, At: time.Second} },
	})
}

// open opens a device until the test ends.
func (w *World) open(c device.Config) *device.Device {
	w.T.Helper()
	s, err := device.Open(w.T.Context(), c)
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { s.Close() })
	return s
}

// Verify returns a device's findings about a file.
func (w *World) Verify(s *device.Device, file []byte) []answer.Finding {
	w.T.Helper()
	findings, err := s.Verify(w.T.Context(), "file.pdf", file, device.VerifyOptions{})
	if err != nil {
		w.T.Fatal(err)
	}
	return findings
}

// Scan returns a function that runs `tcode-scan --json` with a home and returns
// its output and exit code.
func (w *World) Scan(home string) func(args ...string) (string, int) {
	with := []string{"--home", filepath.Join(w.Dir, home), "--json"}
	return func(args ...string) (string, int) {
		w.T.Helper()
		args = append(slices.Clip(with), args...)
		out, err := exec.Command(Program(w.T, "tcode-scan"), args...).Output()
		return string(out), ExitCode(w.T, err)
	}
}

// A FileScan is the program's answer about one file.
type FileScan struct {
	Exit      int
	Out, Errs string
}

// ScanFiles returns a function that runs `tcode-scan verify` on a file, in an
// enrolled home.
func (w *World) ScanFiles(name string) func(file string, data []byte, args ...string) FileScan {
	tcodeScan, home := Program(w.T, "tcode-scan"), "--home="+w.Dir+"/"+name
	enrol := exec.Command(tcodeScan, home, "enrol", "--gateway", w.URL())
	if out, err := enrol.CombinedOutput(); err != nil {
		w.T.Fatalf("enrol: %v\n%s", err, out)
	}
	return func(file string, data []byte, args ...string) FileScan {
		w.T.Helper()
		args = append([]string{home, "verify", w.File(file, data)}, args...)
		cmd := exec.Command(tcodeScan, args...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		return FileScan{ExitCode(w.T, cmd.Run()), out.String(), errs.String()}
	}
}

// A ScanAnswer is a line of `tcode-scan --json`, of any command used here.
type ScanAnswer struct {
	Verdict, Basis, Event, Reason string
	Stale, ClockSuspect           bool
	ClockWasAhead                 bool
	Advice                        string
}

// ScanAnswers returns a function that runs tcode-scan on a home; the answers are
// its lines of JSON. A run of a minute has hung.
func (w *World) ScanAnswers(home string) func(...string) (a []ScanAnswer, said string, code int) {
	with := []string{"--home", filepath.Join(w.Dir, home), "--json"}
	return func(args ...string) ([]ScanAnswer, string, int) {
		w.T.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		args = append(slices.Clip(with), args...)
		cmd := exec.CommandContext(ctx, Program(w.T, "tcode-scan"), args...)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		code := ExitCode(w.T, cmd.Run())
		if ctx.Err() != nil {
			w.T.Fatalf("tcode-scan %v has hung", args)
		}
		var all []ScanAnswer
		for line := range strings.Lines(out.String()) {
			var a ScanAnswer
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				w.T.Fatalf("%q: %v", line, err)
			}
			all = append(all, a)
		}
		return all, out.String() + errs.String(), code
	}
}

// DeviceAndEngine returns an enrolled device and the browser's engine over its stores and
// clocks. Their proven time stands still, so that the age of the status is the same in both
// answers.
func (w *World) DeviceAndEngine() (*device.Device, *engine.Engine) {
	w.T.Helper()
	boot := func() offline.Boot { return offline.Boot{ID: "engine", At: time.Hour} }
	dev := w.ScannerWith("engine", device.Config{Boot: boot})
	e, err := engine.New(engine.Config{
		Trust: dev.Cache.Book, Scans: dev.Outbox, Now: dev.Now, Boot: boot, Decode: decodeJPEG,
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return dev, e
}

// decodeJPEG stands for the browser's decoder.
func decodeJPEG(_ context.Context, data []byte, w, h int) (*gray.Image, error) {
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return pageimage.Shrink(simulate.FromImage(img), w, h), nil
}
