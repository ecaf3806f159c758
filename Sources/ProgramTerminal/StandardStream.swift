import CLinux
import Glibc

/// Standard output and standard error, whatever state somebody else has left them in.
package enum StandardStream {
  /// Writes all of a text.
  ///
  /// - Returns: Why not, as an error number; nil: it is written.
  package static func put(_ text: String, to descriptor: Int32) -> Int32? {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      let reason = errno
      if written > 0 {
        bytes = bytes.dropFirst(written)
      } else if reason == EAGAIN {
        // Somebody else has made the shared end of a pipe non-blocking.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, -1)
      } else if reason != EINTR {
        return reason
      }
    }
    return nil
  }

  /// Why standard output is known to take nothing, before anything is written; nil: it may take it.
  package static var refusal: String? {
    let reason = clinux_cannot_write(STDOUT_FILENO)
    return reason == 0 ? nil : words(-reason)
  }

  /// An error number in words.
  package static func words(_ reason: Int32) -> String { String(cString: strerror(reason)) }
}
