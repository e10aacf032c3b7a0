package stamp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server/issue/stamp"
	"tcode/server/platform/blob"
	"tcode/server/platform/blob/blobtest"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// eachStore runs f on both engines, with files in a folder and in a bucket.
func eachStore(t *testing.T, f func(t *testing.T, b *storetest.Bundle)) {
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		for _, kind := range []string{"folder", "S3"} {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				b := storetest.NewOn(t, e)
				if kind == "S3" {
					bucket, err := blob.OpenURL(t.Context(), blobtest.S3(t).URL)
					if err != nil {
						t.Fatal(err)
					}
					b.Blobs, b.StampConfig.Blobs = bucket, bucket
					b.Stamps = stamp.New(b.StampConfig)
				}
				f(t, b)
			})
		}
	})
}

// interrupted calls between before a stamp is inserted, with its files.
type interrupted struct {
	stamp.Store
	between func(st stamp.Stamp)
}

func (s interrupted) InsertStamp(ctx context.Context, st stamp.Stamp, first stamp.Event, once *tenant.IdempotencyRecord, audit *tenant.Entry) (bool, error) {
	s.between(st)
	return s.Store.InsertStamp(ctx, st, first, once, audit)
}

// TestSweepBetween: a sweep comes after the files of a stamp were stored, or found, and before
// its row names them. It may stop at any step, and its removal may come late.
func TestSweepBetween(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, b *storetest.Bundle) {
		id := b.Tenant(t, "Acme", "ACME01")
		sweeper := blob.Sweeper{Store: b.Blobs, Register: b.DB}
		later := time.Now().Add(time.Hour)
		for _, tt := range []struct {
			name  string
			sweep func(name string) error // before the row
			late  func(name string) error // after it
		}{
			{"whole", func(name string) error {
				gone, err := sweeper.Discard(t.Context(), name, later)
				if err == nil && !gone {
					err = fmt.Errorf("%s stays", name)
				}
				return err
			}, nil},
			{"stopped before the removal", func(name string) error {
				_, err := b.DB.Condemn(t.Context(), name, 0, time.Now())
				return err
			}, func(name string) error { return b.Blobs.Remove(t.Context(), name, 0) }},
			{"stopped before the note", func(name string) error {
				_, err := b.DB.Condemn(t.Context(), name, 0, time.Now())
				if err == nil {
					err = b.Blobs.Remove(t.Context(), name, 0)
				}
				return err
			}, func(name string) error { return b.Blobs.Remove(t.Context(), name, 0) }},
		} {
			c, times := b.StampConfig, 0
			c.Store = interrupted{b.StampConfig.Store, func(st stamp.Stamp) {
				times++
				for _, f := range st.Files {
					if times > 1 { // the next sweep leaves the request time to name the copy
						if gone, err := sweeper.Discard(t.Context(), f.SHA256, later); gone || err != nil {
							t.Errorf("a sweep removed %s, which was put again a moment ago: %v", f.Kind, err)
						}
					} else if err := tt.sweep(f.SHA256); err != nil {
						t.Error(err)
					}
				}
			}}
			st, err := stamp.New(c).Create(t.Context(), id, storetest.Request(tt.name))
			if err != nil || times != 2 {
				t.Fatalf("%s: %v after %d tries, want 2", tt.name, err, times)
			}
			if tt.late != nil {
				for _, f := range st.Files {
					if err := tt.late(f.SHA256); err != nil {
						t.Error(err)
					}
				}
			}
			for _, f := range st.Files {
				if _, err := b.Blobs.Get(t.Context(), f.SHA256); err != nil {
					t.Errorf("%s: %s: %v", tt.name, f.Kind, err)
				}
				if gone, err := sweeper.Discard(t.Context(), f.SHA256, later); gone || err != nil {
					t.Errorf("%s: a sweep removed %s, which a row names: %v", tt.name, f.Kind, err)
				}
			}
		}
	})
}

// TestSweepRaces: sweeps without a limit of age run while documents are stamped, most of them
// again and again. Every row has its files.
func TestSweepRaces(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, b *storetest.Bundle) {
		id := b.Tenant(t, "Acme", "ACME01")
		sweeper := blob.Sweeper{Store: b.Blobs, Register: b.DB}
		each, removed := 12, atomic.Int64{}
		c := b.StampConfig
		c.Store = interrupted{c.Store, func(stamp.Stamp) { time.Sleep(time.Duration(rand.IntN(4)) * time.Millisecond) }} // for the sweeps to find files without rows
		stamps := stamp.New(c)
		var stampers, sweepers sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		for range 2 {
			sweepers.Go(func() {
				for ctx.Err() == nil {
					for item, err := range b.Blobs.All(ctx) {
						if err != nil {
							break // of a file that was removed meanwhile
						}
						gone, err := sweeper.DiscardItem(ctx, item, time.Now().Add(time.Hour))
						if err != nil && ctx.Err() == nil {
							t.Error(err)
						}
						if gone {
							removed.Add(1)
						}
					}
				}
			})
		}
		var mu sync.Mutex
		var made []stamp.Stamp
		for n := range 4 {
			stampers.Go(func() {
				for i := range each {
					r := storetest.Request(fmt.Sprint("same ", i%3))
					r.ExternalID = fmt.Sprint(n, "-", i)
					st, err := stamps.Create(t.Context(), id, r)
					if err != nil {
						t.Error(err)
						continue
					}
					mu.Lock()
					made = append(made, st)
					mu.Unlock()
				}
			})
		}
		stampers.Wait()
		stop()
		sweepers.Wait()
		for _, st := range made {
			for _, f := range st.Files {
				if _, err := b.Blobs.Get(t.Context(), f.SHA256); err != nil {
					t.Errorf("%s of %s: %v", f.Kind, st.Reference, err)
				}
			}
		}
		t.Logf("%d stamps, %d files removed", len(made), removed.Load())
	})
}
