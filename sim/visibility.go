package sim

// VisibilityNeeded is the shortest patience with which a queue does not deliver
// a message again while a function is still at work on it: the function's own
// timeout after the wait for its batch.
func VisibilityNeeded(timeout, batchWindow int64) int64 { return timeout + batchWindow }

// VisibilityAdvised is what Amazon advises for a function fed by SQS: six times
// the function's timeout plus the batch window.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
func VisibilityAdvised(timeout, batchWindow int64) int64 { return 6*timeout + batchWindow }
