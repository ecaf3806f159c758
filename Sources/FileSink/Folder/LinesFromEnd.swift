import Glibc

/// The lines of a file, the last one first.
struct LinesFromEnd {
  struct Line {
    /// Where it begins in the file.
    let start: Int64
    /// With its line feed, where it has one.
    let bytes: ArraySlice<UInt8>

    /// Whether it is as it was written: what a power cut has left of one has no end, or holes.
    var isWhole: Bool { bytes.last == UInt8(ascii: "\n") && !bytes.contains(0) }
  }

  private let file: Descriptor
  private let path: String
  /// Where the buffer begins in the file.
  private var base: Int64
  private var buffer: [UInt8] = []
  /// Where in the buffer what was not given yet ends.
  private var end = 0

  /// Bytes that are read at once, at least.
  private static let pieceSize = 1 << 20

  init(_ file: Descriptor, length: Int64, path: String) {
    self.file = file
    self.path = path
    base = length
  }

  /// How many bytes are before the line that was given last.
  var before: Int64 { base + Int64(end) }

  mutating func next() throws(FileSinkError) -> Line? {
    guard before > 0 else { return nil }
    while true {
      // The line's own end is none of the one before it.
      if end > 0, let newline = buffer[..<(end - 1)].lastIndex(of: UInt8(ascii: "\n")) {
        return give(from: newline + 1)
      }
      guard base > 0 else { return give(from: 0) }
      try fill()
    }
  }

  private mutating func give(from start: Int) -> Line {
    defer { end = start }
    return Line(start: base + Int64(start), bytes: buffer[start..<end])
  }

  private mutating func fill() throws(FileSinkError) {
    // The double of it each time: a line of a long series is not copied for each piece of it.
    let count = Int(min(base, Int64(max(Self.pieceSize, end))))
    var piece = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let offset = base - Int64(count) + Int64(filled)
      let got = piece.withUnsafeMutableBytes { bytes in
        pread(file.number, bytes.baseAddress?.advanced(by: filled), count - filled, off_t(offset))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw .system("cannot read \(path)", got < 0 ? errno : EIO) }
      filled += got
    }
    buffer = piece + buffer[..<end]
    base -= Int64(count)
    end += count
  }
}
