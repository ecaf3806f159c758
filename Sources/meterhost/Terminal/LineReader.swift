import Foundation
import GatewayAPI

/// Lines from a descriptor, as many at a time as one read brings: a pipe is answered in batches, a person line by line.
struct LineReader {
  private let descriptor: Int32
  private let maximumLength: Int
  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// Lines over the maximum are handed out as far as one byte more, so that the reader of the line can refuse it.
  init(descriptor: Int32, maximumLength: Int) {
    self.descriptor = descriptor
    self.maximumLength = maximumLength
  }

  /// The next complete lines without empty ones; nil at the end of the input.
  ///
  /// - Throws: `GatewayError` with code `input` when the input cannot be read: an end that is none would hide lines.
  mutating func next() throws(GatewayError) -> [[UInt8]]? {
    while !isAtEnd {
      try fill()
      var pieces = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = isAtEnd ? [] : pieces.popLast().map(Array.init) ?? []
      if rest.count > maximumLength + 1 { rest.removeSubrange((maximumLength + 1)...) }
      let lines = pieces.map { Array($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0) }.filter { !$0.isEmpty }
      if !lines.isEmpty { return lines }
    }
    return nil
  }

  private mutating func fill() throws(GatewayError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = try DescriptorInput.read(descriptor, into: &buffer)
    if count > 0 { rest += buffer[..<count] } else { isAtEnd = true }
  }
}

/// Bytes from a descriptor, whatever state somebody else has left it in.
enum DescriptorInput {
  /// Waits for bytes.
  ///
  /// - Returns: How many were read; 0 at the end.
  static func read(_ descriptor: Int32, into buffer: inout [UInt8]) throws(GatewayError) -> Int {
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&ready, 1, -1)
      default:
        throw GatewayError(.failed, code: "input", "the input cannot be read: \(String(cString: strerror(errno)))")
      }
    }
  }

  /// Everything up to the end, at most a number of bytes more than which nobody wants.
  static func readAll(_ descriptor: Int32, limit: Int) throws(GatewayError) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while all.count <= limit {
      let count = try read(descriptor, into: &buffer)
      if count == 0 { break }
      all += buffer[..<count]
    }
    return all
  }
}
