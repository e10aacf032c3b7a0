package dashboard

// For tests of the package dashboard_test.
var (
	ScaleStep = scaleStep
	Number    = number
)
