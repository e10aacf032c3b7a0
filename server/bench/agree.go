package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"regexp"
)

// compared is the number of requests that both answer.
const compared = 20

// agree checks that two servers give the same answers, byte for byte except for the time:
// a server that leaves out a part of the answer does less work than the other.
func agree(ctx context.Context, a, b *process, l load) error {
	one, err := a.answers(ctx, l)
	if err != nil {
		return err
	}
	other, err := b.answers(ctx, l)
	if err != nil {
		return err
	}
	for i := range one {
		if !bytes.Equal(one[i], other[i]) {
			return fmt.Errorf("%s answers\n%s\n%s answers\n%s", a.name, one[i], b.name, other[i])
		}
	}
	return nil
}

var moment = regexp.MustCompile(`"statusAsOf":"[^"]*"`)

// answers returns the bodies of the first answers, without their times.
func (p *process) answers(ctx context.Context, l load) (all [][]byte, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for i := range min(compared, len(l.requests)) {
		var body bytes.Buffer
		if _, err := conn.Write(l.requests[i]); err != nil {
			return nil, err
		}
		if err := answer(in, &body, l.want); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		p.asked++
		all = append(all, moment.ReplaceAll(body.Bytes(), []byte(`"statusAsOf":""`)))
	}
	return all, nil
}
