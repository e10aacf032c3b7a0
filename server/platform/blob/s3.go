package blob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

// s3Cloud has the conditions of S3: If-Match and If-None-Match on ETags.
var s3Cloud = &cloud{
	version: func(r *blob.Reader) string {
		var answer s3.GetObjectOutput
		if !r.As(&answer) {
			return ""
		}
		return aws.ToString(answer.ETag)
	},
	match: func(as func(any) bool, version string) bool {
		var req *transfermanager.UploadObjectInput
		if !as(&req) {
			return false
		}
		req.IfMatch = aws.String(version)
		return true
	},
	other:    `"00000000000000000000000000000000"`,
	absent:   func(err error) bool { return gcerrors.Code(err) == gcerrors.NotFound && !isS3(err, "NoSuchBucket") },
	conflict: func(err error) bool { return isS3(err, "ConditionalRequestConflict") },
	noBucket: func(err error) bool { return isS3(err, "NoSuchBucket") },
}

func isS3(err error, code string) bool {
	e, ok := errors.AsType[smithy.APIError](err)
	return ok && e.ErrorCode() == code
}

func openS3(ctx context.Context, name string, q url.Values) (*blob.Bucket, *cloud, error) {
	values, err := parameters(q, "endpoint", "region", "path_style")
	if err != nil {
		return nil, nil, err
	}
	endpoint, region, pathStyle := values[0], values[1], false
	if values[2] != "" {
		if pathStyle, err = strconv.ParseBool(values[2]); err != nil {
			return nil, nil, fmt.Errorf("path_style: %w", err)
		}
	}
	client := awshttp.NewBuildableClient().
		WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = cloudAnswer }).
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = cloudDial })
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(client), config.WithRegion(region),
		config.WithRetryer(func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = cloudTries, cloudPause })
		}))
	if err != nil {
		return nil, nil, err
	}
	if cfg.Region == "" { // stores other than Amazon's mostly have none
		cfg.Region = "us-east-1"
	}
	if err := haveCredentials(ctx, cfg); err != nil {
		return nil, nil, err
	}
	c := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = pathStyle
		o.DisableLogOutputChecksumValidationSkipped = true // each file is checked against its name
		if endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
		}
	})
	b, err := s3blob.OpenBucket(ctx, c, name, &s3blob.Options{RequestChecksumCalculation: cfg.RequestChecksumCalculation})
	return b, s3Cloud, err
}

// haveCredentials returns the error that each request without credentials would return.
func haveCredentials(ctx context.Context, cfg aws.Config) error {
	ctx, cancel := context.WithTimeout(ctx, cloudKeys)
	defer cancel()
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return fmt.Errorf("there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role: %w", err)
	}
	return nil
}
