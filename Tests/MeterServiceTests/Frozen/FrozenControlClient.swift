import Foundation

// THIS FILE IS NOT EDITED when the control interface grows.
//
// It is a program of version 1.0 of the interface, as somebody else has written it: the text of each request, and the members
// of the answers that it reads. It uses none of this project's types. When it fails, the interface has broken its promise:
// mend the interface. A new major version gets a file of its own beside this one, which goes when that version is not served
// any more.

/// A client of version 1.0 of the control interface.
struct FrozenControlClient: Sendable {
  let socketPath: String

  typealias Members = [String: Any]

  /// An answer that lacks what the client reads.
  struct Missing: Error {
    let member: String
    let answer: String
  }

  struct Refused: Error, Equatable {
    let status: Int
    let code: String
    let kind: String
    let message: String
  }

  // MARK: Requests

  /// Starts a session: whose it is, and whether the receiver has accepted the token.
  func sessionStart(receiver: String, token: String) throws -> (user: String, isValidated: Bool) {
    let answer = try object(
      "session.start",
      #"{"user":"patient-1","organization":"clinic","token":"\#(token)","setting":{"receiver":"\#(receiver)"}}"#)
    return (try text(answer, "user"), try flag(answer, "validated"))
  }

  /// The session: user, organisation, receiver, format.
  func sessionShow(_ body: String = "{}") throws -> [String] {
    let answer = try object("session.show", body)
    return try ["user", "organization", "receiver", "format"].map { try text(answer, $0) }
  }

  /// Submits a weight: its id and what has become of it.
  func submitWeight() throws -> (logID: String, outcome: String) {
    let record = #"""
      {\"type\":\"weight\",\"time\":\"2026-03-01T08:00:00Z\",\"values\":[{\"metric\":\"body_weight\",\"value\":70.5,\"unit\":\"kg\"}]}
      """#
    let answers = try list(
      "record.submit", #"{"documents":[{"name":"scale","text":"\#(record)"}],"delivers":false}"#)
    guard let first = answers.first else { throw Missing(member: "record", answer: "\(answers)") }
    return (try text(first, "log_id"), try text(first, "outcome"))
  }

  /// The queue: the ids and states of what waits, and whether it is paused.
  func queueList(states: String) throws -> (items: [String: String], isPaused: Bool, mostRecords: Int) {
    let answer = try object("queue.list", #"{"states":[\#(states)],"after":0,"limit":100}"#)
    guard let items = answer["items"] as? [Members], let limits = answer["limits"] as? Members else {
      throw Missing(member: "items, limits", answer: "\(answer)")
    }
    let pairs = try items.map { item in
      _ = (try number(item, "position"), try text(item, "sink"), try number(item, "attempts"))
      return (try text(item, "log_id"), try text(item, "state"))
    }
    return (Dictionary(pairs) { $1 }, try flag(answer, "paused"), try number(limits, "records"))
  }

  /// The meters that are known: name and peripheral of each, and whether it is paired.
  func metersList() throws -> [(name: String, peripheral: Int, isPaired: Bool)] {
    try list("meters.list", #"{"paired":false}"#).map { meter in
      guard meter["settings"] is Members else { throw Missing(member: "settings", answer: "\(meter)") }
      return (try text(meter, "name"), try number(meter, "peripheral"), meter["paired"] is Members)
    }
  }

  /// Stores a licence of a peripheral.
  func setKey(_ name: String, peripheral: Int, content: String) throws -> String {
    let bytes = Data(content.utf8).base64EncodedString()
    let answer = try object("key.set", #"{"key":"\#(name)","peripheral":\#(peripheral),"content":"\#(bytes)"}"#)
    guard let key = answer["key"] as? Members else { throw Missing(member: "key", answer: "\(answer)") }
    return try text(key, "name")
  }

  // MARK: Events

  /// The first event behind a cursor, as a server-sent event: its id, its name and the name in its data.
  func firstEvent(after cursor: Int) throws -> (id: String, name: String, dataName: String) {
    let exchange = try FrozenExchange(head("GET", "/v1/events?after=\(cursor)") + "\r\n", socketPath)
    guard exchange.status == 200, exchange.fields["content-type"] == "text/event-stream" else {
      throw Missing(member: "events", answer: "\(exchange.status)")
    }
    var fields: [String: String] = [:]
    while fields["data"] == nil, let line = try exchange.line() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    guard let id = fields["id"], let name = fields["event"], let data = fields["data"] else {
      throw Missing(member: "id, event, data", answer: "\(fields)")
    }
    let event = try Self.members(data)
    guard try number(event, "cursor") == Int(id), event["time"] is String else {
      throw Missing(member: "cursor, time", answer: data)
    }
    return (id, name, try text(event, "event"))
  }

  // MARK: Conversations

  /// Holds a conversation to its end.
  ///
  /// - Parameters:
  ///   - answers: What the person answers, by the kind of the question; other questions are refused.
  ///   - isEnough: Whether the conversation is given up after an event of this name.
  /// - Returns: The events by their names, the readings that came, and how it ended: `end`, or the code of its error.
  func converse(
    _ name: String, _ body: String, answers: [String: String] = [:], givingUpAfter isEnough: String? = nil
  ) throws -> (events: [String], readings: [Members], questions: [String], end: String) {
    let exchange = try FrozenExchange(post("/v1/conversations/\(name)", body), socketPath)
    guard exchange.status == 200, let id = exchange.fields["meterhost-conversation"] else {
      throw try refusal(exchange)
    }
    var (events, readings, questions, end) = ([String](), [Members](), [String](), "")
    while let line = try exchange.line() {
      let members = try Self.members(line)
      if let question = members["question"] as? Members {
        let kind = try text(question, "kind")
        _ = (try text(question, "prompt"), try flag(question, "secret"))
        questions.append(kind)
        let number = try number(question, "id")
        let answer = answers[kind].map { #","answer":"\#($0)""# } ?? ""
        let sent = try FrozenExchange(
          post("/v1/conversations/\(id)/answers", #"{"question":\#(number)\#(answer)}"#), socketPath)
        guard sent.status == 204 else { throw try refusal(sent) }
      }
      if let event = members["event"] as? Members {
        let name = try text(event, "event")
        events.append(name)
        readings += event["readings"] as? [Members] ?? []
        if name == isEnough {
          let given = try FrozenExchange(head("DELETE", "/v1/conversations/\(id)") + "\r\n", socketPath)
          guard given.status == 204 else { throw try refusal(given) }
        }
      }
      if let error = members["error"] as? Members { end = try text(error, "code") }
      if members["end"] as? Bool == true { end = "end" }
    }
    return (events, readings, questions, end)
  }

  // MARK: The way

  /// Has a request performed whose answer is an object.
  func object(_ name: String, _ body: String, version: String = "1.0") throws -> Members {
    try Self.members(answer(name, body, version: version))
  }

  private func list(_ name: String, _ body: String) throws -> [Members] {
    let text = try answer(name, body, version: "1.0")
    guard let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Members] else {
      throw Missing(member: "array", answer: text)
    }
    return list
  }

  private func answer(_ name: String, _ body: String, version: String) throws -> String {
    let exchange = try FrozenExchange(post("/v1/requests/\(name)", body, version: version), socketPath)
    guard exchange.fields["meterhost-control"]?.hasPrefix("1.") == true else {
      throw Missing(member: "Meterhost-Control", answer: "\(exchange.fields)")
    }
    guard exchange.status == 200 else { throw try refusal(exchange) }
    return try exchange.rest()
  }

  private func refusal(_ exchange: FrozenExchange) throws -> any Error {
    let answer = try exchange.rest()
    guard let error = try Self.members(answer)["error"] as? Members else {
      return Missing(member: "error", answer: answer)
    }
    return Refused(
      status: exchange.status, code: try text(error, "code"), kind: try text(error, "kind"),
      message: try text(error, "message"))
  }

  private func head(_ method: String, _ path: String, version: String = "1.0") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nMeterhost-Control: \(version)\r\n"
  }

  private func post(_ path: String, _ body: String, version: String = "1.0") -> String {
    head("POST", path, version: version)
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private static func members(_ text: String) throws -> Members {
    guard let members = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Members else {
      throw Missing(member: "object", answer: text)
    }
    return members
  }

  private func text(_ members: Members, _ name: String) throws -> String {
    guard let text = members[name] as? String else { throw Missing(member: name, answer: "\(members)") }
    return text
  }

  private func number(_ members: Members, _ name: String) throws -> Int {
    guard let number = members[name] as? Int else { throw Missing(member: name, answer: "\(members)") }
    return number
  }

  private func flag(_ members: Members, _ name: String) throws -> Bool {
    guard let flag = members[name] as? Bool else { throw Missing(member: name, answer: "\(members)") }
    return flag
  }
}
