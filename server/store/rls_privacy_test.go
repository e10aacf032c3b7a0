package store_test

import (
	"context"
	"time"

	"tcode/server/privacy"
	"tcode/server/store"
)

// privacyCalls are the methods of [tenantCalls] about erasure, retention and export.
var privacyCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"EraseRecord": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.EraseRecord(ctx, privacy.Erasure{Tenant: ref, ID: x.document, Subject: privacy.Document, Step: privacy.First, Requested: time.Now(), Due: time.Now()}, false, entry(ctx, ref))
	},
	"Erasure": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Erasure(ctx, ref, x.document)
	},
	"EraseSome": func(ctx context.Context, db *store.DB, ref string, x things) (out any, err error) {
		for _, s := range privacy.Steps() {
			if s == privacy.StepFiles {
				break
			}
			e := privacy.Erasure{Tenant: ref, ID: x.stamp, Subject: privacy.Stamp, Step: s, Requested: time.Now()}
			if _, out, err = db.EraseSome(ctx, e); err != nil {
				return out, err
			}
		}
		return out, err
	},
	"MoveErasure": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.MoveErasure(ctx, privacy.Erasure{Tenant: ref, ID: x.document, Step: privacy.StepEvents, Due: time.Now()})
	},
	"WaitsForFiles": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.WaitsForFiles(ctx, privacy.Erasure{Tenant: ref, ID: x.document, Subject: privacy.Document})
	},
	"ForgetFile": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.ForgetFile(ctx, privacy.LeavingFile{Tenant: ref, SHA256: x.original})
	},
	"PutOff": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.PutOff(ctx, privacy.LeavingFile{Tenant: ref, SHA256: x.original}, time.Now())
	},
	"Retention": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Retention(ctx, ref)
	},
	"SetRetention": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return nil, db.SetRetention(ctx, ref, privacy.Settings{privacy.History: 100}, entry(ctx, ref))
	},
	"Sweep": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		for _, k := range []privacy.Kind{privacy.Answers, privacy.History, privacy.Locations, privacy.Scans, privacy.Mails, privacy.Uploads, privacy.Originals, privacy.Stamped} {
			if _, _, err := db.Sweep(ctx, ref, k, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	},
	"NoteSweep": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return nil, db.NoteSweep(ctx, ref, time.Now(), map[privacy.Kind]int{privacy.History: 1})
	},
	"Swept": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		got, err := db.Swept(ctx, ref)
		return len(got.Last), err
	},
	"ExportRows": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		n := 0
		for _, table := range db.ExportTables() {
			if err := db.ExportRows(ctx, ref, table, func([]byte) error { n++; return nil }); err != nil {
				return nil, err
			}
		}
		return nil, nil // the number depends on the calls before
	},
	"ExportFiles": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return nil, db.ExportFiles(ctx, ref, func(string, string) error { return nil })
	},
}

func init() {
	for name, call := range privacyCalls {
		tenantCalls[name] = call
	}
}
