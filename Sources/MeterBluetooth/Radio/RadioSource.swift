public import BluetoothWire

/// A radio that can be told from others.
public protocol NamedRadio: Radio, AnyObject {
  /// The name for people, such as `hci0`.
  var name: String { get }
  /// Links that it holds at the same time.
  var slots: Int { get }
  /// Whether it goes on listening while it makes a connection.
  var hearsWhileConnecting: Bool { get }
  /// Whether it is this radio, and no other, that has a bond with the meter; as far as it knows without asking anybody.
  func isBonded(with address: BluetoothAddress) -> Bool
  /// What ended the radio; nil while it can be used.
  var end: BluetoothError? { get }
}

extension NamedRadio {
  /// As many as most controllers hold.
  public var slots: Int { 4 }
  /// Yes.
  public var hearsWhileConnecting: Bool { true }
  /// It does not end.
  public var end: BluetoothError? { nil }
  /// Not as far as it knows.
  public func isBonded(with address: BluetoothAddress) -> Bool { false }
}

/// Where radios come from: one that is always there, or adapters that come and go.
public protocol RadioSource: Sendable {
  /// The radios that can be used, now and after each change.
  func radios() -> AsyncStream<[any NamedRadio]>
  /// Why there is no radio, or none that works.
  var problem: BluetoothError { get }
}
