public import MeterCore
import CurlHTTP

extension ReceiverClient {
  /// What became of a record: where it is stored, or why it is not.
  public typealias Outcome = Result<StoredReference, APIError>

  /// Stores records one by one, several at a time; each has an outcome of its own, in their order.
  public func outcomes(of records: [Record]) async -> [(record: Record, outcome: Outcome)] {
    var found: [Int: Outcome] = [:]
    await withTaskGroup(of: (Int, Outcome).self) { group in
      var rest = records.indices.makeIterator()
      func start() {
        guard let index = rest.next() else { return }
        let record = records[index]
        group.addTask {
          do throws(APIError) {
            return (index, .success(try await self.create(record)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      for _ in 0..<concurrency { start() }
      for await (index, outcome) in group {
        found[index] = outcome
        start()
      }
    }
    return records.indices.compactMap { index in found[index].map { (records[index], $0) } }
  }
}

/// What became of several records.
struct ManyOutcomes {
  private let failures: [APIError.Failure]
  private let stored: [StoredReference]

  init(_ outcomes: [(record: Record, outcome: ReceiverClient.Outcome)]) {
    var failures: [APIError.Failure] = []
    var stored: [StoredReference] = []
    for (index, (record, outcome)) in outcomes.enumerated() {
      switch outcome {
      case .success(let reference): stored.append(reference)
      case .failure(let error):
        failures.append(APIError.Failure(index: index, logID: record.logID, error: error))
      }
    }
    self.failures = failures
    self.stored = stored
  }

  /// The references, when every record is stored.
  ///
  /// - Throws: ``APIError`` with all failures: `invalidRecords` when one was refused at least, else the first one's code.
  func references() throws(APIError) -> [StoredReference] {
    guard let first = failures.first?.error else { return stored }
    let isJudged = failures.contains { !Self.isPassing($0.error.code) }
    let kind = isJudged ? "refused" : "not stored"
    throw APIError(
      isJudged ? .invalidRecords : first.code,
      "\(failures.count) of \(failures.count + stored.count) records were \(kind); the first: \(first.message)",
      cure: isJudged ? "correct those that are listed and send them again; the others are stored" : first.cure,
      status: first.status, transportError: first.transportError, retryAfterSeconds: first.retryAfterSeconds,
      failures: failures, stored: stored)
  }

  /// Whether a failure says nothing about the record.
  private static func isPassing(_ code: APIError.Code) -> Bool {
    switch code {
    case .transport, .busy, .unauthorized: true
    default: false
    }
  }
}
