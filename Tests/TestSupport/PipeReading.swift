public import Foundation
import Glibc

extension FileHandle {
  /// Waits for bytes; empty at the end.
  ///
  /// Foundation's `availableData` ends the whole process when a signal arrives while it waits, and `readToEnd` gives
  /// up with an error: a test process has signals of its own (children that end, timers of the runtime).
  ///
  /// - Throws: The system's error when the descriptor cannot be read.
  public func nextBytes() throws -> Data {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(fileDescriptor, &bytes, bytes.count)
      if count >= 0 { return Data(bytes.prefix(count)) }
      guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
  }

  /// Waits for the end and gives everything up to it.
  ///
  /// - Throws: The system's error when the descriptor cannot be read.
  public func bytesToEnd() throws -> Data {
    var all = Data()
    while true {
      let next = try nextBytes()
      if next.isEmpty { return all }
      all += next
    }
  }
}
