package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tcode/offline/payload"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

var _ delivery.Store = (*DB)(nil)

const mailColumns = `m.tenant, m.id, coalesce(m.document_id, ''), coalesce(m.stamp_id, ''), m.field, m.state, m.reason, m.round, m.tries, m.code, m.next_at, m.give_up_at, m.sent_at, m.created_at, m.updated_at`

// scanMail scans mailColumns, and further columns into more.
func scanMail(r scanner, more ...any) (m delivery.Message, err error) {
	var due, end, sent, created, updated int64
	err = r.Scan(append([]any{
		&m.Tenant, &m.ID, &m.Document, &m.Stamp, &m.Field, &m.State, &m.Reason, &m.Round, &m.Tries, &m.Code, &due, &end, &sent, &created, &updated,
	}, more...)...)
	m.NextAt, m.GiveUpAt, m.SentAt, m.CreatedAt, m.UpdatedAt = fromMS(due), fromMS(end), fromMS(sent), fromMS(created), fromMS(updated)
	return m, err
}

// insertMail stores the message of a new document or stamp, and wakes a gateway for
// it.
func (d *DB) insertMail(ctx context.Context, tx *sql.Tx, m *delivery.Message) error {
	if m == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO mails (tenant, id, document_id, stamp_id, field, state, next_at, wake_at, give_up_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
		m.Tenant, m.ID, orNull(m.Document), orNull(m.Stamp), m.Field, string(m.State), ms(m.NextAt), ms(m.NextAt.Add(wakeGrace)), ms(m.GiveUpAt), ms(m.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert message: %w", err)
	}
	if m.State != delivery.Waiting {
		return nil
	}
	return d.queue.Add(ctx, tx, jobs.Job{Kind: jobs.Mail, Subject: m.ID})
}

// orNull returns a value that is NULL for "".
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// documentMail returns the message of a document, or nil.
func documentMail(ctx context.Context, q queryer, tenantRef, document string) (*delivery.Message, error) {
	return mailOf(ctx, q, "document_id", tenantRef, document)
}

// stampMail returns the message of a stamp, or nil.
func stampMail(ctx context.Context, q queryer, tenantRef, stamp string) (*delivery.Message, error) {
	return mailOf(ctx, q, "stamp_id", tenantRef, stamp)
}

func mailOf(ctx context.Context, q queryer, owner, tenantRef, document string) (*delivery.Message, error) {
	m, err := scanMail(q.QueryRowContext(ctx, `SELECT `+mailColumns+` FROM mails m WHERE m.tenant = $1 AND m.`+owner+` = $2`, tenantRef, document))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read message of document %s: %w", document, err)
	}
	return &m, nil
}

// TakeMessage gives a message to owner.
func (d *DB) TakeMessage(ctx context.Context, id, owner string, now, until time.Time) (m delivery.Message, taken bool, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) (err error) {
		taken = false
		m, err = scanMail(tx.QueryRowContext(ctx, `SELECT `+mailColumns+` FROM mails m WHERE m.id = $1`+d.forUpdate, id))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		to, err := m.State.Next(delivery.Take)
		if err != nil || m.NextAt.After(now) {
			return nil //nolint:nilerr // it is over: there is nothing to do
		}
		if m.State == delivery.Sending { // its previous sender is gone
			m.Reason, m.Code = delivery.Interrupted, 0
		}
		m.State, m.NextAt, m.UpdatedAt = to, until, now
		m.Tries++
		_, err = tx.ExecContext(ctx, `
			UPDATE mails SET state = $1, owner = $2, tries = $3, reason = $4, code = $5, next_at = $6, wake_at = $6, updated_at = $7
			WHERE tenant = $8 AND id = $9`,
			string(to), owner, m.Tries, string(m.Reason), m.Code, ms(until), ms(now), m.Tenant, id)
		taken = err == nil
		return err
	})
	return m, taken, wrap(err, "take message %s", id)
}

// HoldMessage extends a lease.
func (d *DB) HoldMessage(ctx context.Context, m delivery.Message, owner string, until time.Time) error {
	err := d.write(ctx, m.Tenant, func(tx *sql.Tx) error {
		return heldRow(tx.ExecContext(ctx, `UPDATE mails SET next_at = $1, wake_at = $1 WHERE tenant = $2 AND id = $3 AND owner = $4 AND state = 'Sending'`,
			ms(until), m.Tenant, m.ID, owner))
	})
	return wrap(err, "hold message %s", m.ID)
}

// EndMessage stores the result of a try.
func (d *DB) EndMessage(ctx context.Context, m delivery.Message, owner string, e delivery.End) error {
	err := d.write(ctx, m.Tenant, func(tx *sql.Tx) error {
		var now delivery.State
		err := tx.QueryRowContext(ctx, `SELECT state FROM mails WHERE tenant = $1 AND id = $2 AND owner = $3`+d.forUpdate, m.Tenant, m.ID, owner).Scan(&now)
		if errors.Is(err, sql.ErrNoRows) {
			return delivery.ErrLost
		}
		if err != nil {
			return err
		}
		to, err := now.Next(e.Action)
		if err != nil {
			return err
		}
		due, sent := e.At, time.Time{}
		switch to {
		case delivery.Waiting:
			due = e.NextAt
			if err := d.queue.Add(ctx, tx, jobs.Job{Kind: jobs.Mail, Subject: m.ID, Due: due}); err != nil {
				return err
			}
		case delivery.Sent:
			sent = e.At
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE mails SET state = $1, reason = $2, code = $3, owner = '', next_at = $4, wake_at = $5, sent_at = $6, updated_at = $7
			WHERE tenant = $8 AND id = $9`,
			string(to), string(e.Reason), e.Code, ms(due), ms(due.Add(wakeGrace)), ms(sent), ms(e.At), m.Tenant, m.ID)
		return err
	})
	return wrap(err, "end try of message")
}

// openMails is the condition of the index mails_wake.
const openMails = `state IN ('Waiting', 'Sending')`

// WakeMessages wakes gateways for messages that no gateway handled in time.
func (d *DB) WakeMessages(ctx context.Context, now time.Time) error {
	return d.wake(ctx, sleeper{kind: jobs.Mail, table: "mails", open: openMails}, now)
}

// Messages returns a tenant's messages in some states, or all, newest first.
func (d *DB) Messages(ctx context.Context, tenantRef string, states []delivery.State, limit int) (ms []delivery.Message, err error) {
	if len(states) == 0 {
		states = []delivery.State{""}
	}
	var parts []string // of each state the newest, in the order of an index
	var args []any
	for i, s := range slices.Compact(slices.Sorted(slices.Values(states))) {
		w := &where{args: args}
		w.and("tenant = ?", tenantRef)
		if s != "" {
			w.and("state = ?", string(s))
		}
		args = w.args
		parts = append(parts, fmt.Sprintf(`SELECT * FROM (SELECT * FROM mails WHERE %s ORDER BY created_at DESC, id DESC LIMIT %d) AS p%d`, w, limit, i))
	}
	err = d.read(ctx, tenantRef, func(q queryer) error {
		ms, err = all(ctx, q, func(r scanner) (delivery.Message, error) {
			var ref []byte
			m, err := scanMail(r, &ref)
			if m.Stamp != "" {
				var st payload.Reference
				copy(st[:], ref)
				m.Reference = st.String()
				return m, err
			}
			var doc trustdoc.Reference
			copy(doc[:], ref)
			m.Reference = doc.String()
			return m, err
		}, fmt.Sprintf(`SELECT `+mailColumns+`, coalesce(d.reference, s.reference) FROM (%s) AS m
			LEFT JOIN documents d ON d.tenant = m.tenant AND d.id = m.document_id
			LEFT JOIN stamps s ON s.tenant = m.tenant AND s.id = m.stamp_id
			ORDER BY m.created_at DESC, m.id DESC LIMIT %d`, strings.Join(parts, " UNION ALL "), limit), args...)
		return err
	})
	return ms, wrap(err, "read messages")
}

// ResendMessage makes a message that is over wait again.
func (d *DB) ResendMessage(ctx context.Context, id string, now time.Time, audit *tenant.Entry) (m delivery.Message, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) (err error) {
		m, err = scanMail(tx.QueryRowContext(ctx, `SELECT `+mailColumns+` FROM mails m WHERE m.id = $1`+d.forUpdate, id))
		if errors.Is(err, sql.ErrNoRows) {
			return delivery.NoMessage()
		}
		if err != nil {
			return err
		}
		entry := *audit
		entry.Tenant = m.Tenant
		if err := insertAudit(ctx, tx, &entry); err != nil {
			return err
		}
		return d.resend(ctx, tx, &m, m.State == delivery.Sent, now)
	})
	return m, wrap(err, "send message again")
}

// resend makes a message due, whose row is locked. another says that it is another message for
// its reader, with a Message-ID of its own.
func (d *DB) resend(ctx context.Context, tx *sql.Tx, m *delivery.Message, another bool, now time.Time) error {
	to, err := m.State.Next(delivery.Resend)
	if err != nil {
		return err
	}
	if another {
		m.Round++
	}
	m.State, m.Reason, m.Tries, m.Code, m.SentAt = to, "", 0, 0, time.Time{}
	m.NextAt, m.GiveUpAt, m.UpdatedAt = now, now.Add(delivery.Patience), now
	_, err = tx.ExecContext(ctx, `
		UPDATE mails SET state = $1, reason = '', round = $2, tries = 0, code = 0, owner = '', next_at = $3, wake_at = $4, give_up_at = $5,
			sent_at = 0, updated_at = $3
		WHERE tenant = $6 AND id = $7`, string(to), m.Round, ms(now), ms(now.Add(wakeGrace)), ms(m.GiveUpAt), m.Tenant, m.ID)
	if err != nil {
		return err
	}
	if err := forgetFaults(ctx, tx, jobs.Mail, m.ID, ""); err != nil {
		return err
	}
	return d.queue.Add(ctx, tx, jobs.Job{Kind: jobs.Mail, Subject: m.ID})
}

// ResendDocument makes the message of a document due, or stores m if the document has none.
func (d *DB) ResendDocument(ctx context.Context, m delivery.Message, email string, audit *tenant.Entry) error {
	err := d.write(ctx, m.Tenant, func(tx *sql.Tx) error {
		var erased int64
		var before string
		err := tx.QueryRowContext(ctx, `SELECT erased_at, recipient_email FROM documents WHERE tenant = $1 AND id = $2`+d.forUpdate,
			m.Tenant, m.Document).Scan(&erased, &before)
		if err == nil && erased != 0 {
			err = sql.ErrNoRows
		}
		if err != nil {
			return noDocument(err)
		}
		changed := email != "" && email != before
		if changed {
			_, err := tx.ExecContext(ctx, `UPDATE documents SET recipient_email = $1, updated_at = $2 WHERE tenant = $3 AND id = $4`,
				email, ms(audit.At), m.Tenant, m.Document)
			if err != nil {
				return err
			}
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		old, err := scanMail(tx.QueryRowContext(ctx, `SELECT `+mailColumns+` FROM mails m WHERE m.tenant = $1 AND m.document_id = $2`+d.forUpdate,
			m.Tenant, m.Document))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return d.insertMail(ctx, tx, &m)
		case err != nil, m.State == delivery.NotConfigured:
			return err
		}
		return d.resend(ctx, tx, &old, changed || old.State == delivery.Sent, audit.At)
	})
	return wrap(err, "send the message of document %s", m.Document)
}

// ResendMessages makes failed messages wait again. It does not wake them one by one:
// [DB.WakeMessages] finds them.
func (d *DB) ResendMessages(ctx context.Context, tenantRef string, since, now time.Time, audit *tenant.Entry) (n int, err error) {
	to, err := delivery.Failed.Next(delivery.Resend)
	if err != nil {
		return 0, err
	}
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		if n, err = count(tx.ExecContext(ctx, `
			UPDATE mails SET state = $1, reason = '', tries = 0, code = 0, next_at = $2, wake_at = $2, give_up_at = $3, updated_at = $2
			WHERE tenant = $4 AND state = $5 AND created_at >= $6`,
			string(to), ms(now), ms(now.Add(delivery.Patience)), tenantRef, string(delivery.Failed), ms(since))); err != nil || n == 0 {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return n, wrap(err, "send messages again")
}

// holdMessages ends waiting messages in the transaction that marks a database as restored:
// they may have been sent since the backup.
func holdMessages(ctx context.Context, tx *sql.Tx, now time.Time) (int, error) {
	to, err := delivery.Waiting.Next(delivery.Hold)
	if err != nil {
		return 0, err
	}
	return count(tx.ExecContext(ctx, `UPDATE mails SET state = $1, reason = $2, code = 0, owner = '', next_at = $3, wake_at = $3, updated_at = $3 WHERE `+openMails,
		string(to), string(delivery.Restored), ms(now)))
}

// count returns the number of rows that a statement changed.
func count(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}

// WaitingMessages counts the messages that are not over.
func (d *DB) WaitingMessages(ctx context.Context) (map[delivery.State]int, error) {
	out := map[delivery.State]int{delivery.Waiting: 0, delivery.Sending: 0}
	err := d.read(ctx, everyone, func(q queryer) error {
		_, err := all(ctx, q, func(r scanner) (n int, err error) {
			var s delivery.State
			err = r.Scan(&s, &n)
			out[s] = n
			return n, err
		}, `SELECT state, count(*) FROM mails WHERE wake_at > 0 AND `+openMails+` GROUP BY state`)
		return err
	})
	return out, wrap(err, "count messages")
}
