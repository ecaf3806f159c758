import DriverContract
import DriverRuntime

/// Decodes in a worker process; frames carry whole batches. Not thread-safe; blocks its caller.
final class WorkerDecoder: BulkDecoder {
  private let connection: WorkerConnection
  private let limit: Duration

  init(
    _ bundle: VerifiedBundle, driver: String, opening: DriverOpening, limits: DriverLimits,
    configuration: DriverHostConfiguration, pool: WorkerPool
  ) throws(DriverFault) {
    let connection = try WorkerConnection(
      bundle, driver: driver, limits: limits, within: configuration.startLimit, from: pool)
    let limit = configuration.eventLimit(limits)
    self.connection = connection
    self.limit = limit
    try connection.exchange { client throws(WorkerFailure) in try client.prepare(opening, within: limit) }
  }

  deinit { connection.close(within: limit) }

  func withDecoded(_ input: inout DecodeInput, _ body: (borrowing DecodedBatch) -> Void) throws(DriverFault) {
    let limit = limit
    try connection.exchange { client throws(WorkerFailure) in try client.decode(&input, within: limit, body) }
  }
}
