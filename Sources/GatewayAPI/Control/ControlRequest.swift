/// Something that is asked of the owner of a state folder, answered once.
///
/// A request is a value, and has no more than what is asked: it goes over the socket as it is. What the owner does for it is
/// written once, for a command that owns the folder itself as for the running service.
public protocol ControlRequest: Codable, Sendable {
  /// What it is answered with.
  associatedtype Answer: Codable & Sendable
  /// Its name on the socket, such as `queue.list`.
  static var name: String { get }
  /// Whether performing the same request twice comes to what performing it once does, so that it may be sent again when
  /// nobody can say what became of it. Defaults to `false`.
  static var isRepeatable: Bool { get }
  /// Whether it changes nothing, so that it can be performed on a file system that is mounted read-only. Defaults to
  /// `false`.
  static var onlyLooks: Bool { get }
}

extension ControlRequest {
  /// Not unless it says so.
  public static var isRepeatable: Bool { false }
  /// Not unless it says so.
  public static var onlyLooks: Bool { false }
}

/// Something that takes a while and tells what happens: a read, a pairing, listening to events.
public protocol ControlConversation: Codable, Sendable {
  /// What it tells.
  associatedtype Event: Codable & Sendable
  /// Its name on the socket, such as `meter.read`.
  static var name: String { get }
  /// Whether it changes nothing, so that it can be held on a file system that is mounted read-only. Defaults to
  /// `false`.
  var onlyLooks: Bool { get }
}

extension ControlConversation {
  /// Not unless it says so.
  public var onlyLooks: Bool { false }
}
