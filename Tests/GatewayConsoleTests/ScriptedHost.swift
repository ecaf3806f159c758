import GatewayAPI
import Synchronization

@testable import GatewayConsole

/// A host that answers what a test has set, and notes what it was asked.
final class ScriptedHost: ConsoleHost {
  struct NotSet: Error {}

  private let answers = Mutex<[String: @Sendable (any ControlRequest) throws -> any Sendable]>([:])
  private let asked = Mutex<[String]>([])
  let password = Mutex<String?>(nil)
  let catalogue = Mutex<[PeripheralDescription]>([])
  let pictures = Mutex<[MeterPictureName: CataloguePicture]>([:])
  let installed = Mutex<[InstalledDriver]>([])
  /// What was asked to go back, and from which version.
  let rolledBack = Mutex<[String]>([])
  /// Why it installs nothing.
  let refusal = Mutex<GatewayError?>(nil)

  /// The names of the requests so far.
  var requests: [String] { asked.withLock(\.self) }

  func set<R: ControlRequest>(_ type: R.Type, _ answer: @escaping @Sendable (R) throws -> R.Answer) {
    answers.withLock { answers in
      answers[R.name] = { request in
        guard let request = request as? R else { throw NotSet() }
        return try answer(request)
      }
    }
  }

  func perform<R: ControlRequest>(_ request: R) async throws -> R.Answer {
    asked.withLock { $0.append(R.name) }
    guard let answer = answers.withLock({ $0[R.name] }), let value = try answer(request) as? R.Answer else {
      throw GatewayError(.failed, code: "not_set", "\(R.name) is not set")
    }
    return value
  }

  func converse<C: ControlConversation>(_ conversation: C, with partner: ControlPartner<C.Event>) async throws {
    // Nothing has happened; a listener hears of nothing until it gives up.
    guard let events = conversation as? EventsRequest, events.follows else { return }
    let (end, ended) = AsyncStream<Void>.makeStream()
    await partner.patience.during {
      ended.finish()
    } _: {
      for await _ in end {}
    }
  }

  func drivers() async throws -> [InstalledDriver] { installed.withLock(\.self) }
  func peripherals() async throws -> [PeripheralDescription] { catalogue.withLock(\.self) }
  func picture(_ name: MeterPictureName) async throws -> CataloguePicture? { pictures.withLock { $0[name] } }
  func examine() async -> [ConsoleFinding] {
    [ConsoleFinding(check: "clock", status: .warning, message: "no time source", cure: "start one")]
  }
  func supportFile() async throws -> String { "{}\n" }
  func rollBack(package: String, from version: String) async throws {
    rolledBack.withLock { $0.append("\(package) from \(version)") }
  }
  func update(
    package: String, to version: String, tell: @escaping @Sendable (String) -> Void
  ) async throws -> [String] {
    asked.withLock { $0.append("update \(package) \(version)") }
    tell("is fetched")
    if let refusal = refusal.withLock(\.self) { throw refusal }
    return ["one thing more"]
  }
  func isPassword(_ text: String) async -> Bool? { password.withLock { $0.map { $0 == text } } }
  var hasPassword: Bool { password.withLock { $0 != nil } }
  var version: String { "1.2.3" }
  let uploadFolder = "/nonexistent/uploads"
}
