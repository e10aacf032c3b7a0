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

// A Limiter holds one token bucket for each client. A bucket holds the tokens of
// one minute and is refilled evenly. A Limiter is safe for concurrent use.
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
	policy    []string // value of the header that states the limit; it never changes
	used      time.Time
}

// maxClients limits the memory for buckets of unknown clients. Above it the
// limiter drops any one bucket for each new one. A client that sends many names
// then evades the limit of a name, but excludes no other client, and the limit of
// its address still applies.
const maxClients = 100_000

// idle is the time after which a bucket is full again, so that the limiter can
// drop it.
const idle = time.Minute

// NewLimiter returns a limiter with a name for the RateLimit headers.
func NewLimiter(name string, perMinute int, now func() time.Time) *Limiter {
	return &Limiter{name: name, perMinute: perMinute, now: now, buckets: map[string]*bucket{}, swept: now()}
}

// Take takes n tokens from the client's bucket and writes the number that is left
// to header (draft-ietf-httpapi-ratelimit-headers-10). It returns a RateLimited
// fault, and sets Retry-After, if the bucket has too few tokens, and a TooLarge
// fault if a full bucket has too few.
func (l *Limiter) Take(header http.Header, client string, n int) error {
	return l.takeOf(header, client, l.perMinute, n)
}

// takeOf is like Take for a client that has its own limit; 0: none.
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

// seconds returns d in seconds, rounded up.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// bucket returns a client's bucket, and the header that states its limit.
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

// ClientOf returns the name of an address's bucket. A site gets a whole IPv6 /64,
// so all addresses of a /64 count as one client.
func ClientOf(remote string) string {
	addr, err := netip.ParseAddr(remote)
	if err != nil {
		return remote
	}
	if addr.Is4() {
		return remote // an IPv4 address has one form
	}
	if addr = addr.Unmap(); addr.Is6() {
		if p, err := addr.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}
