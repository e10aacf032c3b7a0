package main

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestUnits(t *testing.T) {
	t.Parallel()
	analysistest.Run(t, analysistest.TestData(), units, "a")
}
