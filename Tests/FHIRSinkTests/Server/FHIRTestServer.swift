import DeliverySupport
import Foundation
import Synchronization

/// A strict FHIR R4 server on a real socket, at `/fhir`, with faults and a token endpoint at `/token`.
final class FHIRTestServer: Sendable {
  /// What becomes of the next transaction.
  enum Fault: Sendable {
    /// It is done, and nobody hears of it. libcurl sends again by itself what was sent over a connection that it had kept.
    case droppedAnswer
    /// It is done, and half of the answer comes.
    case tornAnswer
    /// Another answer comes in the place of the server's; nothing is done.
    case answer(Int, headers: [String: String] = [:], body: String)
    /// It is done, and the answer says something else.
    case doneAnswer(Int, body: String)
    /// Nothing comes.
    case silence
  }

  struct State: Sendable {
    var records = ServerRecords()
    var faults: [Fault] = []
    /// What a request must have in its Authorization field; nil takes all.
    var authorization: Set<String>? = ["Bearer \(FHIRTestServer.token)"]
    var metadata = FHIRTestServer.abilities
    var transactions: [ServerValue] = []
    var fields: [String?] = []
    var tokenRequests: [ScriptedServer.Request] = []
    var tokenAnswers: [ScriptedServer.Reply] = []
    var issued = 0
  }

  static let token = "fhir-test-token-0123456789"
  static let abilities = """
    {"resourceType":"CapabilityStatement","fhirVersion":"4.0.1","rest":[{"mode":"server",
    "interaction":[{"code":"transaction"}],"resource":[
    {"type":"Observation","conditionalCreate":true,"conditionalUpdate":true,"updateCreate":true},
    {"type":"Device","conditionalCreate":true},{"type":"Patient"}]}]}
    """
  static let patient = """
    {"resourceType":"Patient","id":"123","active":true,"gender":"female","birthDate":"1958-03-07",
    "identifier":[{"system":"https://clinic.example/mrn","value":"4711"}],
    "name":[{"use":"old","family":"Before"},{"use":"official","given":["Ada","B."],"family":"Example"}]}
    """

  private final class Box: Sendable {
    let state = Mutex(State())
  }

  private let box = Box()
  let server: ScriptedServer

  init() throws {
    let box = box
    server = try ScriptedServer { request, _ in box.state.withLock { Self.reply(to: request, &$0) } }
    if let patient = ServerValue(json: Self.patient) {
      box.state.withLock { $0.records.put(patient, as: "Patient/123") }
    }
  }

  var address: String { server.base + "/fhir" }
  var state: State { box.state.withLock { $0 } }
  func change(_ body: @Sendable (inout State) -> Void) { box.state.withLock { body(&$0) } }
  /// What it has of a type.
  func resources(_ type: String) -> [ServerValue] { state.records.resources(type) }
  /// The versions of its observations, by the reading's name.
  var observations: [String: Int] {
    let records = state.records
    var found: [String: Int] = [:]
    for (key, resource) in records.resources where key.hasPrefix("Observation/") {
      for identifier in resource["identifier"]?.elements ?? [] {
        guard let value = identifier["value"]?.text else { continue }
        found[value, default: 0] += records.versions[key] ?? 0
      }
    }
    return found
  }

  // MARK: Answers

  private static func reply(to request: ScriptedServer.Request, _ state: inout State) -> ScriptedServer.Reply {
    if request.path == "/token" { return token(request, &state) }
    guard request.path.hasPrefix("/fhir") else { return outcome(404, "not-found", "no such place") }
    let path = String(request.path.dropFirst(5))
    if path == "/.well-known/smart-configuration" {
      return .answer(200, body: #"{"token_endpoint":"http://\#(request.headers["host"] ?? "")/token"}"#)
    }
    state.fields.append(request.headers["authorization"])
    if let wanted = state.authorization, !wanted.contains(request.headers["authorization"] ?? "") {
      return outcome(401, "login", "who are you", headers: ["WWW-Authenticate": "Bearer"])
    }
    switch (request.method, path) {
    case ("GET", "/metadata"): return .answer(200, body: state.metadata)
    case ("GET", _): return look(path, state)
    case ("POST", ""): return transact(request, &state)
    default: return outcome(405, "not-supported", request.method)
    }
  }

  private static func look(_ path: String, _ state: State) -> ScriptedServer.Reply {
    let key = String(path.dropFirst())
    if key.hasPrefix("Patient?") {
      do throws(ServerRecords.Refusal) {
        let found = try state.records.found("Patient", String(key.dropFirst(8)))
        let entries = found.compactMap { state.records.resources[$0] }.map { ServerValue.object(["resource": $0]) }
        let bundle = ServerValue.object([
          "resourceType": .text("Bundle"), "type": .text("searchset"), "total": .literal("\(entries.count)"),
          "entry": .array(entries),
        ])
        return .answer(200, body: bundle.json)
      } catch {
        return outcome(error.status, error.code, error.words)
      }
    }
    guard let resource = state.records.resources[key] else { return outcome(404, "not-found", "no \(key)") }
    return .answer(200, body: resource.json)
  }

  private static func transact(_ request: ScriptedServer.Request, _ state: inout State) -> ScriptedServer.Reply {
    let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
    switch fault {
    case .answer(let status, let headers, let body): return .answer(status, headers: headers, body: body)
    case .silence: return .silence
    case .droppedAnswer, .tornAnswer, .doneAnswer, nil: break
    }
    guard request.headers["content-type"] == "application/fhir+json", let bundle = ServerValue(json: request.body)
    else {
      return outcome(415, "structure", "no FHIR in JSON")
    }
    state.transactions.append(bundle)
    var records = state.records
    do throws(ServerRecords.Refusal) {
      let answer = try records.transaction(bundle)
      // All or nothing.
      state.records = records
      if case .doneAnswer(let status, let body)? = fault { return .answer(status, body: body) }
      if case .droppedAnswer? = fault { return .drop }
      if case .tornAnswer? = fault { return .tear }
      return .answer(200, headers: ["Content-Type": "application/fhir+json"], body: answer.json)
    } catch {
      return outcome(error.status, error.code, error.words)
    }
  }

  private static func token(_ request: ScriptedServer.Request, _ state: inout State) -> ScriptedServer.Reply {
    state.tokenRequests.append(request)
    if !state.tokenAnswers.isEmpty { return state.tokenAnswers.removeFirst() }
    state.issued += 1
    let token = "issued-\(state.issued)-0123456789abcdef"
    state.authorization = ["Bearer \(token)"]
    return .answer(200, body: #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":300}"#)
  }

  /// A server's own words of a failure.
  static func outcome(
    _ status: Int, _ code: String, _ words: String, headers: [String: String] = [:]
  ) -> ScriptedServer.Reply {
    .answer(status, headers: headers, body: body(code, words))
  }

  static func body(_ code: String, _ words: String) -> String {
    ServerValue.object([
      "resourceType": .text("OperationOutcome"),
      "issue": .array([
        .object(["severity": .text("error"), "code": .text(code), "diagnostics": .text(words)])
      ]),
    ]).json
  }
}
