import StrictJSON

/// What a server says of a transaction bundle that it claims to have taken.
enum TransactionAnswer: Hashable {
  /// It has all of it. The id is that of the main observation, such as `Observation/17`; nil where it does not say.
  case taken(id: String?)
  /// It is no answer to that bundle; the words say why.
  case foreign(String)

  /// Reads an answer with a status of success.
  ///
  /// - Parameters:
  ///   - entries: How many entries the bundle has: each has its answer, in the same order (R4, "transaction-response").
  ///   - main: Which of them is the main observation.
  init(_ body: [UInt8], entries: Int, main: Int) {
    guard let bundle = FHIRResource(body) else {
      self = .foreign("is no resource, but of something in between, such as a proxy or a network's login page")
      return
    }
    guard bundle.type == "Bundle", bundle.text("type") == "transaction-response" else {
      self = .foreign("is no transaction-response: what was sent may be there in part or not at all")
      return
    }
    let answers = bundle.root.member("entry")?.elements ?? []
    guard answers.count == entries else {
      self = .foreign("has answers to \(answers.count) entries of \(entries)")
      return
    }
    for answer in answers {
      guard let status = answer.member("response")?.member("status")?.asString, Self.isSuccess(status) else {
        self = .foreign("says of an entry that it was not done")
        return
      }
    }
    guard main >= 0, main < answers.count else {
      self = .taken(id: nil)
      return
    }
    guard let location = Self.location(answers[main]) else {
      self = .taken(id: nil)
      return
    }
    guard let id = Self.observation(in: location) else {
      self = .foreign("names something else than an observation for the reading")
      return
    }
    self = .taken(id: id)
  }

  /// `201 Created`, `200`.
  private static func isSuccess(_ status: String) -> Bool { status.wholeMatch(of: /2[0-9][0-9](?: .*)?/) != nil }

  private static func location(_ answer: JSONElement) -> String? {
    if let location = answer.member("response")?.member("location")?.asString { return location }
    guard let resource = FHIRResource(answer.member("resource")), let id = resource.text("id") else { return nil }
    return "\(resource.type)/\(id)"
  }

  /// `Observation/17` of `Observation/17/_history/1`, also behind the server's address.
  private static func observation(in location: String) -> String? {
    var parts = location.split(separator: "/").map(String.init)
    if let history = parts.firstIndex(of: "_history") { parts = Array(parts[..<history]) }
    guard parts.count >= 2, parts[parts.count - 2] == "Observation", LogicalID.isOne(parts[parts.count - 1]) else {
      return nil
    }
    return "Observation/\(parts[parts.count - 1])"
  }
}
