package store

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"tcode/offline/payload"
)

// Bounds of what a search looks up before it reads rows.
const (
	// mostWords is the number of words that a word of a search stands for, the first ones in
	// order.
	mostWords = 32
	// mostFieldKeys is the number of keys of fields among which one is looked for in any case.
	mostFieldKeys = 256
	// mostReferences is the number of references that begin as a search does.
	mostReferences = 32
)

// A term holds the words that a word of a search stands for: those that begin with it.
type term []string

// bySearch matches rows with a word of each term in their name, the rarest term first, with
// exactly the external id, or with one of the references.
func (l listed) bySearch(terms []term, externalID string, references [][]byte) filter {
	others := func(q *args, terms []term, created, id string) (c []string) {
		for _, t := range terms {
			c = append(c, hasOne(l.words+" w WHERE w.tenant = $1 AND "+oneOf(q, "w.word", t)+
				" AND w.created_at = "+created+" AND w."+l.owner+" = "+id))
		}
		return c
	}
	return filter{
		func(q *args) (out []branch) {
			if len(terms) > 0 {
				for _, word := range terms[0] {
					b := branch{table: l.words, id: l.owner, holds: "k.word = " + q.p(word)}
					b.holds = strings.Join(append([]string{b.holds}, others(q, terms[1:], "k.created_at", "k."+l.owner)...), " AND ")
					out = append(out, b)
				}
			}
			b := l.all()
			b.holds = "k.external_id = " + q.p(externalID) + " AND k.external_id <> ''"
			out = append(out, b)
			for _, ref := range references {
				b.holds = "k.reference = " + q.p(ref)
				out = append(out, b)
			}
			return out
		},
		func(q *args, s string) string {
			any := []string{s + ".external_id = " + q.p(externalID)}
			if len(terms) > 0 {
				any = append(any, "("+strings.Join(others(q, terms, s+".created_at", s+".id"), " AND ")+")")
			}
			for _, ref := range references {
				any = append(any, s+".reference = "+q.p(ref))
			}
			return "(" + strings.Join(any, " OR ") + ")"
		},
	}
}

// searchOf returns the filter for the text of a search.
func searchOf(ctx context.Context, q queryer, l list, search string) (filter, error) {
	var terms []term
	for _, w := range wordsOf(search) {
		t, err := distinct(ctx, q, l.of.words, "word", l.tenant, w, w+string(utf8.MaxRune), mostWords)
		if err != nil {
			return filter{}, err
		}
		if len(t) == 0 { // no name has a word that begins so
			terms = nil
			break
		}
		terms = append(terms, t)
	}
	if err := rarestFirst(ctx, q, l, terms); err != nil {
		return filter{}, err
	}
	references, err := referencesIn(ctx, q, l)
	return l.of.bySearch(terms, search, references), err
}

// rarestFirst moves the rarest of several terms to the front.
func rarestFirst(ctx context.Context, q queryer, l list, terms []term) error {
	least := probeMost + 1
	for i := range terms {
		if len(terms) < 2 {
			break
		}
		l.driver = l.of.bySearch(terms[i:i+1], "", nil)
		n, err := probe(ctx, q, l)
		if err != nil {
			return err
		}
		if n < least {
			terms[0], terms[i], least = terms[i], terms[0], n
		}
	}
	return nil
}

// referencesIn returns the tenant's references that the search is the beginning of.
func referencesIn(ctx context.Context, q queryer, l list) ([][]byte, error) {
	first, last := l.f.references[0], l.f.references[1]
	if first == nil {
		return nil, nil
	}
	// The tenant is written so that no engine reads all of its rows instead.
	refs, err := all(ctx, q, func(r scanner) (ref []byte, err error) { return ref, r.Scan(&ref) },
		fmt.Sprintf(`SELECT s.reference FROM %s s WHERE s.tenant || '' = $1 AND s.reference >= $2 AND s.reference <= $3 ORDER BY s.reference LIMIT %d`, l.of.rows, mostReferences),
		l.tenant, first, last)
	return refs, wrap(err, "look for references")
}

// leastReference is the number of characters of a reference, without its prefix, that a
// search needs.
const leastReference = 4

// referenceRange returns the first and the last reference that begin with the text: a
// prefix such as TCR, and some characters.
func referenceRange(text, prefix string) (r [2][]byte) {
	const whole = 16
	text, err := payload.Spell(text)
	rest, ok := strings.CutPrefix(text, prefix)
	if err != nil || !ok || len(rest) < leastReference || len(rest) > whole {
		return r
	}
	for i, fill := range []string{"0", "Z"} {
		_, ref, err := payload.ReadReference(text + strings.Repeat(fill, whole-len(rest)))
		if err != nil {
			return r
		}
		r[i] = ref[:]
	}
	return r
}

// keysOf returns the keys of the tenant's fields that are name in any case, or name alone
// if there is none.
func keysOf(ctx context.Context, q queryer, of listed, tenantRef, name string) ([]string, error) {
	keys, err := distinct(ctx, q, of.fields, "key", tenantRef, "", "", mostFieldKeys)
	if err != nil {
		return nil, err
	}
	same := []string{}
	exact := false
	for _, k := range keys {
		if strings.EqualFold(k, name) {
			same = append(same, k)
			exact = exact || k == name
		}
	}
	if !exact {
		same = append(same, name)
	}
	return same, nil
}

// distinct returns the values of a tenant's column from first on and before the end, if
// that is not "", in order and at most limit. An index begins with tenant and column: each
// value costs one step in it, however many rows have it.
func distinct(ctx context.Context, q queryer, table, column, tenantRef, first, end string, limit int) (out []string, err error) {
	from := ">="
	for at := first; len(out) < limit; from = ">" {
		query := `SELECT coalesce(min(` + column + `), '') FROM ` + table + ` WHERE tenant = $1 AND ` + column + ` ` + from + ` $2`
		a := []any{tenantRef, at}
		if end != "" {
			query += ` AND ` + column + ` < $3`
			a = append(a, end)
		}
		if err := q.QueryRowContext(ctx, query, a...).Scan(&at); err != nil {
			return nil, fmt.Errorf("look for values of %s: %w", column, err)
		}
		if at == "" {
			break
		}
		out = append(out, at)
	}
	return out, nil
}
