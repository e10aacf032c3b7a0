package pace_test

import (
	"testing"
	"testing/synctest"
	"time"

	"tcode/server/platform/pace"
)

// TestRest runs work for 100 stretches in steps of a tenth of one.
func TestRest(t *testing.T) {
	for name, c := range map[string]struct {
		asked func(p *pace.Pacer, step int)
		want  int
	}{
		"others ask": {func(p *pace.Pacer, _ int) { p.Asked() }, 100},
		"no others":  {func(*pace.Pacer, int) {}, 0},
		"others asked once": {func(p *pace.Pacer, step int) {
			if step == 500 {
				p.Asked()
			}
		}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p pace.Pacer
				rests := 0
				work := pace.Of(p.Work(t.Context()))
				pace.OnPause(work, func(d time.Duration) {
					if d != pace.Pause {
						t.Errorf("a rest of %v", d)
					}
					rests++
				})
				for step := range 1000 {
					c.asked(&p, step)
					work.Rest()
					time.Sleep(pace.Stretch / 10)
				}
				if rests != work.Rests() {
					t.Errorf("Rests() = %d, want %d", work.Rests(), rests)
				}
				if rests < c.want*9/10 || rests > c.want {
					t.Errorf("%d rests, want about %d", rests, c.want)
				}
			})
		})
	}
}

// TestRecent sends one other request: work rests for a second after it.
func TestRecent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace.Pacer
		p.Asked()
		begin, last := time.Now(), time.Time{}
		work := pace.Of(p.Work(t.Context()))
		pace.OnPause(work, func(time.Duration) { last = time.Now() })
		for range 5000 {
			time.Sleep(pace.Stretch)
			work.Rest()
		}
		if d := last.Sub(begin); d > pace.Recent || d < pace.Recent-2*pace.Stretch {
			t.Errorf("the last rest came after %v", d)
		}
	})
}

// TestNone: work without a pacer continues, and a real pause takes its time.
func TestNone(t *testing.T) {
	pace.Of(t.Context()).Rest()
	begin := time.Now()
	if pace.Real(time.Millisecond); time.Since(begin) < time.Millisecond {
		t.Error("it did not rest")
	}
}
