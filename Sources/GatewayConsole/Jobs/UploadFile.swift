import Foundation
import GatewayAPI
import Glibc

/// A file that is being uploaded: only the host's user reads it, and it goes with the value unless somebody keeps it.
final class UploadFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// Makes a file in a folder, which is made where it is missing.
  ///
  /// - Parameter name: What the browser calls it; only letters, digits, dots and dashes of it are taken.
  /// - Throws: ``GatewayError`` with code `upload`.
  init(in folder: String, named name: String) throws(GatewayError) {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Self.failure }
    let plain = name.suffix(80).map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" }
    path = "\(folder)/\(UInt32.random(in: .min ... .max))-\(String(plain))"
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure }
  }

  deinit {
    // Without it the name is somebody else's.
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(path)
  }

  /// Bytes that stay free: without them nothing more could be taken from meters, and files may come side by side.
  private static let reserve: UInt64 = 64 << 20

  private var hasRoom: Bool {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return true }
    return UInt64(status.f_bavail) > Self.reserve / max(UInt64(status.f_frsize), 1)
  }

  /// Appends bytes.
  ///
  /// - Throws: ``GatewayError`` with code `upload`.
  func append(_ bytes: [UInt8]) throws(GatewayError) {
    guard hasRoom else { throw Self.failure }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 || count < 0 && errno == EINTR else { throw Self.failure }
      written += max(count, 0)
    }
  }

  private static var failure: GatewayError {
    GatewayError(
      .failed, code: "upload", "the file cannot be kept in the state folder",
      hint:
        "look whether the disk is full or nearly so; a file that is on the gateway already is imported with `meterhost health import FILE`"
    )
  }
}
