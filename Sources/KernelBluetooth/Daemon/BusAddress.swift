import Glibc
import HostPrimitives

/// Where a message bus is, as far as it tells whether there is one at all (D-Bus specification, "Server Addresses").
enum BusAddress {
  /// Whether nobody can listen at any of these addresses; false where that cannot be known.
  ///
  /// libdbus says the same of a bus that is not there, of one that this process may not talk to, and of a process that has no
  /// descriptor left. Only the first means that there is no bluetoothd.
  static func isAbsent(_ addresses: String) -> Bool {
    addresses.split(separator: ";").allSatisfy { address in
      // What has no transport is no address.
      guard let colon = address.firstIndex(of: ":") else { return true }
      guard address[..<colon] == "unix" else { return false }
      let settings = address[address.index(after: colon)...].split(separator: ",")
      guard let setting = settings.first(where: { $0.hasPrefix("path=") }),
        let path = unescaped(setting.dropFirst("path=".count))
      else { return false }
      return isNobody(at: path)
    }
  }

  /// Whether nobody listens at a socket's path; false where the kernel gives no answer to that.
  private static func isNobody(at path: [UInt8]) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // With its closing zero.
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // A file that a bus has left behind refuses: bluetoothd ends with its bus.
    return result != 0 && [ENOENT, ENOTDIR, ECONNREFUSED].contains(errno)
  }

  /// A value without its escapes; nil when they are damaged.
  private static func unescaped(_ value: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = value.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let escaped = [UInt8](hexadecimal: rest.prefix(2)), !escaped.isEmpty else { return nil }
      bytes += escaped
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
