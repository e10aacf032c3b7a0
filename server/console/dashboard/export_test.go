package dashboard

// For tests of the package dashboard_test.
var (
	Missing   = lexicon.Missing
	ScaleStep = scaleStep
	Number    = number
)
