import Crypto
import Foundation
import Glibc
import HostPrimitives

/// The export of a health store, as a file or as bytes. Nothing of it is held but what was handed in as bytes.
///
/// ```swift
/// let export = try HealthExport(path: "export.zip")
/// let found = try await HealthImporter(registry: registry, drivers: drivers).read(export)
/// ```
public final class HealthExport: Sendable {
  private enum Content: Sendable {
    case bytes([UInt8])
    case file(descriptor: Int32, Mark)
  }

  /// What a file has while nobody writes to it.
  private struct Mark: Sendable, Hashable {
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      size = Int64(status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  /// What people call it: its path.
  public let name: String
  /// How many bytes it has.
  public let size: UInt64
  private let content: Content

  /// Opens a file. A link, a pipe or a device is none.
  ///
  /// - Throws: ``HealthImportError`` `file` or `empty`.
  public init(path: String) throws(HealthImportError) {
    let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = errno
      if reason == ELOOP { throw Self.isNone(path) }
      throw HealthImportError(
        .file, "\(path) cannot be opened", hint: "look whether the file is there, and whose it is",
        cause: String(cString: strerror(reason)))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Self.isNone(path)
    }
    guard status.st_size > 0 else {
      close(descriptor)
      throw Self.hasNothing(path)
    }
    name = path
    size = UInt64(status.st_size)
    content = .file(descriptor: descriptor, Mark(status))
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

  deinit { if case .file(let descriptor, _) = content { close(descriptor) } }

  /// Bytes from an offset on; as many as there are up to the end.
  func read(_ count: Int, at offset: UInt64) throws(HealthImportError) -> [UInt8] {
    guard offset < size, count > 0 else { return [] }
    let wanted = Int(min(UInt64(count), size - offset))
    switch content {
    case .bytes(let bytes): return Array(bytes[Int(offset)..<Int(offset) + wanted])
    case .file(let descriptor, _): return try read(wanted, at: Int64(offset), of: descriptor)
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

  private func read(_ count: Int, at offset: Int64, of descriptor: Int32) throws(HealthImportError) -> [UInt8] {
    var done = 0
    var reason: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while done < count {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + Int64(done)))
        if got > 0 {
          done += got
        } else if got == 0 {
          break
        } else if errno != EINTR {
          reason = errno
          break
        }
      }
      filled = done
    }
    guard reason == 0 else {
      throw HealthImportError(
        .file, "\(name) cannot be read on", hint: "check the medium that it lies on",
        cause: String(cString: strerror(reason)))
    }
    guard done == count else {
      throw HealthImportError(
        .truncated, "\(name) became shorter while it was read", hint: "wait until it is written, and import it again")
    }
    return bytes
  }

  /// Whether the file is still the one that was opened.
  func check() throws(HealthImportError) {
    guard case .file(let descriptor, let mark) = content else { return }
    var status = stat()
    guard fstat(descriptor, &status) == 0, Mark(status) == mark else {
      throw HealthImportError(
        .changed, "\(name) was changed while it was read", hint: "wait until it is written, and import it again")
    }
  }

  private static func isNone(_ path: String) -> HealthImportError {
    HealthImportError(
      .file, "\(path) is no file, but a link, a folder, a pipe or a device", hint: "name the file itself")
  }

  private static func hasNothing(_ name: String) -> HealthImportError {
    HealthImportError(
      .empty, "\(name) is empty", hint: "export it again, with enough free space on the phone, and copy it whole")
  }
}
