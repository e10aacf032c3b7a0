package harness

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/server"
	"tcode/server/store/storetest"
)

// Main is the body of a TestMain. It runs the tests by [storetest.Main], those that are
// marked for SQLite on that alone, and exits with 1 if one fails or an answer is not in the
// contract.
// The same program is also the child processes of a gateway, and a gateway in a
// process of its own (see [StartProcess]).
func Main(m *testing.M) {
	sandbox.Main(server.Roles()...)
	if data := os.Getenv(gatewayEnv); data != "" {
		runGateway(data)
	}
	http.DefaultTransport = record
	flag.Parse()
	if storetest.DefaultEngine() == storetest.Postgres && os.Getenv(marksVariable) != "ignore" {
		if err := skipSQLiteOnly(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := storetest.Main(m)
	if !record.report(os.Stderr) && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// marksVariable is "ignore" if all tests run on PostgreSQL, also those that are marked for SQLite.
const marksVariable = "TCODE_TEST_MARKS"

// sqliteOnly finds the tests whose comment says that they are for SQLite.
var sqliteOnly = regexp.MustCompile(`(?m)^//engine:sqlite \S.*\n(?://.*\n)*func (Test\w+)\(`)

// skipSQLiteOnly adds the tests of the package in the working directory that are
// for SQLite to those that -skip names.
func skipSQLiteOnly() error {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return err
	}
	var skip []string
	if given := flag.Lookup("test.skip").Value.String(); given != "" {
		skip = append(skip, given)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, found := range sqliteOnly.FindAllSubmatch(source, -1) {
			skip = append(skip, "^"+string(found[1])+"$")
		}
	}
	return flag.Set("test.skip", strings.Join(skip, "|"))
}
