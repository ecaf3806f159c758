/// Which gateway sends readings, for receivers that keep gateways apart.
public struct SinkGateway: Sendable, Hashable {
  /// The name that the state folder has given itself: a UUID that no other gateway has.
  public let id: String

  /// A gateway.
  public init(id: String) { self.id = id }
}
