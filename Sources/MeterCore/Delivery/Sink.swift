/// A receiver of readings, in whatever way they reach it. ``DeliveryEngine`` decides what is sent and when; a sink sends it and says
/// what came of it.
///
/// A sink keeps nothing and waits for nobody but its receiver. It may be asked by several tasks at once.
public protocol Sink: Sendable {
  /// What it can do.
  var capabilities: SinkCapabilities { get }

  /// Asks the receiver whose credential it is. Nothing is stored there.
  func check(_ credential: SinkCredential) async -> CredentialReply

  /// Sends readings, at most as many as ``SinkCapabilities/batchSize`` says.
  ///
  /// - Returns: A reply a reading, in the same order.
  func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply]

  /// Sends a picture of a reading that the receiver has.
  func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply
}

/// What a sink can do.
public struct SinkCapabilities: Sendable, Hashable {
  /// How many readings go out together.
  public var batchSize: Int

  /// What it can do.
  public init(batchSize: Int = 1) { self.batchSize = max(1, batchSize) }
}

/// Whose readings are sent, and what the receiver knows them by.
public struct SinkCredential: Sendable {
  /// The user.
  public let user: SessionUser
  /// The token.
  public let token: AccessToken

  /// A credential.
  public init(user: SessionUser, token: AccessToken) { (self.user, self.token) = (user, token) }
}

/// A picture on its way to a receiver.
public struct SinkImage: Sendable {
  /// The picture.
  public let image: RecordImage
  /// The receiver's own id of its reading.
  public let recordID: String
  /// The reading's name.
  public let logID: LogID

  /// A picture of a reading.
  public init(_ image: RecordImage, recordID: String, logID: LogID) {
    (self.image, self.recordID, self.logID) = (image, recordID, logID)
  }
}
