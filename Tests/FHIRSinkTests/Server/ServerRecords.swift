import Foundation

/// What a strict FHIR R4 server has and does with transactions: conditional creation and update, placeholders, one identity once, all
/// or nothing.
struct ServerRecords: Sendable {
  /// Why nothing was done.
  struct Refusal: Error {
    let status: Int
    let code: String
    let words: String

    init(_ status: Int, _ code: String, _ words: String) {
      (self.status, self.code, self.words) = (status, code, words)
    }
  }

  /// Resources by `TYPE/ID`.
  private(set) var resources: [String: ServerValue] = [:]
  private(set) var versions: [String: Int] = [:]
  private var next = 0

  /// One entry, decided on before any is written.
  private struct Step {
    let key: String
    let isWritten: Bool
    let resource: ServerValue
  }

  func resources(_ type: String) -> [ServerValue] {
    resources.filter { $0.key.hasPrefix("\(type)/") }.sorted { $0.key < $1.key }.map(\.value)
  }

  mutating func put(_ resource: ServerValue, as key: String) {
    resources[key] = resource
    versions[key, default: 0] += 1
  }

  mutating func remove(_ key: String) { resources[key] = nil }

  /// The keys of what has an identifier.
  func found(_ type: String, _ query: String) throws(Refusal) -> [String] {
    let text = query.removingPercentEncoding ?? ""
    guard text.hasPrefix("identifier="), !text.contains("&"), let bar = text.firstIndex(of: "|") else {
      throw Refusal(400, "not-supported", "only identifier=system|value")
    }
    let system = String(text[text.index(text.startIndex, offsetBy: 11)..<bar])
    let value = String(text[text.index(after: bar)...])
    return resources.filter { key, resource in
      key.hasPrefix("\(type)/")
        && (resource["identifier"]?.elements ?? []).contains {
          $0["system"]?.text == system && $0["value"]?.text == value
        }
    }.map(\.key).sorted()
  }

  mutating func transaction(_ bundle: ServerValue) throws(Refusal) -> ServerValue {
    guard bundle["resourceType"]?.text == "Bundle", bundle["type"]?.text == "transaction" else {
      throw Refusal(400, "structure", "no transaction")
    }
    var (steps, places, written): ([Step], [String: String], Set<String>) = ([], [:], [])
    for entry in bundle["entry"]?.elements ?? [] {
      let step = try step(entry)
      if step.isWritten, !written.insert(step.key).inserted {
        throw Refusal(400, "duplicate", "one identity twice in a transaction")
      }
      if let place = entry["fullUrl"]?.text { places[place] = step.key }
      steps.append(step)
    }
    guard !steps.isEmpty else { throw Refusal(400, "structure", "nothing to do") }
    for step in steps {
      let left = step.resource.replacing(references: places).all("reference").filter { $0.hasPrefix("urn:") }
      guard left.isEmpty else { throw Refusal(422, "not-found", "unresolved reference") }
      for patient in step.resource.all("reference") where patient.hasPrefix("Patient/") {
        guard resources[patient] != nil else { throw Refusal(400, "not-found", "there is no \(patient)") }
      }
    }
    return answer(steps, places)
  }

  private mutating func answer(_ steps: [Step], _ places: [String: String]) -> ServerValue {
    var answers: [ServerValue] = []
    for step in steps {
      let isNew = resources[step.key] == nil
      if step.isWritten { put(step.resource.replacing(references: places), as: step.key) }
      let response: [String: ServerValue] = [
        "status": .text(isNew ? "201 Created" : "200 OK"),
        "location": .text("\(step.key)/_history/\(versions[step.key] ?? 1)"),
      ]
      answers.append(.object(["response": .object(response)]))
    }
    return .object([
      "resourceType": .text("Bundle"), "type": .text("transaction-response"), "entry": .array(answers),
    ])
  }

  private mutating func step(_ entry: ServerValue) throws(Refusal) -> Step {
    guard let resource = entry["resource"], let type = resource["resourceType"]?.text,
      let method = entry["request"]?["method"]?.text, let url = entry["request"]?["url"]?.text
    else { throw Refusal(400, "structure", "an entry lacks something") }
    switch method {
    case "POST":
      guard url == type, let query = entry["request"]?["ifNoneExist"]?.text else {
        throw Refusal(400, "required", "creates unconditionally")
      }
      return try create(type, query, resource)
    case "PUT": return try update(type, url, resource)
    default: throw Refusal(405, "not-supported", method)
    }
  }

  private mutating func create(_ type: String, _ query: String, _ resource: ServerValue) throws(Refusal) -> Step {
    let hits = try found(type, query)
    guard hits.count < 2 else { throw Refusal(412, "multiple-matches", "\(type)?\(query) matches \(hits.count)") }
    if let hit = hits.first { return Step(key: hit, isWritten: false, resource: resource) }
    // As HAPI does: what is not in the resource would not be found the next time.
    var alone = ServerRecords()
    alone.put(resource, as: "\(type)/x")
    guard try alone.found(type, query).count == 1 else {
      throw Refusal(400, "invariant", "not what it is looked for by")
    }
    next += 1
    return Step(key: "\(type)/\(next)", isWritten: true, resource: resource)
  }

  private mutating func update(_ type: String, _ url: String, _ resource: ServerValue) throws(Refusal) -> Step {
    if url.hasPrefix("\(type)?") {
      let hits = try found(type, String(url.dropFirst(type.count + 1)))
      guard hits.count < 2 else { throw Refusal(412, "multiple-matches", "\(url) matches \(hits.count)") }
      if let hit = hits.first { return Step(key: hit, isWritten: true, resource: resource) }
      next += 1
      return Step(key: "\(type)/\(next)", isWritten: true, resource: resource)
    }
    guard url.hasPrefix("\(type)/"), resource["id"]?.text == String(url.dropFirst(type.count + 1)) else {
      throw Refusal(400, "invariant", "the id is not that of the address")
    }
    return Step(key: url, isWritten: true, resource: resource)
  }
}
