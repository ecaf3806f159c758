import Glibc

/// The pictures of a folder.
enum PictureFolder {
  /// The most entries that are looked at.
  static let entryLimit = 20_000

  /// Its picture files by content, sorted by name. Subfolders are not looked into.
  static func pictures(_ path: String) throws(FrameSourceError) -> [String] {
    let files = try entries(path).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
      .map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
      .filter(PictureFile.looksLikePicture)
    guard !files.isEmpty else {
      throw FrameSourceError(
        .emptyDirectory, path: path, message: "the folder has no JPEG or PNG picture; name another one")
    }
    return files
  }

  private static func entries(_ path: String) throws(FrameSourceError) -> [String] {
    guard let folder = opendir(path) else {
      let number = errno
      let cause = String(cString: strerror(number))
      switch number {
      case ENOENT: throw FrameSourceError(.notFound, path: path, message: "there is no such folder", cause: cause)
      case EACCES, EPERM:
        throw FrameSourceError(
          .denied, path: path, message: "this account may not read the folder; change its mode", cause: cause)
      case ENOTDIR:
        throw FrameSourceError(.notFound, path: path, message: "this is no folder; name one", cause: cause)
      default:
        throw FrameSourceError(
          .unreadable, path: path, message: "the folder cannot be read; check the disk", cause: cause)
      }
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = try next(folder, path) {
      guard names.count < entryLimit else {
        throw FrameSourceError(
          .directoryTooLarge, path: path,
          message: "the folder has more than \(entryLimit) entries; put the pictures into a folder of their own")
      }
      // The kernel ends each name with a zero byte, and what is behind it need not be there.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The next entry of an open folder; nil at the end.
  private static func next(
    _ folder: OpaquePointer, _ path: String
  ) throws(FrameSourceError) -> UnsafeMutablePointer<dirent>? {
    // Nothing else tells the end from an error.
    errno = 0
    if let entry = readdir(folder) { return entry }
    guard errno == 0 else {
      throw FrameSourceError(
        .unreadable, path: path, message: "the folder cannot be read; check the disk",
        cause: String(cString: strerror(errno)))
    }
    return nil
  }
}
