import Foundation
import MeterCore

/// The file whose only line is the value of the field `Authorization`, such as `Bearer abc`. It is read for each request, so that whoever
/// renews it does nothing else.
enum AuthorizationFile {
  private static let limit = 4_096

  /// The value.
  ///
  /// - Throws: `SinkSettingError` with code `sink_setting`; it repeats nothing of the file.
  static func read(_ path: String) throws(SinkSettingError) -> String {
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      bytes = Array(try handle.read(upToCount: limit + 2) ?? Data())
    } catch {
      throw SinkSettingError(
        .setting, "the file of the Authorization cannot be read: \((error as NSError).localizedDescription)",
        hint: "check authorization_file, and that this user may read the file")
    }
    var line = bytes[...]
    for end in [UInt8(ascii: "\n"), UInt8(ascii: "\r")] where line.last == end { line.removeLast() }
    guard (1...limit).contains(line.count), line.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw SinkSettingError(
        .setting, "the file of the Authorization is not one line of printable ASCII",
        hint: "write what the field is to say, such as `Bearer TOKEN`, and nothing else")
    }
    return String(decoding: line, as: UTF8.self)
  }
}
