package blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azureblobs "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
)

// azureCloud has the conditions of Azure: If-Match and If-None-Match on ETags.
var azureCloud = &cloud{
	version: func(r *blob.Reader) string {
		var answer azureblobs.DownloadStreamResponse
		if !r.As(&answer) || answer.ETag == nil {
			return ""
		}
		return string(*answer.ETag)
	},
	match: func(as func(any) bool, version string) bool {
		var req *azblob.UploadStreamOptions
		if !as(&req) {
			return false
		}
		tag := azcore.ETag(version)
		req.AccessConditions = &azblob.AccessConditions{ModifiedAccessConditions: &azureblobs.ModifiedAccessConditions{IfMatch: &tag}}
		return true
	},
	other:  `"0x000000000000000"`,
	absent: func(err error) bool { return bloberror.HasCode(err, bloberror.BlobNotFound) },
	// The blocks of a large file are gone when another request completed the same file.
	conflict: func(err error) bool { return bloberror.HasCode(err, bloberror.InvalidBlockList) },
	noBucket: func(err error) bool { return bloberror.HasCode(err, bloberror.ContainerNotFound) },
	part:     cloudPart,
}

// azureAccount is the form of the names of accounts.
var azureAccount = regexp.MustCompile(`^[a-z0-9]{3,24}$`)

const azureScope = "https://storage.azure.com/.default"

func openAzure(ctx context.Context, name string, q url.Values) (*blob.Bucket, *cloud, error) {
	values, err := parameters(q, "account", "endpoint")
	if err != nil {
		return nil, nil, err
	}
	account, endpoint := values[0], values[1]
	if account == "" {
		account = os.Getenv("AZURE_STORAGE_ACCOUNT")
	}
	if !azureAccount.MatchString(account) {
		return nil, nil, fmt.Errorf("account, or AZURE_STORAGE_ACCOUNT: %w", ErrAddress)
	}
	if endpoint == "" {
		endpoint = "https://" + account + ".blob.core.windows.net"
	}
	if endpoint, err = secretEndpoint(endpoint); err != nil {
		return nil, nil, err
	}
	c, err := azureClient(ctx, account, endpoint+"/"+url.PathEscape(name))
	if err != nil {
		return nil, nil, err
	}
	b, err := azureblob.OpenBucket(ctx, c, nil)
	return b, azureCloud, err
}

// azureClient returns a client with the first credentials of: a key, a signature for shared
// access, the default chain of Azure's tools.
func azureClient(ctx context.Context, account, address string) (*container.Client, error) {
	options := azcore.ClientOptions{
		Transport: &http.Client{Transport: cloudTransport()},
		Retry:     policy.RetryOptions{MaxRetries: cloudTries - 1, RetryDelay: cloudFirst, MaxRetryDelay: cloudPause},
	}
	if key := os.Getenv("AZURE_STORAGE_KEY"); key != "" {
		credential, err := azblob.NewSharedKeyCredential(account, key)
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_KEY is no key of an account")
		}
		return container.NewClientWithSharedKeyCredential(address, credential, &container.ClientOptions{ClientOptions: options})
	}
	if token := os.Getenv("AZURE_STORAGE_SAS_TOKEN"); token != "" {
		return container.NewClientWithNoCredential(address+"?"+strings.TrimPrefix(token, "?"), &container.ClientOptions{ClientOptions: options})
	}
	credential, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: options})
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, cloudKeys)
		defer cancel()
		_, err = credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{azureScope}})
	}
	if err != nil {
		return nil, fmt.Errorf("there are no credentials for Azure: set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, run az login, or give the machine an identity: %w", shortened{err, attempted(err)})
	}
	return container.NewClient(address, credential, &container.ClientOptions{ClientOptions: options})
}

// attempted returns, in one line, the credentials that were tried and why each failed: lines with
// two spaces before them in Azure's text, which may have whole answers of servers below them.
func attempted(err error) string {
	var tried []string
	for line := range strings.Lines(err.Error()) {
		if name, ok := strings.CutPrefix(strings.ReplaceAll(line, "\t", "  "), "  "); ok && !strings.HasPrefix(name, " ") {
			tried = append(tried, strings.TrimRight(name, " .\n"))
		}
	}
	if len(tried) == 0 {
		return strings.Join(strings.Fields(err.Error()), " ")
	}
	return strings.Join(tried, "; ")
}
