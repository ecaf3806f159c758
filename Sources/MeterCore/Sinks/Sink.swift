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

  /// What receivers say later of readings that were ``SinkReply/Outcome/unconfirmed(within:)``, as long as somebody listens. A sink whose
  /// replies are final has nothing to tell.
  func confirmations() async -> AsyncStream<SinkConfirmation>

  /// Works beside deliveries for as long as they run: keeps a connection, tells those who have subscribed how things stand. It is called
  /// once, when ``SinkCapabilities/wantsSurroundings`` says so, and returns soon after its task is cancelled.
  func serve(_ surroundings: SinkSurroundings) async
}

extension Sink {
  /// Nothing.
  public func serve(_ surroundings: SinkSurroundings) async {}

  /// None.
  public func confirmations() async -> AsyncStream<SinkConfirmation> {
    AsyncStream { $0.finish() }
  }
}

/// What a sink can do.
public struct SinkCapabilities: Sendable {
  /// How many readings go out together.
  public var batchSize: Int
  /// Whether pictures of readings go there, too.
  public var takesImages: Bool
  /// Whether a reply may leave open what the receiver says.
  public var confirmsLater: Bool
  /// Whether ``Sink/serve(_:)`` has something to do.
  public var wantsSurroundings: Bool
  /// What it means that a delivery is acknowledged.
  public var acknowledgement: Acknowledgement
  /// How long a reading's content stays in the store after its delivery here, unless a sink that keeps nothing has it, too; zero for not
  /// at all. Until then it can be sent again.
  public var keepsContent: Duration
  /// Whether a reading goes there: no reading is queued for a sink that has no form for it.
  public var takes: @Sendable (Record) -> Bool

  /// What it can do; everything, one reading at a time, where nothing is said.
  ///
  /// - Parameter keepsContent: Nil for a week where a broker's word is all that an acknowledgement is, and for no time elsewhere.
  public init(
    batchSize: Int = 1, takesImages: Bool = true, confirmsLater: Bool = false, wantsSurroundings: Bool = false,
    acknowledgement: Acknowledgement = .receiver, keepsContent: Duration? = nil,
    takes: @escaping @Sendable (Record) -> Bool = { _ in true }
  ) {
    self.batchSize = max(1, batchSize)
    self.takesImages = takesImages
    self.confirmsLater = confirmsLater
    self.wantsSurroundings = wantsSurroundings
    self.acknowledgement = acknowledgement
    self.keepsContent = keepsContent ?? (acknowledgement == .broker ? Acknowledgement.brokerKeeps : .zero)
    self.takes = takes
  }
}

/// What a receiver says at last of a reading that somebody in between has taken for it.
public struct SinkConfirmation: Sendable, Hashable {
  /// The reading's name.
  public let logID: LogID
  /// The revision that was sent; the reading may have a later one by now.
  public let revision: Int
  /// What the receiver says.
  public let reply: SinkReply

  /// A confirmation.
  public init(logID: LogID, revision: Int, _ reply: SinkReply) {
    (self.logID, self.revision, self.reply) = (logID, revision, reply)
  }
}

/// Whose readings are sent, and what the receiver knows them by.
public struct SinkCredential: Sendable {
  /// Whose readings they are, by the receiver's own ids.
  public let user: SessionUser
  /// The token; nil for a sink that has none.
  public let token: AccessToken?

  /// A credential.
  public init(user: SessionUser, token: AccessToken?) { (self.user, self.token) = (user, token) }
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
