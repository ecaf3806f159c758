import HostPrimitives

/// Pictures that stand one behind the other in a file. Their ends are found by their marks (ISO/IEC 10918-1, annex B), not
/// by searching for the next beginning: pictures have small pictures inside.
struct JPEGStream {
  /// So far a beginning is looked for at once.
  private static let mostSearched = 1 << 20

  private var place = 0
  /// The bytes that were gone over for ends of pictures: a film may be made to have each of them gone over again and again.
  private var walked = 0

  /// What comes next; nil at the end.
  mutating func next(_ film: FilmFile) throws(FrameSourceError) -> FilmItem? {
    guard try begin(film) else { return try film.byte(place) == nil ? nil : .nothing }
    // Whole pictures are gone over once, and damaged ones about as often.
    guard walked / 4 <= max(film.size, 1 << 20) else {
      throw FrameSourceError(
        .damagedFilm, path: film.path, message: "the film has beginnings of pictures without end; convert it again")
    }
    let start = place
    guard let end = try end(film, start) else {
      // Cut or damaged: the next beginning may lie inside of it.
      place = start + 2
      return .damaged
    }
    place = end
    return .picture(try film.bytes(at: start, count: end - start))
  }

  /// Goes to where the next picture begins; false when none does as far as was looked.
  private mutating func begin(_ film: FilmFile) throws(FrameSourceError) -> Bool {
    let last = place + Self.mostSearched
    while place < last, let byte = try film.byte(place) {
      if byte == 0xFF, try film.byte(place + 1) == 0xD8, try film.byte(place + 2) == 0xFF { return true }
      place += 1
    }
    return false
  }

  /// Behind the mark that ends the picture; nil when something else comes first.
  private mutating func end(_ film: FilmFile, _ start: Int) throws(FrameSourceError) -> Int? {
    var at = start + 2
    defer { walked += at - start }
    while at - start <= FilmFile.mostPicture {
      guard try film.byte(at) == 0xFF, let mark = try film.byte(at + 1) else { return nil }
      switch mark {
      case 0xD9: return at + 2
      case 0xFF: at += 1
      case 0x01, 0xD0...0xD7: at += 2
      case 0x00, 0xD8: return nil
      default:
        guard let high = try film.byte(at + 2), let low = try film.byte(at + 3) else { return nil }
        let length = Int(bigEndianBytes: [high, low])
        guard length >= 2 else { return nil }
        at += 2 + length
        if mark == 0xDA { at = try behindScan(film, at, start) }
      }
    }
    return nil
  }

  /// The mark behind a scan's data, or as far as was looked: within it FF is followed by 0 or a restart.
  private func behindScan(_ film: FilmFile, _ from: Int, _ start: Int) throws(FrameSourceError) -> Int {
    var at = from
    while at - start <= FilmFile.mostPicture, let byte = try film.byte(at) {
      if byte == 0xFF {
        guard let mark = try film.byte(at + 1) else { return at }
        if mark != 0, mark != 0xFF, !(0xD0...0xD7).contains(mark) { return at }
      }
      at += 1
    }
    return at
  }
}
