/// A kind of sink and a setting of it, as the store keeps them.
public struct SinkTarget: Sendable, Hashable {
  /// The kind's name.
  public var kind: String
  /// The setting, in the kind's own JSON.
  public var setting: [UInt8]

  /// A target.
  public init(kind: String, setting: [UInt8]) { (self.kind, self.setting) = (kind, setting) }
}
