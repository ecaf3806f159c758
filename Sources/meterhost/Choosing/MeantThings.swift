import Foundation
import GatewayAPI
import GatewayTools
import BluetoothWire
import MeterCore

// What a person means by the beginning of an id, or by a name. Whole ids are taken as they are: nobody is asked about them.

extension QueueName {
  /// The name that a person has typed whole.
  ///
  /// - Throws: ``GatewayError`` with code `bad_log_id`.
  init(typed text: String) throws(GatewayError) {
    guard let name = QueueName(text) else {
      throw GatewayError(
        .usage, code: "bad_log_id", "\(text) is no UUID, nor one with #NUMBER behind it",
        hint: "`meterhost queue list` shows the ids")
    }
    self = name
  }
}

extension LocationOptions {
  /// A meter by its UUID, the beginning of it, its name or its address.
  ///
  /// - Returns: Its UUID.
  /// - Throws: ``GatewayError`` with code `unknown_meter` or `ambiguous_meter`.
  func meter(_ text: String) async throws -> String {
    guard UUID(uuidString: text) == nil else { return text }
    let known = try await perform(MetersListRequest())
    let candidates = Candidates(
      known.map { meter in .init(id: meter.uuid, names: [meter.name] + (meter.address.map { [$0] } ?? [])) },
      kind: "meter", codes: ("unknown_meter", "ambiguous_meter"), hint: "`meterhost meters` shows those that are known")
    return try candidates.one(text)
  }

  /// The meters that may be read, by address, UUID, the beginning of a UUID, or name.
  ///
  /// - Returns: Addresses and UUIDs; nil where nothing is typed, which means any. An empty text names none: the list of a program that
  ///   has no meter allows no meter.
  /// - Throws: ``GatewayError`` with code `unknown_meter` or `ambiguous_meter`.
  func allowed(_ texts: [String]) async throws -> [String]? {
    guard !texts.isEmpty else { return nil }
    var names: [String] = []
    for text in texts where !text.isEmpty {
      if let address = BluetoothAddress(text)?.description {
        names.append(address)
      } else if let uuid = UUID(uuidString: try await meter(text))?.uuidString {
        names.append(uuid)
      }
    }
    return names
  }

  /// The queue's name of a reading, of which the beginning of the log_id is enough as long as the reading is in the queue.
  ///
  /// - Throws: ``GatewayError`` with code `bad_log_id`, `unknown_log_id` or `ambiguous_log_id`.
  func readingName(_ text: String) async throws -> QueueName {
    if let name = QueueName(text) { return name }
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let beginning = parts.first, Self.mayBeginID(beginning) else { return try QueueName(typed: text) }
    let whole = try await logIDs(beginning).one(beginning)
    return try QueueName(typed: ([whole] + parts.dropFirst()).joined(separator: "#"))
  }

  /// The log_id of a record, of which the beginning is enough as long as it is in the queue.
  ///
  /// - Throws: as ``readingName(_:)``; `bad_log_id` for a reading that came under the log_id of another one, which has none of its own.
  func recordID(_ text: String) async throws -> LogID {
    let name = try await readingName(text)
    guard name.suspect == nil else {
      throw GatewayError(
        .usage, code: "bad_log_id", "\(text) has no log_id of its own yet",
        hint: "`meterhost queue confirm \(name)` gives it one")
    }
    return name.logID
  }

  /// The queue's names of readings.
  ///
  /// - Throws: as ``readingName(_:)``.
  func readingNames(_ texts: [String]) async throws -> Set<QueueName> {
    var names: Set<QueueName> = []
    for text in texts { names.insert(try await readingName(text)) }
    return names
  }

  /// The log_ids of records that have vanished from exports, of which the beginning is enough.
  ///
  /// - Throws: ``GatewayError`` with code `bad_log_id`, `unknown_log_id` or `ambiguous_log_id`.
  func vanishedIDs(_ texts: [String]) async throws -> [LogID] {
    let hint = "`meterhost health vanished` shows the ids"
    for text in texts where LogID(text) == nil && !Self.mayBeginID(text) {
      throw GatewayError(.usage, code: "bad_log_id", "\(text) is no UUID", hint: hint)
    }
    guard texts.contains(where: { LogID($0) == nil }) else { return texts.compactMap { LogID($0) } }
    let known = Candidates(
      try await perform(HealthVanishedRequest()).map { .init(id: $0.logID) }, kind: "vanished record",
      codes: ("unknown_log_id", "ambiguous_log_id"), hint: hint)
    return try texts.compactMap { text in LogID(text) == nil ? LogID(try known.one(text)) : LogID(text) }
  }

  /// A receiver by its name or the beginning of it.
  ///
  /// - Throws: ``GatewayError`` with code `ambiguous_sink`; a name that nobody knows is left to whoever is asked for it.
  func sink(_ text: String) async throws -> String {
    let names = try await perform(SinkListRequest()).map(\.name)
    let begun = names.filter { $0.hasPrefix(text) }
    guard !text.isEmpty, !names.contains(text), !begun.isEmpty else { return text }
    guard begun.count == 1 else {
      throw GatewayError(
        .usage, code: "ambiguous_sink",
        "\(text) fits \(begun.count) receivers: \(begun.sorted().joined(separator: ", "))",
        hint: "write more of the name")
    }
    return begun[0]
  }

  private static func mayBeginID(_ text: String) -> Bool {
    text.utf8.count >= Candidates.shortest && text.utf8.count < 36 && text.allSatisfy { $0.isHexDigit || $0 == "-" }
  }

  /// The log_ids in the queue that begin so, of a person's session and of nobody's.
  private func logIDs(_ beginning: String) async throws -> Candidates {
    var found: Set<String> = []
    let wanted = beginning.lowercased()
    for isOfDefaultUser in [false, true] {
      var after: Int64 = 0
      while true {
        let page = try await perform(
          QueueListRequest(after: after, limit: QueueListRequest.longest, isOfDefaultUser: isOfDefaultUser)
        ).items
        for item in page where item.logID.lowercased().hasPrefix(wanted) { found.insert(item.logID) }
        guard page.count >= QueueListRequest.longest, let last = page.last?.position, last > after else { break }
        after = last
      }
    }
    return Candidates(
      found.map { .init(id: $0) }, kind: "reading", codes: ("unknown_log_id", "ambiguous_log_id"),
      hint: "`meterhost queue list` shows the ids; one that is delivered needs its whole id")
  }
}
