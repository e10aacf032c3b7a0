package gate

import (
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tcode/server/fault"
)

// A Limiter holds one token bucket for each client: a minute's worth at once,
// refilled evenly. It is safe for concurrent use.
type Limiter struct {
	name      string // in the RateLimit headers
	perMinute int    // 0: no limit
	now       func() time.Time

	mu      sync.Mutex // guards buckets
	buckets map[string]*bucket
	swept   time.Time
}

type bucket struct {
	*rate.Limiter
	perMinute int
	policy    []string // value of the header that tells the limit; it never changes
	used      time.Time
}

// maxClients bounds what strangers can make us remember. Above it a bucket,
// whichever, makes room: a flood of names then costs the flooder nothing, but
// shuts nobody else out, and the limit of its address still holds.
const maxClients = 100_000

// idle is after how long a bucket is full again, and so need not be kept.
const idle = time.Minute

// NewLimiter returns a limiter with a name for the RateLimit headers.
func NewLimiter(name string, perMinute int, now func() time.Time) *Limiter {
	return &Limiter{name: name, perMinute: perMinute, now: now, buckets: map[string]*bucket{}, swept: now()}
}

// Take takes n tokens from the client's bucket and says what is left in
// header (draft-ietf-httpapi-ratelimit-headers-10). It returns a RateLimited
// fault, and sets Retry-After, if there are not enough, and a TooLarge fault if
// no wait would ever be enough.
func (l *Limiter) Take(header http.Header, client string, n int) error {
	return l.takeOf(header, client, l.perMinute, n)
}

// takeOf is take for a client with a limit of its own; 0: none.
func (l *Limiter) takeOf(header http.Header, client string, perMinute, n int) error {
	if perMinute <= 0 {
		return nil
	}
	if n > perMinute {
		return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "at most %d at a time: send fewer", perMinute)
	}
	now := l.now()
	b, policy := l.bucket(client, perMinute, now)
	ok := b.AllowN(now, n)
	tokens := b.TokensAt(now)
	perSecond := float64(perMinute) / 60
	untilOne := time.Duration(math.Max(0, 1-tokens) / perSecond * float64(time.Second))
	header["Ratelimit-Policy"] = policy
	var left [64]byte
	value := append(append(append(left[:0], '"'), l.name...), `";r=`...)
	value = append(strconv.AppendInt(value, int64(math.Max(0, tokens)), 10), ";t="...)
	value = strconv.AppendInt(value, int64(seconds(untilOne)), 10)
	header["Ratelimit"] = []string{string(value)}
	if ok {
		return nil
	}
	wait := (float64(n) - tokens) / perSecond
	header.Set("Retry-After", strconv.Itoa(max(1, seconds(time.Duration(wait*float64(time.Second))))))
	return fault.New(fault.RateLimited, fault.CodeRateLimited, "too many requests; see the Retry-After header")
}

// seconds rounds up.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// bucket returns a client's bucket, and the header that tells its limit.
func (l *Limiter) bucket(client string, perMinute int, now time.Time) (*bucket, []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.swept) > idle {
		for k, b := range l.buckets {
			if now.Sub(b.used) > idle {
				delete(l.buckets, k)
			}
		}
		l.swept = now
	}
	b, ok := l.buckets[client]
	if !ok && len(l.buckets) >= maxClients {
		for k := range l.buckets {
			delete(l.buckets, k)
			break
		}
	}
	if !ok {
		b = &bucket{Limiter: rate.NewLimiter(rate.Limit(float64(perMinute)/60), perMinute)}
		l.buckets[client] = b
	}
	if b.perMinute != perMinute { // the client is new, or has another plan now
		b.SetLimitAt(now, rate.Limit(float64(perMinute)/60))
		b.SetBurstAt(now, perMinute)
		b.perMinute = perMinute
		b.policy = []string{`"` + l.name + `";q=` + strconv.Itoa(perMinute) + ";w=60"}
	}
	b.used = now
	return b, b.policy
}

// ClientOf is the bucket of an address. A site gets a whole IPv6 /64, so that
// is what counts as one client.
func ClientOf(remote string) string {
	addr, err := netip.ParseAddr(remote)
	if err != nil {
		return remote
	}
	if addr.Is4() {
		return remote // which has one form
	}
	if addr = addr.Unmap(); addr.Is6() {
		if p, err := addr.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}
