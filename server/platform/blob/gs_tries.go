package blob

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"cloud.google.com/go/storage"
)

// fewTries ends a request of Google's client that failed cloudTries times. The client has a
// setting for that, which its uploads ignore: they try until their context ends.
type fewTries struct{ http.RoundTripper }

// errTried means that the last try of a request failed.
var errTried = fmt.Errorf("no answer of use in %d tries", cloudTries)

// attempts finds the number of a try in the header that the client sends with it.
var attempts = regexp.MustCompile(`gccl-attempt-count/(\d+)`)

// RoundTrip sends a request. The last try has an answer that is not tried again, or an error.
func (f fewTries) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := f.RoundTripper.RoundTrip(r)
	m := attempts.FindStringSubmatch(r.Header.Get("X-Goog-Api-Client"))
	if m == nil {
		return res, err
	}
	if n, numberErr := strconv.Atoi(m[1]); numberErr != nil || n < cloudTries {
		return res, err
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errTried, err)
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusRequestTimeout:
		res.Body.Close()
		return nil, fmt.Errorf("%w: %s", errTried, res.Status)
	}
	return res, nil
}

// tryAgain reports whether Google's client sends a request again after err.
func tryAgain(err error) bool { return !errors.Is(err, errTried) && storage.ShouldRetry(err) }
