import Crypto
import Glibc
import HostPrimitives

/// The export of a health store, as a file, a folder or bytes. Nothing of it is held but what was handed in as bytes.
///
/// ```swift
/// let export = try HealthExport(path: "export.zip")
/// let found = try await HealthImporter(registry: registry, drivers: drivers).read(export)
/// ```
public final class HealthExport: Sendable {
  private enum Content: Sendable {
    case bytes([UInt8])
    case file(ExportFile)
    case folder(FolderArchive)
  }

  /// What people call it: its path.
  public let name: String
  /// How many bytes it has; a folder has those of a zip archive of its files without compression.
  public let size: UInt64
  private let content: Content

  /// Opens a file, or a folder such as Samsung Health writes. Links, pipes and devices are refused.
  ///
  /// A folder is read once before this returns: drivers see it as an archive, which has a check sum of each file. Its
  /// files are looked for by content as in an archive; links, pipes and devices in it are passed over.
  ///
  /// - Throws: ``HealthImportError`` `file` or `empty`; of a folder `changed` and `truncated`, too.
  public init(path: String) throws(HealthImportError) {
    let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = errno
      if reason == ELOOP { throw Self.isUnreadable(path) }
      throw HealthImportError(
        .file, "\(path) cannot be opened", hint: "look whether it is there, and whose it is",
        cause: String(cString: strerror(reason)))
    }
    var status = stat()
    let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    switch kind {
    case S_IFREG:
      let file = ExportFile(descriptor, status, path: path)
      guard file.mark.size > 0 else { throw Self.hasNothing(path) }
      (name, size, content) = (path, file.mark.size, .file(file))
    case S_IFDIR:
      let archive = try FolderArchive(ExportFolder(descriptor, path: path))
      (name, size, content) = (path, archive.size, .folder(archive))
    default:
      close(descriptor)
      throw Self.isUnreadable(path)
    }
  }

  /// An export that is in memory already.
  ///
  /// - Throws: ``HealthImportError`` `empty`.
  public init(_ bytes: [UInt8], name: String = "the document") throws(HealthImportError) {
    guard !bytes.isEmpty else { throw Self.hasNothing(name) }
    self.name = name
    size = UInt64(bytes.count)
    content = .bytes(bytes)
  }

  /// Bytes from an offset on; as many as there are up to the end.
  func read(_ count: Int, at offset: UInt64) throws(HealthImportError) -> [UInt8] {
    guard offset < size, count > 0 else { return [] }
    let wanted = Int(min(UInt64(count), size - offset))
    switch content {
    case .bytes(let bytes): return Array(bytes[Int(offset)..<Int(offset) + wanted])
    case .file(let file): return try file.read(wanted, at: offset)
    case .folder(let archive): return try archive.read(wanted, at: offset)
    }
  }

  /// SHA-256 of the bytes, in hexadecimal.
  ///
  /// - Throws: ``HealthImportError`` `file` or `truncated`.
  package func digest() throws(HealthImportError) -> String {
    var hash = SHA256()
    var offset: UInt64 = 0
    while offset < size {
      let part = try read(1 << 20, at: offset)
      hash.update(data: part)
      offset += UInt64(part.count)
    }
    return Array(hash.finalize()).hexadecimal
  }

  /// Whether it is still what was opened.
  ///
  /// - Throws: ``HealthImportError`` `changed`.
  func check() throws(HealthImportError) {
    switch content {
    case .bytes: break
    case .file(let file): try file.check()
    case .folder(let archive): try archive.check()
    }
  }

  private static func isUnreadable(_ path: String) -> HealthImportError {
    HealthImportError(
      .file, "\(path) is no file or folder, but a link, a pipe or a device", hint: "name the file or folder itself")
  }

  private static func hasNothing(_ name: String) -> HealthImportError {
    HealthImportError(
      .empty, "\(name) is empty", hint: "export it again, with enough free space on the phone, and copy it whole")
  }
}
