package cmd_test

import "maps"

// The rules of the S3 store.
func init() {
	rules = append(rules, rule{"server/platform/blob/blobtest", []string{}, []string{"database/sql"}, "a store for tests, whatever it keeps"})
	maps.Copy(doors, map[string][]string{
		"github.com/aws/aws-sdk-go-v2":      {"server/platform/blob"}, // the client of S3, and its conditions, which gocloud.dev does not name
		"github.com/aws/smithy-go":          {"server/platform/blob"},
		"github.com/johannesboyne/gofakes3": {"server/platform/blob/blobtest"},
	})
}
