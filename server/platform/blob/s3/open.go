package s3

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"tcode/server/platform/blob"
)

// Bounds of one request. The time for all of it is the caller's.
const (
	tries  = 4
	dial   = 5 * time.Second
	answer = 30 * time.Second // for the first byte of an answer
	keys   = 10 * time.Second // for credentials
)

// amazon is the endpoint of addresses without one: the client finds that of the region.
const amazon = "https://s3.amazonaws.com"

// open opens the bucket of s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME][&path_style=true]. The
// region may come from AWS_REGION or AWS_DEFAULT_REGION, the endpoint from AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL. Credentials come from the environment, from the shared files with
// AWS_PROFILE, or from the machine's role.
func open(_ context.Context, u *url.URL) (blob.Bucket, error) {
	values, err := parameters(u.Query(), "endpoint", "region", "path_style")
	if err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupAuto
	if values[2] != "" {
		pathStyle, err := strconv.ParseBool(values[2])
		if err != nil {
			return nil, fmt.Errorf("path_style: %w", err)
		}
		if lookup = minio.BucketLookupDNS; pathStyle {
			lookup = minio.BucketLookupPath
		}
	}
	endpoint := cmp.Or(values[0], os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"))
	region := cmp.Or(values[1], os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	if endpoint != "" { // stores other than Amazon's mostly have no region
		region = cmp.Or(region, "us-east-1")
	}
	at, err := url.Parse(cmp.Or(endpoint, amazon))
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.User != nil ||
		strings.Trim(at.Path, "/") != "" || at.RawQuery != "" || at.Fragment != "" {
		return nil, fmt.Errorf("endpoint: %w", blob.ErrAddress)
	}
	transport := newTransport()
	creds, err := findCredentials(&http.Client{Transport: transport, Timeout: keys})
	if err != nil {
		return nil, err
	}
	client, err := minio.NewCore(at.Host, &minio.Options{
		Creds: creds, Secure: at.Scheme == "https", Transport: transport, Region: region,
		BucketLookup: lookup, MaxRetries: tries,
	})
	if err != nil {
		return nil, withoutQueries(err)
	}
	b := &bucket{client: *client, transport: transport, name: u.Host}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		b.prefix = prefix + "/"
	}
	return b, nil
}

// newTransport returns a transport with the bounds of one request.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dial, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   dial,
		ResponseHeaderTimeout: answer,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   16,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // an object is sent as it is
	}
}

// findCredentials returns the first credentials that there are. Those of a role are renewed.
func findCredentials(client *http.Client) (*credentials.Credentials, error) {
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if off, err := strconv.ParseBool(os.Getenv("AWS_EC2_METADATA_DISABLED")); err != nil || !off {
		providers = append(providers, &credentials.IAM{})
	}
	var why []string
	for _, p := range providers {
		creds := credentials.New(p)
		v, err := creds.GetWithContext(&credentials.CredContext{Client: client})
		if err == nil && v.AccessKeyID != "" && v.SecretAccessKey != "" {
			return creds, nil
		}
		if err != nil {
			why = append(why, err.Error())
		}
	}
	return nil, fmt.Errorf("there are no credentials for S3: set AWS_ACCESS_KEY_ID and "+
		"AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role: %s",
		strings.Join(why, "; "))
}
