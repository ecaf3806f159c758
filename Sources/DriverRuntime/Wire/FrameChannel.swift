import CLinux
import Glibc

/// Why a frame did not get through.
package enum ChannelError: Error, Sendable, Hashable {
  /// The peer is gone.
  case ended
  /// The deadline passed.
  case late
  /// The peer sent what the protocol does not allow.
  case garbage(String)
  /// The peer speaks another version of the protocol.
  case otherVersion(String)
  /// The system said no.
  case system(Int32)
}

/// Frames over a connected stream socket, blocking until a deadline. Not thread-safe.
package final class FrameChannel {
  private let socket: Int32
  private var buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var consumed = 0
  /// The longest payload that is received.
  package var longest = WireFrame.longest

  /// What a buffer begins with, and what it goes back to.
  private static let usualRoom = 16 << 10
  /// The largest buffer that is kept for the next frame.
  private static let mostKept = 1 << 20

  /// Takes over the socket and closes it at the end.
  package init(socket: Int32) {
    self.socket = socket
    buffer = .allocate(byteCount: Self.usualRoom, alignment: 16)
  }

  deinit {
    buffer.deallocate()
    close(socket)
  }

  /// Sends one frame; `parts` are its payload. `deadline`: monotonic nanoseconds, nil: never.
  package func send(type: UInt8, _ parts: [UnsafeRawBufferPointer], deadline: Int64?) throws(ChannelError) {
    let length = parts.reduce(0) { $0 + $1.count }
    guard length <= WireFrame.most else { throw .system(EMSGSIZE) }
    let head = WireFrame(type: type, length: length).head
    try head.span.withUnsafeBytes { head throws(ChannelError) in
      var pieces = ([head] + parts).filter { !$0.isEmpty }.map {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
      }
      try sendAll(&pieces, deadline)
    }
  }

  /// Sends one frame with a payload in one piece.
  package func send(type: UInt8, _ payload: [UInt8], deadline: Int64?) throws(ChannelError) {
    try payload.span.withUnsafeBytes { bytes throws(ChannelError) in try send(type: type, [bytes], deadline: deadline) }
  }

  /// Sends one frame with a payload of an extension, from where it lies.
  ///
  /// - Parameter head: What stands before the payload.
  package func send(
    type: UInt8, head: [UInt8] = [], _ payload: ExtensionPayload, deadline: Int64?
  ) throws(ChannelError) {
    try head.span.withUnsafeBytes { head throws(ChannelError) in
      try payload.head.span.withUnsafeBytes { first throws(ChannelError) in
        try payload.bulk.span.withUnsafeBytes { bulk throws(ChannelError) in
          try send(type: type, [head, first, bulk], deadline: deadline)
        }
      }
    }
  }

  /// Waits for one frame. The payload is valid until the next call and lies on an 8-byte boundary.
  package func receive(deadline: Int64?) throws(ChannelError) -> (type: UInt8, payload: UnsafeRawBufferPointer) {
    discardConsumed()
    try fill(to: WireFrame.headSize, deadline)
    let frame: WireFrame
    let head = Array(buffer[..<WireFrame.headSize])
    do { frame = try WireFrame(head: head, longest: longest) } catch {
      throw WireFrame.isOfOtherVersion(head: head) ? .otherVersion(error.message) : .garbage(error.message)
    }
    let whole = WireFrame.headSize + frame.length
    try fill(to: whole, deadline)
    consumed = whole
    return (frame.type, UnsafeRawBufferPointer(rebasing: buffer[WireFrame.headSize..<whole]))
  }

  /// Gives the memory of a large frame back, whose payload has been used.
  package func forgetPayload() {
    discardConsumed()
    guard buffer.count > Self.mostKept, filled == 0 else { return }
    buffer.deallocate()
    buffer = .allocate(byteCount: Self.usualRoom, alignment: 16)
  }

  private func discardConsumed() {
    let left = filled - consumed
    if left > 0, consumed > 0, let base = buffer.baseAddress { memmove(base, base + consumed, left) }
    filled = left
    consumed = 0
  }

  private func fill(to count: Int, _ deadline: Int64?) throws(ChannelError) {
    if buffer.count < count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 2 * buffer.count), alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
      buffer.deallocate()
      buffer = larger
    }
    while filled < count {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let got = recv(socket, room.baseAddress, room.count, deadline == nil ? 0 : Int32(MSG_DONTWAIT))
      if got > 0 {
        filled += got
      } else if got == 0 {
        throw .ended
      } else {
        try recover(errno, Int16(POLLIN), deadline)
      }
    }
  }

  private func sendAll(_ pieces: inout [iovec], _ deadline: Int64?) throws(ChannelError) {
    var first = 0
    let flags = Int32(MSG_NOSIGNAL) | (deadline == nil ? 0 : Int32(MSG_DONTWAIT))
    while first < pieces.count {
      let sent = pieces[first...].withUnsafeMutableBufferPointer { rest in
        var message = msghdr()
        message.msg_iov = rest.baseAddress
        message.msg_iovlen = rest.count
        return sendmsg(socket, &message, flags)
      }
      guard sent >= 0 else {
        try recover(errno, Int16(POLLOUT), deadline)
        continue
      }
      var left = sent
      while first < pieces.count, left >= pieces[first].iov_len {
        left -= pieces[first].iov_len
        first += 1
      }
      if left > 0 {
        pieces[first].iov_base += left
        pieces[first].iov_len -= left
      }
    }
  }

  /// Waits until the socket can go on, or says why it cannot.
  private func recover(_ number: Int32, _ events: Int16, _ deadline: Int64?) throws(ChannelError) {
    switch number {
    case EINTR: return
    case EPIPE, ECONNRESET: throw .ended
    case EAGAIN: break
    default: throw .system(number)
    }
    var wait = pollfd(fd: socket, events: events, revents: 0)
    var milliseconds: Int32 = -1
    if let deadline {
      let left = deadline - clinux_monotonic()
      guard left > 0 else { throw .late }
      milliseconds = Int32(clamping: (left + 999_999) / 1_000_000)
    }
    let ready = poll(&wait, 1, milliseconds)
    if ready == 0 { throw .late }
    if ready < 0, errno != EINTR { throw .system(errno) }
  }
}
