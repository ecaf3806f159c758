import BluetoothWire

/// Something that a meter sends of its own.
enum Outgoing: Sendable, Equatable {
  case notification(handle: UInt16, value: [UInt8])
  /// Sent only when no other indication waits for its confirmation.
  case indication(handle: UInt16, value: [UInt8])
}

/// What a meter does beside answering requests; a pure value.
protocol MeterBehaviour: Sendable {
  /// How many records the memory holds.
  var recordsLeft: Int { get }
  /// Values that its characteristics have, by handle.
  var values: [UInt16: [UInt8]] { get }
  /// Starts a connection; the clock faults of it are known then.
  mutating func connect(clockIsUnset: Bool, reportLimit: Int?)
  /// Why a value must not be written now.
  func refusal(handle: UInt16, value: [UInt8], server: ATTServer) -> ATTErrorCode?
  /// A value was written.
  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer)
  /// What to send next; nil: nothing for now.
  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing?
  /// The client confirmed the last indication; the name of the procedure if that was its end.
  mutating func confirmed() -> String?
  /// Tells the time since the connection began.
  mutating func advance(to milliseconds: Int)
  /// When there will be something to send without the client doing anything; nil: never.
  var dueMilliseconds: Int? { get }
  /// The name of the procedure whose end the last value was, once; nil if it was none, or needs a confirmation.
  mutating func ended() -> String?
  /// What the meter can say of the clients of its life.
  var testimony: MeterTestimony { get }
}

extension MeterBehaviour {
  var values: [UInt16: [UInt8]] { [:] }
  func refusal(handle: UInt16, value: [UInt8], server: ATTServer) -> ATTErrorCode? { nil }
  mutating func advance(to milliseconds: Int) {}
  var dueMilliseconds: Int? { nil }
  mutating func ended() -> String? { nil }
  var testimony: MeterTestimony { MeterTestimony() }
}

/// A meter that does nothing of its own.
struct DatabaseBehaviour: MeterBehaviour {
  var recordsLeft: Int { 0 }
  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) {}
  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {}
  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? { nil }
  mutating func confirmed() -> String? { nil }
}
