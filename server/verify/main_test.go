package verify_test

import (
	"os"
	"testing"

	"tcode/server/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }
