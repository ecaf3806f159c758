import CBus
import HostPrimitives

/// A connection of its own to the message bus, for the one thread that opened it; closed when it is let go.
///
/// What bluetoothd does for a connection ends with it: it forgets its agent and gives its pairing up.
final class BusConnection {
  /// The library's connection, for this thread.
  let bus: OpaquePointer

  /// The bus of the system, where nobody names another (D-Bus specification, "Well-known Message Bus Instances").
  static let systemBus = "unix:path=/run/dbus/system_bus_socket"

  /// Connects and says hello.
  ///
  /// - Returns: Nil when there is no libdbus or no bus at this address.
  /// - Throws: ``KernelBluetoothError`` with code `noAnswer`: there is a bus, and it says nothing in time; with `system`: there
  ///   may be one, and this process cannot talk to it.
  static func open(_ address: String, until deadline: HostInstant) throws(KernelBluetoothError)
    -> BusConnection?
  {
    if let problem = mh_bus_load().map({ String(cString: $0) }) {
      // A machine without the library has no bluetoothd, which uses it; one that could not be loaded says nothing of that.
      guard problem.contains("No such file") else {
        throw KernelBluetoothError(.system, "libdbus cannot be used: \(problem.prefix(200))")
      }
      return nil
    }
    guard let bus = mh_bus_open(address) else {
      guard BusAddress.isAbsent(address) else { throw .busClosed }
      return nil
    }
    let connection = BusConnection(bus)
    guard case .success = try connection.ask(.bus("Hello"), until: deadline) else { throw .daemonSilent }
    return connection
  }

  private init(_ bus: OpaquePointer) { self.bus = bus }

  deinit { mh_bus_close(bus) }

  /// The unique name of bluetoothd on this bus; nil when it does not run.
  ///
  /// - Throws: ``KernelBluetoothError`` also when the bus does not tell.
  func owner(until deadline: HostInstant) throws(KernelBluetoothError) -> String? {
    switch try ask(.bus("GetNameOwner", BusCall.daemon), until: deadline) {
    case .success(let arguments):
      guard case .text(let name)? = arguments.first, name.hasPrefix(":") else { throw .daemonUnknown }
      return name
    case .failure(let refusal):
      // A bus that may not be asked, or has no room, has not said that there is none.
      guard refusal.isNobody else { throw KernelBluetoothError(refusal, trying: "say whether it runs") }
      return nil
    }
  }

  /// Calls and waits for the answer; other messages that come meanwhile are dropped.
  ///
  /// - Throws: ``KernelBluetoothError`` with code `noAnswer`, or `refused` for an answer that is out of bounds.
  func ask(
    _ call: BusCall, until deadline: HostInstant
  ) throws(KernelBluetoothError) -> Result<[BusValue], BusRefusal> {
    let number = try send(call)
    while true {
      while let (message, raw) = next() {
        defer { mh_bus_free(raw) }
        // Only who was asked answers, or the bus for somebody who has gone.
        guard [call.destination, BusCall.bus].contains(message.sender) else { continue }
        switch message.kind {
        case .answer(number):
          guard let arguments = message.arguments else { throw .daemonUnknown }
          return .success(arguments)
        case .refusal(number, let name): return .failure(BusRefusal(name: name))
        default: continue
        }
      }
      guard mh_bus_is_open(bus) != 0 else { throw .daemonGone }
      guard SystemClock().now < deadline else { throw .daemonSilent }
      wait(until: deadline, wake: nil)
    }
  }

  /// Queues a call.
  ///
  /// - Returns: The number that its answer names.
  func send(_ call: BusCall) throws(KernelBluetoothError) -> UInt32 {
    guard mh_bus_is_path(call.path) != 0,
      let message = mh_bus_new_call(call.destination, call.path, call.interface, call.member)
    else { throw KernelBluetoothError(.system, "there is no object \(call.path) to ask bluetoothd for") }
    defer { mh_bus_free(message) }
    return try send(message, call.arguments)
  }

  func answer(_ call: OpaquePointer, _ reply: Result<[BusValue], BusRefusal>) throws(KernelBluetoothError) {
    guard mh_bus_wants_answer(call) != 0 else { return }
    let (message, arguments) =
      switch reply {
      case .success(let arguments): (mh_bus_new_answer(call), arguments)
      case .failure(let refusal): (mh_bus_new_error(call, refusal.name), [])
      }
    guard let message else { throw .noMemory }
    defer { mh_bus_free(message) }
    _ = try send(message, arguments)
  }

  private func send(_ message: OpaquePointer, _ arguments: [BusValue]) throws(KernelBluetoothError) -> UInt32 {
    var cursor = mh_bus_cursor()
    mh_bus_append_to(message, &cursor)
    for argument in arguments {
      let isAppended =
        switch argument {
        case .text(let text): mh_bus_is_text(text) & mh_bus_append_text(&cursor, Int32(UInt8(ascii: "s")), text)
        case .path(let path): mh_bus_is_path(path) & mh_bus_append_text(&cursor, Int32(UInt8(ascii: "o")), path)
        case .number(let number): mh_bus_append_number(&cursor, Int32(UInt8(ascii: "u")), number)
        default: Int32(0)
        }
      guard isAppended != 0 else { throw .noMemory }
    }
    let number = mh_bus_send(bus, message)
    guard number != 0 else { throw .noMemory }
    return number
  }

  /// The next message that has arrived, in words and as it is, to be freed with `mh_bus_free`.
  func next() -> (BusMessage, OpaquePointer)? {
    while let raw = mh_bus_next(bus) {
      if let message = BusMessage(raw) { return (message, raw) }
      mh_bus_free(raw)
    }
    return nil
  }

  /// Whether the bus is still there.
  var isOpen: Bool { mh_bus_is_open(bus) != 0 }

  /// Waits until something arrives, the wake is called, or time is up.
  func wait(until deadline: HostInstant, wake: BusWake?) {
    let left = (deadline - SystemClock().now).components
    let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
    // Rounded up, so that the last millisecond is not spent in a circle.
    mh_bus_wait(bus, wake?.descriptor ?? -1, Int32(min(max(milliseconds + 1, 0), 60_000)))
  }
}

/// Ends the wait of a thread from another one.
final class BusWake: Sendable {
  fileprivate let descriptor: Int32

  init() throws(KernelBluetoothError) {
    descriptor = mh_bus_wake_open()
    guard descriptor >= 0 else { throw KernelBluetoothError(opening: "wait for bluetoothd", errno: -descriptor) }
  }

  deinit { mh_bus_wake_close(descriptor) }

  /// Ends the wait that is, or else the next one.
  func call() { mh_bus_wake(descriptor) }
}

extension BusMessage {
  /// A message of the library's; nil when it has none of the forms that the specification knows.
  fileprivate init?(_ raw: OpaquePointer) {
    switch Int(mh_bus_kind(raw)) {
    case MH_BUS_CALL: kind = .call
    case MH_BUS_ANSWER: kind = .answer(to: mh_bus_reply_to(raw))
    case MH_BUS_ERROR:
      kind = .refusal(of: mh_bus_reply_to(raw), name: mh_bus_error_name(raw).map { String(cString: $0) } ?? "")
    case MH_BUS_SIGNAL: kind = .signal
    default: return nil
    }
    sender = mh_bus_sender(raw).map { String(cString: $0) } ?? ""
    path = mh_bus_path(raw).map { String(cString: $0) } ?? ""
    interface = mh_bus_interface(raw).map { String(cString: $0) } ?? ""
    member = mh_bus_member(raw).map { String(cString: $0) } ?? ""
    arguments = BusReader.arguments(of: raw)
  }
}

extension KernelBluetoothError {
  /// There may be a bus, and it cannot be talked to.
  static let busClosed = KernelBluetoothError(
    .system, "the system's message bus cannot be reached; let the program open its socket, and try again")
  static let noMemory = KernelBluetoothError(.system, "there is no memory to ask bluetoothd with")
}
