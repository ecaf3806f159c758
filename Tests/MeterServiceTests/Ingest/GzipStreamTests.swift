import Testing

@testable import MeterService

/// Bodies in gzip that were made with Python's zlib.
enum GzipSample {
  /// `{"data":{"metrics":[]}}`
  static let small = hexadecimal(
    "1f8b0800000000000203ab564a492c4954b2aa56ca4d2d29ca4c2e56b28a8eadad05001cca815617000000")
  static let smallContent = "{\"data\":{\"metrics\":[]}}"

  private static func hexadecimal(_ text: String) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), text[...])
    while !rest.isEmpty {
      bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// A MiB of zeros.
  static let zeros =
    hexadecimal("1f8b0800000000000203edc13101000000c2a0f54f6d085fa0") + [UInt8](repeating: 0, count: 1_016)
    + hexadecimal("3e031cea38a700001000")
}

@Suite("A body in gzip", .timeLimit(.minutes(10))) struct GzipStreamTests {
  /// Inflates it in pieces of a size; nil where it is damaged or not whole.
  private func inflated(_ bytes: [UInt8], by size: Int) throws -> [UInt8]? {
    let stream = try GzipStream()
    var content: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      do {
        let isTaken = try piece.withUnsafeBytes { bytes in
          try stream.inflate(bytes) { part in
            content += part
            return true
          }
        }
        #expect(isTaken)
      } catch GzipStream.Failure.damaged {
        return nil
      }
    }
    return stream.isWhole ? content : nil
  }

  @Test("comes out as it went in, in whatever pieces it comes", arguments: Array(1...60)) func pieces(size: Int) throws
  {
    let content = try #require(try inflated(GzipSample.small, by: size))
    #expect(String(decoding: content, as: UTF8.self) == GzipSample.smallContent)
    // RFC 1952, section 2.2: members one behind the other are one content.
    let twice = try #require(try inflated(GzipSample.small + GzipSample.small, by: size))
    #expect(String(decoding: twice, as: UTF8.self) == GzipSample.smallContent + GzipSample.smallContent)
  }

  @Test("more than its buffer comes out of few bytes", arguments: [1, 7, 64, 4_096]) func large(size: Int) throws {
    let content = try #require(try inflated(GzipSample.zeros, by: size))
    #expect(content.count == 1 << 20 && content.allSatisfy { $0 == 0 })
  }

  @Test("that ends anywhere before its end is not whole", arguments: 0..<GzipSample.small.count) func cuts(end: Int)
    throws
  {
    #expect(try inflated(Array(GzipSample.small[..<end]), by: 16) == nil)
  }

  // The head has bytes, and the end of the deflated part bits, that say nothing.
  @Test("of which a bit has turned never comes out as something else", arguments: 0..<GzipSample.small.count)
  func flips(at: Int) throws {
    for bit in 0..<8 {
      var bytes = GzipSample.small
      bytes[at] ^= 1 << UInt8(bit)
      let content = try inflated(bytes, by: 16)
      #expect(content == nil || content == Array(GzipSample.smallContent.utf8), "\(at) \(bit)")
      if at < 3 || at >= GzipSample.small.count - 8 { #expect(content == nil) }
    }
  }

  @Test("that has something else behind it, or is none, is damaged", arguments: ["x", "{}", "\u{1f}"])
  func garbage(text: String) throws {
    #expect(try inflated(GzipSample.small + Array(text.utf8), by: 1_000) == nil)
    #expect(try inflated(Array(text.utf8), by: 1_000) == nil)
  }

  @Test("is left when nobody wants more of it") func left() throws {
    let stream = try GzipStream()
    var count = 0
    let isTaken = try GzipSample.zeros.withUnsafeBytes { bytes in
      try stream.inflate(bytes) { part in
        count += part.count
        return count < 100_000
      }
    }
    #expect(!isTaken && count < 200_000)
  }
}
