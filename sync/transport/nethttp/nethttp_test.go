package nethttp_test

import (
	"net/http"
	"net/http/cookiejar"
	"testing"

	"tcode/sync/transport/nethttp"
	"tcode/sync/transport/transporttest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, client := range map[string]*http.Client{"default": nil, "with cookies": {Jar: jar}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transporttest.Run(t, nethttp.New(client), transporttest.Serve(t))
		})
	}
}
