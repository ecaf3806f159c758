import Foundation

/// Puts an answer of HTTP/1.1 together from the bytes of a connection that is closed behind it (RFC 9112): one head, then what of the
/// body has come. It reads what the service itself writes; anything else is refused.
struct HTTPAnswerReader {
  /// Why the bytes are no answer.
  struct Malformed: Error, Hashable {
    let what: String
  }

  private enum Stage: Hashable {
    case status
    case fields
    /// So many bytes of the body are to come.
    case counted(Int)
    case untilClosed
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailers
    case over
  }

  /// So long may a line of a head be.
  static let longestLine = 1 << 16

  private var stage = Stage.status
  private var rest = Data()
  private var status = 0
  private var conversation: String?
  private var length: Int?
  private var isChunked = false

  /// Whether all of the answer has come.
  var isOver: Bool { stage == .over }

  /// Takes what has come.
  ///
  /// - Returns: What is known by it.
  mutating func take(_ bytes: Data) throws(Malformed) -> [SocketExchange.Part] {
    rest += bytes
    var parts: [SocketExchange.Part] = []
    while try step(&parts) {}
    return parts
  }

  /// The connection is closed.
  mutating func closed() throws(Malformed) -> [SocketExchange.Part] {
    guard stage == .untilClosed || stage == .over else { throw Malformed(what: "the answer breaks off") }
    stage = .over
    return []
  }

  /// - Returns: Whether there may be another step with the same bytes.
  private mutating func step(_ parts: inout [SocketExchange.Part]) throws(Malformed) -> Bool {
    switch stage {
    case .over: return false
    case .counted(let left): return takeBody(left, then: .over, { .counted($0) }, &parts)
    case .chunk(let left): return takeBody(left, then: .chunkEnd, { .chunk($0) }, &parts)
    case .untilClosed: return takeBody(.max, then: .over, { _ in .untilClosed }, &parts)
    case .status, .fields, .chunkSize, .chunkEnd, .trailers:
      guard let line = try nextLine() else { return false }
      try take(line, &parts)
      return true
    }
  }

  private mutating func takeBody(
    _ left: Int, then end: Stage, _ stageOf: (Int) -> Stage, _ parts: inout [SocketExchange.Part]
  ) -> Bool {
    guard !rest.isEmpty else { return false }
    let bytes = Data(rest.prefix(left))
    rest = Data(rest.dropFirst(bytes.count))
    parts.append(.body(bytes))
    stage = bytes.count == left ? end : stageOf(left - bytes.count)
    return true
  }

  /// A line without its end; nil when it is not whole yet.
  private mutating func nextLine() throws(Malformed) -> String? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
      guard rest.count <= Self.longestLine else { throw Malformed(what: "a line of the answer has no end") }
      return nil
    }
    var line = rest[..<end]
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    let text = String(decoding: line, as: UTF8.self)
    rest = Data(rest[rest.index(after: end)...])
    return text
  }

  private mutating func take(_ line: String, _ parts: inout [SocketExchange.Part]) throws(Malformed) {
    switch stage {
    case .status:
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count > 1, words[0].hasPrefix("HTTP/1."), let code = Int(words[1]), (100..<600).contains(code) else {
        throw Malformed(what: "what answers does not speak HTTP")
      }
      (status, conversation, length, isChunked) = (code, nil, nil, false)
      stage = .fields
    case .fields: if line.isEmpty { endHead(&parts) } else { try takeField(line) }
    case .chunkSize:
      let digits = line.prefix { $0 != ";" && $0 != " " }
      guard let size = Int(digits, radix: 16), size >= 0 else {
        throw Malformed(what: "a part of the answer has no size")
      }
      stage = size == 0 ? .trailers : .chunk(size)
    case .chunkEnd:
      guard line.isEmpty else { throw Malformed(what: "a part of the answer is longer than it says") }
      stage = .chunkSize
    case .trailers: if line.isEmpty { stage = .over }
    case .counted, .chunk, .untilClosed, .over: break
    }
  }

  private mutating func takeField(_ line: String) throws(Malformed) {
    guard let colon = line.firstIndex(of: ":") else { throw Malformed(what: "a field of the answer has no name") }
    let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    switch line[..<colon].lowercased() {
    case "content-length":
      guard let size = Int(value), size >= 0 else { throw Malformed(what: "the answer's length is no number") }
      length = size
    case "transfer-encoding":
      guard value.lowercased() == "chunked" else { throw Malformed(what: "the answer is encoded in another way") }
      isChunked = true
    case "meterhost-conversation": conversation = value
    default: break
    }
  }

  private mutating func endHead(_ parts: inout [SocketExchange.Part]) {
    // 1xx: the answer itself follows (RFC 9110, 15.2).
    guard status >= 200 else {
      stage = .status
      return
    }
    parts.append(.head(status: status, conversation: conversation))
    if status == 204 || status == 304 {
      stage = .over
    } else if isChunked {
      stage = .chunkSize
    } else if let length {
      stage = length == 0 ? .over : .counted(length)
    } else {
      stage = .untilClosed
    }
  }
}
