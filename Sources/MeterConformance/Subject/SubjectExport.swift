import Foundation
import MeterDrivers

/// An export that a driver is tried on.
struct SubjectExport: Sendable {
  /// The file's name.
  var name: String
  var bytes: [UInt8]

  init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// Reads a file.
  ///
  /// - Throws: ``ConformanceError`` with code `unreadable`.
  init(_ path: String) throws(ConformanceError) {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw ConformanceError(.unreadable, "the export \(path) cannot be read: \(error.localizedDescription)")
    }
    guard !data.isEmpty, data.count <= BundleExports.longest else {
      throw ConformanceError(
        .unreadable,
        "the export \(path) has \(data.count) bytes; give one of 1 byte to \(BundleExports.longest >> 20) MiB: the suite reads it "
          + "many times, and makes a long one of it by itself")
    }
    self.init(name: URL(fileURLWithPath: path).lastPathComponent, bytes: [UInt8](data))
  }
}
