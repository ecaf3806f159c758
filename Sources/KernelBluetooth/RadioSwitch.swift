import Glibc

/// The switch that keeps a machine's radios off (Linux, Documentation/driver-api/rfkill.rst).
package enum RadioSwitch {
  private static let folder = "/sys/class/rfkill"

  /// Whether a Bluetooth radio is kept off, by software or by a switch.
  package static func isBlocked() -> Bool {
    guard let directory = opendir(folder) else { return false }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard read("\(name)/type") == "bluetooth" else { continue }
      if read("\(name)/soft") == "1" || read("\(name)/hard") == "1" { return true }
    }
    return false
  }

  private static func read(_ name: String) -> String? {
    let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
