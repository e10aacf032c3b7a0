package opstest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// A postbox is an SMTP server that can go down and come back at its address.
type postbox struct {
	t    testing.TB
	addr string
	tls  *tls.Config

	mu      sync.Mutex
	server  *smtp.Server
	rcpt    error         // the answer to a recipient; nil: accepted
	slow    time.Duration // before it confirms
	limit   int64         // advertised size limit of a message in bytes; 0: none
	raw     [][]byte      // confirmed messages
	arrived int           // messages whose text arrived, confirmed or not
	known   map[string]int
	open    map[string]bool // confirmed, and the other side has not gone on yet
}

// newPostbox returns a postbox that is down.
func newPostbox(t testing.TB) *postbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:0") // to have a port that no other test takes: they use 127.0.0.1
	if err != nil {
		t.Fatal(err)
	}
	b := &postbox{t: t, addr: l.Addr().String(), known: map[string]int{}, open: map[string]bool{}}
	l.Close()
	t.Cleanup(func() { b.down() })
	return b
}

func (b *postbox) url() string { return "smtp://" + b.addr }

func (b *postbox) up() {
	b.t.Helper()
	s := smtp.NewServer(b)
	s.Domain, s.TLSConfig, s.MaxMessageBytes, s.ErrorLog = "t.example", b.tls, cmp.Or(b.limit, 64<<20), log.New(io.Discard, "", 0)
	l, err := net.Listen("tcp", b.addr)
	if err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	b.server = s
	b.mu.Unlock()
	go s.Serve(l) //nolint:errcheck // it ends when the listener is closed
}

// down closes all connections. It returns the messages whose confirmation may be
// lost.
func (b *postbox) down() (doubtful []string) {
	b.mu.Lock()
	s := b.server
	b.server = nil
	for id := range b.open {
		doubtful = append(doubtful, id)
	}
	b.mu.Unlock()
	if s != nil {
		s.Close()
	}
	return doubtful
}

// leave goes down when it has confirmed all messages that are on their way.
func (b *postbox) leave() {
	b.mu.Lock()
	s := b.server
	b.mu.Unlock()
	if err := s.Shutdown(context.Background()); err != nil {
		b.t.Error(err)
	}
	b.down()
}

// set changes the answers of the postbox.
func (b *postbox) set(rcpt error, slow time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rcpt, b.slow = rcpt, slow
}

// confirmed returns how often each Message-ID was confirmed, and how many
// messages in all.
func (b *postbox) confirmed() (map[string]int, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[string]int{}
	for id, n := range b.known {
		out[id] = n
	}
	return out, len(b.raw)
}

// last returns the newest message.
func (b *postbox) last() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.raw) == 0 {
		b.t.Fatal("no message")
	}
	return b.raw[len(b.raw)-1]
}

// NewSession implements smtp.Backend.
func (b *postbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &postSession{postbox: b}, nil }

type postSession struct {
	*postbox
	id     string // of the last message
	resets int    // since
}

func (s *postSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *postSession) Rcpt(string, *smtp.RcptOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rcpt
}

func (s *postSession) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := netmail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.arrived++
	slow := s.slow
	s.mu.Unlock()
	time.Sleep(slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil { // it went down meanwhile, and confirms nothing
		return &smtp.SMTPError{Code: 421, Message: "down"}
	}
	s.raw = append(s.raw, data)
	id := strings.Trim(m.Header.Get("Message-Id"), "<>")
	s.known[id]++
	s.id, _, _ = strings.Cut(id, "@")
	s.open[s.id], s.resets = true, 0
	return nil
}

// Reset is called when the confirmation of a message was written, and then when
// the other side, having read it, says RSET.
func (s *postSession) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resets++; s.resets == 2 {
		delete(s.open, s.id)
	}
}

func (s *postSession) Logout() error { return nil }
