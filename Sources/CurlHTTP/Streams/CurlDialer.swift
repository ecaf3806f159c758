internal import Foundation
internal import Synchronization

/// Opens connections through libcurl (`CURLOPT_CONNECT_ONLY`), so that authorities, client certificate and proxy are those of
/// ``CurlTransport``. One thread serves all connections of a dialer; it starts with the first one and ends with the last user of it.
package struct CurlDialer: ByteDialer {
  private let thread: CurlStreamThread

  /// A dialer.
  ///
  /// - Parameter settings: `connectTimeout` limits connecting with TLS; `timeout` is how long bytes that were sent may stay without an
  ///   acknowledgement of the other end's system. What is said of answers does not concern connections.
  package init(settings: CurlTransport.Settings) { thread = CurlStreamThread(settings) }

  package func connect(_ address: ByteConnectionAddress) async throws(ByteConnectionError) -> any ByteConnection {
    try Self.check(address)
    let number = thread.mailbox.nextNumber()
    _ = try await thread.perform(.connect(address), stream: number)
    return CurlConnection(number, thread)
  }

  private static func check(_ address: ByteConnectionAddress) throws(ByteConnectionError) {
    let isHost =
      !address.host.isEmpty
      && address.host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
          true
        default: false
        }
      }
    guard isHost, (1...65535).contains(address.port) else {
      throw ByteConnectionError(.invalidAddress, "the address is no name or number of a host with a port; correct it.")
    }
  }
}

/// A connection of ``CurlDialer``. One that nobody holds any more is closed.
private final class CurlConnection: ByteConnection {
  private let number: Int
  private let thread: CurlStreamThread

  init(_ number: Int, _ thread: CurlStreamThread) { (self.number, self.thread) = (number, thread) }

  deinit { thread.mailbox.closeStream(number) }

  func send(_ bytes: [UInt8]) async throws(ByteConnectionError) {
    guard !bytes.isEmpty else { return }
    _ = try await thread.perform(.send(bytes), stream: number)
  }

  func receive() async throws(ByteConnectionError) -> [UInt8] { try await thread.perform(.receive, stream: number) }

  func close() { thread.mailbox.closeStream(number) }
}

/// The thread of a dialer and its connections, which keep it alive.
private final class CurlStreamThread: Sendable {
  let mailbox = CurlStreamMailbox()
  private let settings: CurlTransport.Settings
  private let isStarted = Mutex(false)

  init(_ settings: CurlTransport.Settings) { self.settings = settings }

  deinit { mailbox.close() }

  func perform(_ action: CurlStreamOrder.Action, stream: Int) async throws(ByteConnectionError) -> [UInt8] {
    start()
    let mailbox = self.mailbox
    let number = mailbox.nextNumber()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        mailbox.submit(
          CurlStreamOrder(number: number, stream: stream, action: action) { continuation.resume(returning: $0) })
      }
    } onCancel: {
      mailbox.cancel(number)
    }
    mailbox.forget(number)
    return try result.get()
  }

  private func start() {
    let isFirst = isStarted.withLock { isStarted in
      defer { isStarted = true }
      return !isStarted
    }
    guard isFirst else { return }
    let (mailbox, settings) = (mailbox, settings)
    let thread = Thread { CurlStreamLoop(mailbox: mailbox, settings: settings).run() }
    thread.name = "meterhost-stream"
    thread.start()
  }
}
