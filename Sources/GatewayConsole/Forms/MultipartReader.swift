/// Reads a form with a file (`multipart/form-data`, RFC 7578) piece by piece, however the pieces fall. Nothing of a file is kept.
struct MultipartReader: Sendable {
  /// What a piece holds.
  enum Part: Sendable, Equatable {
    /// A whole field.
    case field(name: String, value: String)
    /// A file begins.
    case file(field: String, name: String)
    /// Some bytes of the file.
    case bytes([UInt8])
    /// The file is whole.
    case fileEnd
    /// The form is whole.
    case end
  }

  /// It is no such form, or has a head or a field that is too long.
  struct Malformed: Error {}

  private enum State: Sendable {
    case delimiter, head, field(String), file, over
  }

  private static let longest = 8 << 10

  private let delimiter: [UInt8]
  private var state = State.delimiter
  private var buffer: [UInt8]

  /// - Parameter contentType: The header of the request; nil for another kind of body.
  init?(contentType: String?) {
    guard let contentType, contentType.lowercased().hasPrefix("multipart/form-data"),
      let match = contentType.firstMatch(of: /boundary="?([A-Za-z0-9'()+_,.\/:=? -]{1,70})"?/)
    else { return nil }
    delimiter = Array("\r\n--\(match.1)".utf8)
    // The first delimiter has no line break in front of it.
    buffer = Array("\r\n".utf8)
  }

  /// Takes a piece.
  ///
  /// - Throws: ``Malformed``.
  mutating func take(_ piece: some Sequence<UInt8>) throws(Malformed) -> [Part] {
    buffer.append(contentsOf: piece)
    var parts: [Part] = []
    while try step(&parts) {}
    return parts
  }

  /// - Returns: Whether there may be more in the buffer.
  private mutating func step(_ parts: inout [Part]) throws(Malformed) -> Bool {
    switch state {
    case .over:
      buffer = []
      return false
    case .delimiter:
      guard let place = find(delimiter) else {
        guard buffer.count <= Self.longest else { throw Malformed() }
        return false
      }
      return try enter(behind: place, &parts)
    case .head: return try readHead(&parts)
    case .field(let name):
      guard let place = find(delimiter) else {
        guard buffer.count <= Self.longest else { throw Malformed() }
        return false
      }
      guard let value = String(validating: buffer[..<place], as: UTF8.self) else { throw Malformed() }
      // Without what follows the delimiter nothing is told, so that it is told once.
      guard buffer.count >= place + delimiter.count + 2 else { return false }
      parts.append(.field(name: name, value: value))
      return try enter(behind: place, &parts)
    case .file: return try readFile(&parts)
    }
  }

  private mutating func readFile(_ parts: inout [Part]) throws(Malformed) -> Bool {
    if let place = find(delimiter) {
      if place > 0 {
        parts.append(.bytes(Array(buffer[..<place])))
        buffer.removeFirst(place)
      }
      guard buffer.count >= delimiter.count + 2 else { return false }
      parts.append(.fileEnd)
      return try enter(behind: 0, &parts)
    }
    // What may be the beginning of a delimiter waits.
    let safe = buffer.count - delimiter.count
    if safe > 0 {
      parts.append(.bytes(Array(buffer[..<safe])))
      buffer.removeFirst(safe)
    }
    return false
  }

  /// Goes on behind a delimiter: with another part, or with the end.
  private mutating func enter(behind place: Int, _ parts: inout [Part]) throws(Malformed) -> Bool {
    let next = place + delimiter.count
    guard buffer.count >= next + 2 else { return false }
    let mark = Array(buffer[next..<next + 2])
    buffer.removeFirst(next + 2)
    if mark == Array("--".utf8) {
      state = .over
      parts.append(.end)
      return false
    }
    guard mark == Array("\r\n".utf8) else { throw Malformed() }
    state = .head
    return true
  }

  private mutating func readHead(_ parts: inout [Part]) throws(Malformed) -> Bool {
    let end = Array("\r\n\r\n".utf8)
    guard let place = find(end) else {
      guard buffer.count <= Self.longest else { throw Malformed() }
      return false
    }
    guard place <= Self.longest, let text = String(validating: buffer[..<place], as: UTF8.self) else {
      throw Malformed()
    }
    buffer.removeFirst(place + end.count)
    let line = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-disposition:") }
    guard let line, let name = line.firstMatch(of: /[; ]name="([^"]*)"/)?.1 else { throw Malformed() }
    if let file = line.firstMatch(of: /filename="([^"]*)"/)?.1 {
      state = .file
      parts.append(.file(field: String(name), name: String(file)))
    } else {
      state = .field(String(name))
    }
    return true
  }

  /// Where some bytes begin for the first time.
  private func find(_ wanted: [UInt8]) -> Int? {
    guard buffer.count >= wanted.count else { return nil }
    return buffer.withUnsafeBufferPointer { bytes in
      wanted.withUnsafeBufferPointer { wanted in
        let last = bytes.count - wanted.count
        var place = 0
        while place <= last {
          if bytes[place] == wanted[0], (1..<wanted.count).allSatisfy({ bytes[place + $0] == wanted[$0] }) {
            return place
          }
          place += 1
        }
        return nil
      }
    }
  }
}
