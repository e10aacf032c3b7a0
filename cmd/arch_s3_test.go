package cmd_test

import "maps"

// The rules of the stores in a cloud: their conditions have no common name in gocloud.dev.
func init() {
	rules = append(rules, rule{"server/platform/blob/blobtest", []string{}, []string{"database/sql"}, "a store for tests, whatever it keeps"})
	maps.Copy(doors, map[string][]string{
		"github.com/aws/aws-sdk-go-v2":      {"server/platform/blob"},
		"github.com/aws/smithy-go":          {"server/platform/blob"},
		"github.com/Azure/azure-sdk-for-go": {"server/platform/blob", "server/platform/blob/blobtest"},
		"cloud.google.com/go":               {"server/platform/blob"},
		"github.com/googleapis/gax-go/v2":   {"server/platform/blob"},
		"google.golang.org/api":             {"server/platform/blob"},
		"golang.org/x/oauth2":               {"server/account/openid", "server/platform/blob"}, // Google's tokens in the second
		"github.com/johannesboyne/gofakes3": {"server/platform/blob/blobtest"},
	})
}
