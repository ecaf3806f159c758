import Glibc
import MeterDrivers

/// Files of pictures on disk. Nothing is waited for and nothing is followed: a pipe, a device or a link with the name of
/// a picture is refused.
enum PictureFile {
  /// The longest file (`MH_IMAGE_FILE_MAX`).
  static let limit = 32 << 20

  /// An open file, for the caller to close.
  static func open(_ path: String) throws(FrameSourceError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor < 0 else { return descriptor }
    let number = errno
    let cause = String(cString: strerror(number))
    switch number {
    case ENOENT, ENOTDIR:
      throw FrameSourceError(.notFound, path: path, message: "there is no such file; check the name", cause: cause)
    case EACCES, EPERM:
      throw FrameSourceError(
        .denied, path: path, message: "this account may not read the file; change its mode or owner", cause: cause)
    // A link, a socket, a device without a driver.
    case ELOOP, ENXIO, ENODEV:
      throw FrameSourceError(
        .notARegularFile, path: path, message: "this is a link, a socket or a device; name the picture's own file",
        cause: cause)
    default:
      throw FrameSourceError(
        .unreadable, path: path, message: "the file cannot be opened; check the disk", cause: cause)
    }
  }

  /// The whole content of one.
  static func read(_ path: String) throws(FrameSourceError) -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    do { return try WholeFile.read(descriptor, limit: limit) } catch { throw error.error(path) }
  }

  /// Whether the content of a file begins as a picture does; a file that cannot be read is none.
  static func looksLikePicture(_ path: String) -> Bool {
    guard let descriptor = try? open(path) else { return false }
    defer { close(descriptor) }
    guard (try? WholeFile.size(descriptor)) != nil else { return false }
    var head = [UInt8](repeating: 0, count: 8)
    let count = pread(descriptor, &head, head.count, 0)
    return count > 0 && PictureKind(head.prefix(count)) != nil
  }
}

/// A kind of file, as its first bytes say.
enum PictureKind: Sendable {
  case jpeg
  case png

  init?(_ head: some Sequence<UInt8>) {
    let head = Array(head.prefix(8))
    if head.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if head == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] {
      self = .png
    } else {
      return nil
    }
  }
}

extension WholeFile.Failure {
  fileprivate func error(_ path: String) -> FrameSourceError {
    switch self {
    case .notRegular:
      FrameSourceError(
        .notARegularFile, path: path, message: "this is a folder, a pipe or a device; name a picture's file")
    case .tooLarge(let size):
      FrameSourceError(
        .imageTooLarge, path: path,
        message: "the file has \(size) bytes, \(PictureFile.limit) are the most; make the picture smaller")
    case .unreadable(let number):
      FrameSourceError(
        .unreadable, path: path, message: "the file cannot be read; check the disk",
        cause: String(cString: strerror(number)))
    case .changing:
      FrameSourceError(
        .unreadable, path: path, message: "the file grows or shrinks while it is read; wait until it is complete")
    }
  }
}
