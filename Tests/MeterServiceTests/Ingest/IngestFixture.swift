import Foundation
import GatewayAPI
import HostErrors
import HostPrimitives
import Logging
import MeterCore
import Synchronization
import TestSupport

@testable import GatewayEngine
@testable import MeterService

/// What the test's taker says of an export that begins so.
struct RefusedBody: HostError {
  var kind = HostErrorKind.usage
  var code = "not_an_export"
  var message = "no driver knows what it is"
}

/// Takes what is posted: `{` is an export with one new record, the same bytes again have a known one, `[` has nothing that can be used, and
/// anything else is none.
final class PostedTaker: HealthTaker {
  private let known = Mutex<Set<String>>([])
  /// Holds every import until it is opened.
  let gate: AsyncStream<Void>?
  private let opening: AsyncStream<Void>.Continuation?

  init(waits: Bool = false) {
    guard waits else {
      (gate, opening) = (nil, nil)
      return
    }
    let (gate, opening) = AsyncStream<Void>.makeStream()
    (self.gate, self.opening) = (gate, opening)
  }

  func open() { opening?.finish() }

  func take(_ offer: HealthOffer) async throws -> HealthTally {
    if let gate { for await _ in gate {} }
    let content = try String(contentsOfFile: offer.path, encoding: .utf8)
    switch content.first {
    case "{":
      let isNew = known.withLock { $0.insert(content).inserted }
      return isNew ? HealthTally(accepted: 1) : HealthTally(duplicates: 1)
    case "[": return HealthTally(refused: 3)
    default: throw RefusedBody()
    }
  }
}

/// An endpoint that listens, and a source that may post.
struct IngestFixture: Sendable {
  let store: MeterStore
  let desk: HealthFeedDesk
  let generation: SessionGeneration
  let port: Int
  let token: String
  /// For the patience of senders.
  let clock: StoppedClock
  let sandbox: Sandbox

  /// Runs an endpoint while a body runs.
  static func with(
    taker: PostedTaker = PostedTaker(), limits: HealthSpool.Limits = HealthSpool.Limits(),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    _ body: (IngestFixture) async throws -> Void
  ) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let user = SessionUser(userID: "patient-1", organizationID: "clinic")
      let generation = try store.startSession(user, token: AccessToken("token")).session.generation
      let clock = StoppedClock()
      let desk = HealthFeedDesk(store: store, taker: taker, clock: clock, limits: limits)
      let token = try desk.makeSource("phone", of: generation)
      try desk.setAddress(IngestAddress("127.0.0.1:0"))
      let keeper = IngestKeeper(desk: desk, clock: StoppedClock(), logger: logger)
      let keeping = Task { await keeper.follow() }
      defer { keeping.cancel() }
      let port = try await port(of: desk)
      try await body(
        IngestFixture(
          store: store, desk: desk, generation: generation, port: port, token: token, clock: clock, sandbox: sandbox))
      keeping.cancel()
      await keeping.value
    }
  }

  /// Where it listens, as soon as it does.
  static func port(of desk: HealthFeedDesk) async throws -> Int {
    while true {
      if let port = try desk.describeEndpoint().url.flatMap({ URL(string: $0)?.port }) { return port }
      await Task.yield()
    }
  }

  /// Posts a body as the source does.
  func post(
    _ body: [UInt8], to format: String = "auto", type: String? = "application/json", coding: String? = nil,
    authorization: String? = nil
  ) async throws -> HTTPReply {
    var headers = [("Authorization", authorization ?? "Bearer \(token)")]
    if let type { headers.append(("Content-Type", type)) }
    if let coding { headers.append(("Content-Encoding", coding)) }
    return try await RawHTTP.send(
      port: port, method: "POST", path: "/ingest/\(format)", headers: headers, body: body)
  }

  func post(_ text: String) async throws -> HTTPReply { try await post(Array(text.utf8)) }

  /// What lies in the spool, whole or not.
  var spooled: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: sandbox.path("state/health/spool"))) ?? []
  }
}
