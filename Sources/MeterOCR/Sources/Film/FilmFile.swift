import Glibc
import MeterDrivers

/// What stands next in a film.
enum FilmItem: Sendable, Equatable {
  /// The bytes of a picture, not yet decoded.
  case picture([UInt8])
  /// Something that begins as a picture and is none.
  case damaged
  /// A moment without a picture: the one before stays.
  case repeated
  /// Nothing yet: the search goes on.
  case nothing
}

/// A film on disk, read piece by piece: films are longer than memory.
final class FilmFile {
  /// The longest picture.
  static let mostPicture = 8 << 20

  let path: String
  let size: Int
  private let descriptor: Int32
  /// The piece that was read last: most of what is asked for lies in it.
  private var window: [UInt8] = []
  private var windowStart = 0
  private static let windowSize = 256 << 10

  init(path: String) throws(FrameSourceError) {
    let descriptor = try PictureFile.open(path)
    do { size = try WholeFile.size(descriptor) } catch {
      close(descriptor)
      throw FrameSourceError(
        .notARegularFile, path: path, message: "this is a folder, a pipe or a device; name a film's file")
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Bytes from a place on; fewer at the end of the file.
  func bytes(at place: Int, count: Int) throws(FrameSourceError) -> [UInt8] {
    guard place >= 0, place < size, count > 0 else { return [] }
    let end = min(place + count, size)
    if place < windowStart || end > windowStart + window.count {
      guard count <= Self.windowSize else { return try read(place, end - place) }
      window = try read(place, Self.windowSize)
      windowStart = place
    }
    let last = min(end - windowStart, window.count)
    return place - windowStart < last ? Array(window[place - windowStart..<last]) : []
  }

  /// The byte at a place; nil behind the end.
  func byte(_ place: Int) throws(FrameSourceError) -> UInt8? {
    if place >= windowStart, place < windowStart + window.count { return window[place - windowStart] }
    return try bytes(at: place, count: 1).first
  }

  private func read(_ place: Int, _ count: Int) throws(FrameSourceError) -> [UInt8] {
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count, let base = buffer.baseAddress {
        let got = pread(descriptor, base + done, count - done, off_t(place + done))
        if got < 0, errno == EINTR { continue }
        if got < 0 { number = errno }
        if got <= 0 { break }
        done += got
      }
    }
    guard number == 0 else {
      throw FrameSourceError(
        .unreadable, path: path, message: "the film cannot be read; check the disk",
        cause: String(cString: strerror(number)))
    }
    return bytes
  }
}
