package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pressly/goose/v3"
	"golang.org/x/text/unicode/norm"
)

// wordsOf returns the words of a text for a search: runs of letters, marks and digits,
// folded, each once and in order.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(folded(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
	slices.Sort(words)
	return slices.Compact(words)
}

// accents are the marks that a search does without: those of Latin, Greek and Cyrillic
// letters, and the vowels and hamzas of Arabic ones. In other scripts marks are letters.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1}, {Lo: 0x064b, Hi: 0x0655, Stride: 1}, {Lo: 0x0670, Hi: 0x0670, Stride: 1},
}}

// plainLetters are for letters that do not consist of another one and an accent. İ, I and ı
// are i for all: a search does not know whether a name is Turkish.
var plainLetters = strings.NewReplacer(
	"ß", "ss", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "æ", "ae", "œ", "oe", "ħ", "h", "ŧ", "t", "ı", "i", "ŋ", "n", "ς", "σ", "ſ", "s",
	"\u0640", "", // the Arabic tatweel, which only lengthens a line
)

// folded returns a text in lower case, composed and without accents.
func folded(text string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(accents, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
	return norm.NFC.String(plainLetters.Replace(bare))
}

// fillWords is migration 00006: it adds the words of existing stamps to the new
// table.
func fillWords() *goose.Migration {
	return goose.NewGoMigration(6, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		for tenantRef, id := "", ""; ; {
			names, err := all(ctx, tx, scanNamed, `
				SELECT tenant, id, name, created_at FROM stamps WHERE (tenant, id) > ($1, $2) ORDER BY tenant, id LIMIT $3`, tenantRef, id, namesAtOnce)
			if err != nil {
				return fmt.Errorf("read names: %w", err)
			}
			if len(names) == 0 {
				return nil
			}
			in := insertion{into: `stamp_words (tenant, word, created_at, stamp_id)`, end: ` ON CONFLICT DO NOTHING`}
			for _, n := range names {
				for _, w := range wordsOf(n.name) {
					in.row(n.tenant, w, n.created, n.id)
				}
				tenantRef, id = n.tenant, n.id
			}
			if err := in.exec(ctx, tx); err != nil {
				return err
			}
		}
	}}, nil)
}

// namesAtOnce is the number of names that fillWords splits before it inserts: each has at
// most 100 words, of four values, and SQLite takes 32,766 in a statement.
const namesAtOnce = 80

type named struct {
	tenant, id, name string
	created          int64
}

func scanNamed(r scanner) (n named, err error) {
	err = r.Scan(&n.tenant, &n.id, &n.name, &n.created)
	return n, err
}
