package dashboard

import (
	"fmt"
	"strconv"
	"strings"

	"tcode/server/tenant"
)

// The chart in user units: a plane for the bars, a scale before and dates below it.
const (
	daysShown   = 14
	chartLeft   = 44.0
	chartRight  = 640.0
	chartTop    = 20.0
	chartBottom = 160.0
	barShare    = 0.56 // of the width of a day
)

// A chart is what was issued and verified by day.
type chart struct {
	Days             []chartDay
	Ticks            []tick
	Line             string // path of what was verified
	Issued, Verified int64
}

// A chartDay is a day with its bar.
type chartDay struct {
	Day, Short       string
	Issued, Verified int64
	Middle           string // of the day
	X, Y, W, H       string // of the bar
}

// A tick is a line of the scale.
type tick struct{ Y, TextY, Label string }

// days reads the last days, which end with today.
func (x *visit) days() error {
	last := tenant.DayOf(x.now)
	days, err := x.c.Tenants.Days(x.ctx, x.v.Tenant.Reference, last.Add(1-daysShown), last)
	if err != nil {
		return err
	}
	x.view.Chart = newChart(days)
	if n := len(days); n > 0 {
		x.view.Today = days[n-1].Scans
	}
	return nil
}

// newChart draws days.
func newChart(days []tenant.DayUsage) (c chart) {
	var highest int64
	for _, d := range days {
		highest = max(highest, d.Stamps+d.Documents, d.Verifications+d.Scans)
	}
	step := scaleStep(highest)
	top := step * 4
	height := func(n int64) float64 { return (chartBottom - chartTop) * float64(n) / float64(top) }
	for i := range int64(5) {
		y := chartBottom - height(i*step)
		c.Ticks = append(c.Ticks, tick{unit(y), unit(y + 4), number(i * step)})
	}
	width := (chartRight - chartLeft) / float64(max(1, len(days)))
	var line strings.Builder
	for i, d := range days {
		issued, verified := d.Stamps+d.Documents, d.Verifications+d.Scans
		middle := chartLeft + width*(float64(i)+0.5)
		c.Days = append(c.Days, chartDay{
			Day: d.Day.String(), Short: strconv.Itoa(int(d.Day) % 100), Issued: issued, Verified: verified,
			Middle: unit(middle), X: unit(middle - width*barShare/2), Y: unit(chartBottom - height(issued)), W: unit(width * barShare), H: unit(height(issued)),
		})
		fmt.Fprintf(&line, "%c%s %s", "ML"[min(i, 1)], unit(middle), unit(chartBottom-height(verified)))
		c.Issued, c.Verified = c.Issued+issued, c.Verified+verified
	}
	c.Line = line.String()
	return c
}

// scaleStep returns a round number of which four cover highest.
func scaleStep(highest int64) int64 {
	for ten := int64(1); ; ten *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if 4*n*ten >= highest {
				return n * ten
			}
		}
	}
}

// unit writes a length of the chart.
func unit(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// number writes a number with narrow spaces between groups of three digits, as in every
// language of the screens.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// A quota is a kind of operations with its use in this month.
type quota struct {
	Label       string
	Used, Quota int64
	Says        string // used, and of how many
	Limited     bool
	High        int64 // from here on it is nearly used up
	Percent     int64
	Near        bool
}

// nearly is the share of a quota, in percent, from which on the screen warns.
const nearly = 80

// plan reads the quotas.
func (x *visit) plan() error {
	report, err := x.c.Tenants.Report(x.ctx, x.v.Tenant.Reference, 0)
	if err != nil {
		return err
	}
	x.view.Month = x.now.UTC().Format("2006-01")
	for _, k := range report {
		q := quota{Label: x.w.Kinds[k.Kind], Used: k.Used, Quota: k.Quota, Limited: k.Limited, Says: number(k.Used)}
		if k.Limited {
			q.Says = fmt.Sprintf(x.w.Of, number(k.Used), number(k.Quota))
			q.High = k.Quota * nearly / 100
			if q.Percent = 100; k.Quota > 0 {
				q.Percent = min(100, 100*k.Used/k.Quota)
			}
			q.Near = q.Percent >= nearly
		}
		x.view.Plan = append(x.view.Plan, q)
	}
	return nil
}
