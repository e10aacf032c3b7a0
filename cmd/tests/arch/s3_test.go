package arch_test

import "maps"

// The rules of files in buckets: only programs that open them, and tests, link a client of S3.
func init() {
	rules = append(rules,
		rule{
			"server/platform/blob/blobtest",
			[]string{"server/platform/blob", "server/platform/blob/s3"},
			[]string{"database/sql"},
			"a store for tests, whatever it keeps",
		},
		rule{
			"server/platform/blob/s3",
			[]string{"server/platform/blob"},
			[]string{"database/sql"},
			"the client of S3",
		},
	)
	maps.Copy(doors, map[string][]string{
		"github.com/minio/minio-go/v7": {"server/platform/blob/s3"},
		"golang.org/x/oauth2":          {"server/account/openid"},
	})
}
