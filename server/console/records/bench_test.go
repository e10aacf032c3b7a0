package records_test

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/server/store/storetest"
)

// TestPace prints how long the gateway takes for each screen at TCODE_BENCH_STAMPS stamps,
// by default 300. It asserts no time: the machine may be busy.
func TestPace(t *testing.T) {
	n, rounds := 300, 2
	if many, err := strconv.Atoi(os.Getenv("TCODE_BENCH_STAMPS")); err == nil {
		n, rounds = many, 60
	}
	x := newBench(t)
	st := x.stamp(x.id, "Diploma of Ada", "D-1")
	storetest.Seed(t, x.Dir, st.ID, n)
	choose := "/console/stamps/choose?all=1&action=revoke&search=" + url.QueryEscape("number "+fmt.Sprint(n/2))
	for _, path := range []string{
		"/console/stamps", "/console/stamps?page=200", "/console/stamps?sort=oldest", "/console/stamps?search=diploma", "/console/stamps?search=" + url.QueryEscape("diploma "+fmt.Sprint(n/2)), "/console/stamps?search=stranger",
		"/console/stamps?status=Suspended", "/console/stamps?type=DIP", "/console/stamps?type=DIP&status=Revoked", "/console/stamps?type=TRN", "/console/stamps?template=" + storetest.Template,
		"/console/stamps?status=Suspended&search=invoice&type=DIP", "/console/stamps?from=2026-11-01&to=2026-11-20&status=Revoked", "/console/stamps?test=live", "/console/stamps?test=test",
		"/console/stamps/" + st.ID, choose, "/console/stamps/choose?all=1&action=revoke", "/console/documents",
	} {
		var took []time.Duration
		for range rounds {
			begun := time.Now()
			x.b.Want(path, nil, 200, "")
			took = append(took, time.Since(begun))
		}
		first := took[0]
		slices.Sort(took)
		t.Logf("%-75s first %6.1f ms, median %6.1f ms, p95 %6.1f ms", regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).ReplaceAllString(strings.TrimPrefix(path, "/console"), "ID"), ms(first), ms(took[len(took)/2]), ms(took[len(took)*95/100]))
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
