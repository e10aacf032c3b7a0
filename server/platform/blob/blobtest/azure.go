package blobtest

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

// azureAccount and AzureKey are the credentials of an account of the tests.
const (
	azureAccount = "tcodetest"
	AzureKey     = "c2VjcmV0LWtleS1vZi10aGUtdGVzdA=="
)

// Azure runs Azurite, with its files in memory, until the test ends.
func Azure(t testing.TB) Bucket {
	t.Helper()
	keys()
	addr, host, port := freeAddress(t)
	cmd := exec.Command(azurite(t), "--silent", "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--blobHost", host, "--blobPort", port)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "AZURITE_ACCOUNTS="+azureAccount+":"+AzureKey)
	stop := run(t, addr, cmd)
	endpoint := "http://" + addr + "/" + azureAccount
	key, err := azblob.NewSharedKeyCredential(azureAccount, AzureKey)
	if err != nil {
		t.Fatal(err)
	}
	files, err := container.NewClientWithSharedKeyCredential(endpoint+"/files", key, nil)
	if err == nil {
		_, err = files.Create(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return Bucket{URL: "azblob://files?" + url.Values{"account": {azureAccount}, "endpoint": {endpoint}}.Encode(), Stop: stop}
}

// azurite returns the path of the program, which npm installs.
func azurite(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const folder = "server/platform/blob/blobtest/azurite"
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	program := filepath.Join(dir, filepath.FromSlash(folder), "node_modules", ".bin", "azurite-blob")
	if _, err := os.Stat(program); err != nil {
		missing(t, "Azurite is not installed: npm ci in %s", folder)
	}
	return program
}
