package browsers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/net/websocket"
)

// origin is that of a page which may give commands.
const origin = "http://127.0.0.1"

// errGone means that the browser has closed the connection, such as when it was killed.
var errGone = errors.New("the browser is gone")

// A message is a reply or an event of a browser.
type message struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// A link carries numbered commands to a browser, and its replies and events back.
type link struct {
	ws    *websocket.Conn
	event func(method string, params json.RawMessage) // called in the order of arrival; it must not wait for replies
	gone  chan struct{}

	mu   sync.Mutex // guards next and open
	next int
	open map[int]chan message
}

// dial connects to the WebSocket at url.
func dial(url string, event func(string, json.RawMessage)) (*link, error) {
	ws, err := websocket.Dial(url, "", origin)
	if err != nil {
		return nil, err
	}
	l := &link{ws: ws, event: event, gone: make(chan struct{}), open: map[int]chan message{}}
	go func() {
		defer close(l.gone)
		for {
			var raw []byte
			if websocket.Message.Receive(ws, &raw) != nil {
				return
			}
			l.deliver(raw)
		}
	}()
	return l, nil
}

// deliver passes a message on to the caller that waits for it, or to event.
func (l *link) deliver(raw []byte) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		return
	}
	if m.Method != "" {
		l.event(m.Method, m.Params)
		return
	}
	l.mu.Lock()
	waiting := l.open[m.ID]
	delete(l.open, m.ID)
	l.mu.Unlock()
	if waiting != nil {
		waiting <- m
	}
}

// call sends a command and returns the result. Where wrap is not nil, it puts the command into another one.
func (l *link) call(ctx context.Context, method string, params any, wrap func(id int, command any) any) (json.RawMessage, error) {
	reply := make(chan message, 1)
	l.mu.Lock()
	l.next++
	id := l.next
	l.open[id] = reply
	l.mu.Unlock()
	var command any = map[string]any{"id": id, "method": method, "params": params}
	if wrap != nil {
		command = wrap(id, command)
	}
	raw, err := json.Marshal(command)
	if err != nil {
		return nil, err
	}
	if err := websocket.Message.Send(l.ws, string(raw)); err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	select {
	case m := <-reply:
		if len(m.Error) > 0 {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	case <-l.gone:
		return nil, errGone
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	}
}
