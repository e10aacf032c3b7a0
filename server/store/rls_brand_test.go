package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"tcode/server/brand"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// logoOf is the hash of the logo of a tenant with a mark.
func logoOf(mark string) string { return strings.Repeat("0", 64-len(mark)) + mark }

// furnishBrand gives a tenant a brand, and returns the hash of its logo.
func furnishBrand(t *testing.T, b *storetest.Bundle, ref, mark string) string {
	t.Helper()
	_, err := b.DB.ChangeBrand(t.Context(), ref, b.Clock.Now(), func(x *brand.Brand) error {
		*x = brand.Brand{Web: mark, Email: mark, Logo: brand.Logo{SHA256: logoOf(mark), Type: "image/png", Width: 1, Height: 1, Data: []byte(mark)}}
		return nil
	}, entry(t.Context(), ref))
	if err != nil {
		t.Fatal(err)
	}
	return logoOf(mark)
}

// brandCalls are the methods of [tenantCalls] about brands.
var brandCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"Brand": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Brand(ctx, ref)
	},
	"Logo": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Logo(ctx, ref, x.logo)
	},
	"ChangeBrand": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.ChangeBrand(ctx, ref, time.Now(), func(x *brand.Brand) error {
			x.Phone = "+49 30 123456"
			return nil
		}, entry(ctx, ref))
	},
}

func init() {
	for name, call := range brandCalls {
		tenantCalls[name] = call
	}
}
