import HostPrimitives

/// Pictures in an AVI file (RIFF, little-endian): the chunks of the first video stream in its `movi` lists. The index at
/// the end is not used: it may be missing or lie.
struct AVIFilm {
  /// The most chunks without a picture that are passed over for the next one.
  private static let mostOther = 100_000

  /// Nanoseconds from one picture to the next.
  private(set) var interval: UInt64 = FilmSource.interval
  private var place = 0
  /// Where the lists end that we are in, the innermost last.
  private var ends: [Int] = []
  /// The chunk of the video stream, such as `00dc`.
  private var stream: [UInt8]?

  /// Whether a file begins as one.
  static func fits(_ head: [UInt8]) -> Bool {
    head.count >= 12 && head.starts(with: Array("RIFF".utf8)) && head[8..<12].elementsEqual("AVI ".utf8)
  }

  /// What comes next; nil at the end.
  mutating func next(_ film: FilmFile) throws(FrameSourceError) -> FilmItem? {
    var streams: UInt8 = 0
    for _ in 0..<Self.mostOther {
      while let end = ends.last, place >= end { ends.removeLast() }
      let head = try film.bytes(at: place, count: 12)
      guard head.count >= 8 else { return nil }
      let name = Array(head.prefix(4))
      let length = Int(UInt32(littleEndianBytes: head[4..<8]))
      let body = place + 8
      if name == Array("RIFF".utf8) || name == Array("LIST".utf8), head.count == 12 {
        enter(Array(head.suffix(4)), body, length, film.size)
        continue
      }
      // Chunks begin at even places.
      place = body + length + length % 2
      if name == Array("avih".utf8) { readInterval(try film.bytes(at: body, count: 4)) }
      if name == Array("strh".utf8) {
        readStream(try film.bytes(at: body, count: 4), streams)
        streams += streams < 99 ? 1 : 0
      }
      guard isPicture(name) else { continue }
      guard length > 0 else { return .repeated }
      guard length <= FilmFile.mostPicture else { return .damaged }
      let picture = try film.bytes(at: body, count: length)
      return picture.count == length ? .picture(picture) : .damaged
    }
    throw FrameSourceError(
      .damagedFilm, path: film.path, message: "the film has too much beside its pictures; convert it again")
  }

  /// Goes into a list; those without pictures are passed over.
  private mutating func enter(_ kind: [UInt8], _ body: Int, _ length: Int, _ size: Int) {
    let known = ["AVI ", "AVIX", "hdrl", "strl", "movi", "rec "].map { Array($0.utf8) }
    // A film that was not ended has no length here.
    let end = length < 4 ? size : min(body + length + length % 2, size)
    guard known.contains(kind), ends.count < 8 else {
      place = max(end, body + 4)
      return
    }
    place = body + 4
    ends.append(end)
  }

  private mutating func readInterval(_ bytes: [UInt8]) {
    let microseconds = bytes.count == 4 ? UInt64(littleEndianBytes: bytes) : 0
    // From 240 pictures a second to one in ten seconds; else nobody knows.
    if (4_000...10_000_000).contains(microseconds) { interval = microseconds * 1000 }
  }

  private mutating func readStream(_ kind: [UInt8], _ number: UInt8) {
    guard stream == nil, kind == Array("vids".utf8) else { return }
    stream = [0x30 + number / 10, 0x30 + number % 10]
  }

  private func isPicture(_ name: [UInt8]) -> Bool {
    guard name.suffix(2) == [0x64, 0x63] || name.suffix(2) == [0x64, 0x62] else { return false }
    return name.prefix(2).elementsEqual(stream ?? [0x30, 0x30])
  }
}
