package bulkdesk

// For tests of the package bulkdesk_test.
var OrderOf = orderOf

// The limits on open streams.
const (
	StreamsOfUser   = streamsOfUser
	StreamsOfTenant = streamsOfTenant
	StreamsInAll    = streamsInAll
)

// NewStreams returns a counter of open streams.
func NewStreams() func(tenantRef, user string) (leave func(), ok bool) { return newStreams().enter }
