package frame

import (
	"log/slog"
	"net/http"
	"time"

	"tcode/offline/contain"
	"tcode/server/httpapi/gate"
	"tcode/server/tenant"
)

// The policies of a screen. The first permits the style sheet and forms of the console, and
// nothing else. The second permits modules of the console too, and pictures and answers that
// they read from it.
const (
	policy         = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	scriptedPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data: blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

// observe is the outermost layer: it names the request, sets the headers of every answer,
// turns a panic into an answer, and writes one log line, with the route's pattern and not
// the path, which may have a token.
func (f *Frame) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, trace := time.Now(), gate.TraceID(r.Header.Get("traceparent"))
		h := w.Header()
		h.Set("TCode-Trace-Id", trace)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		h.Set("Vary", "Accept-Language, Cookie")
		out := &answer{ResponseWriter: w}
		r = r.WithContext(tenant.WithBy(r.Context(), tenant.By{Actor: tenant.ActorUser, TraceID: trace}))
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				f.c.Log.ErrorContext(r.Context(), "panic", slog.Any("err", contain.Recovered("screen", p)), slog.String("traceId", trace))
				if out.status == 0 {
					http.Error(out, "Internal Server Error", http.StatusInternalServerError)
				}
			}
			f.c.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method), slog.String("route", r.Pattern), slog.Int("status", out.status),
				slog.Float64("took_ms", float64(time.Since(start).Microseconds())/1000), slog.String("remote", f.client(r)), slog.String("traceId", trace))
		}()
		next.ServeHTTP(out, r)
	})
}

// answer notes the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
}

// Unwrap lets [http.ResponseController] flush an answer that lasts.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader notes the status.
func (w *answer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes that the answer is 200 if nothing else was said.
func (w *answer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}
