import Foundation

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
  mutating func next() -> [[UInt8]]? {
    while !isAtEnd {
      fill()
      var pieces = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = isAtEnd ? [] : pieces.popLast().map(Array.init) ?? []
      if rest.count > maximumLength + 1 { rest.removeSubrange((maximumLength + 1)...) }
      let lines = pieces.map { Array($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0) }.filter { !$0.isEmpty }
      if !lines.isEmpty { return lines }
    }
    return nil
  }

  private mutating func fill() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = -1
    repeat { count = read(descriptor, &buffer, buffer.count) } while count < 0 && errno == EINTR
    if count > 0 { rest += buffer[..<count] } else { isAtEnd = true }
  }
}
