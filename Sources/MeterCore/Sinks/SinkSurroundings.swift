/// What a sink may know of the gateway beside the readings, while deliveries run: see ``Sink/serve(_:)``.
public struct SinkSurroundings: Sendable {
  /// An element at the beginning and when something of the others may have changed; several changes may give one.
  public let changes: AsyncStream<Void>
  /// Whose readings go out, and with what; nil while none may.
  public let credential: @Sendable () async -> SinkCredential?
  /// How the sink's deliveries stand; nil when that cannot be read now.
  public let status: @Sendable () async -> SinkStatus?

  /// Surroundings from their parts.
  public init(
    changes: AsyncStream<Void>, credential: @escaping @Sendable () async -> SinkCredential?,
    status: @escaping @Sendable () async -> SinkStatus?
  ) {
    (self.changes, self.credential, self.status) = (changes, credential, status)
  }
}

/// How a sink's deliveries stand. There is no health value in it.
public struct SinkStatus: Sendable, Hashable {
  /// Readings that are still to be delivered.
  public var pending: Int
  /// Readings that wait for a person.
  public var held: Int
  /// Readings that the receiver has refused for good.
  public var dead: Int
  /// The meters that the gateway knows, as `RecordSource.deviceID` names them.
  public var meters: Set<String>

  /// A status from its parts.
  public init(pending: Int = 0, held: Int = 0, dead: Int = 0, meters: Set<String> = []) {
    (self.pending, self.held, self.dead, self.meters) = (pending, held, dead, meters)
  }
}
