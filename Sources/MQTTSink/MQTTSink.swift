import CurlHTTP
import HostPrimitives
public import MeterCore

/// Readings over MQTT 5: each revision is a message of quality of service 1, beside which the newest values and Home Assistant's discovery
/// can be published (docs/reference/mqtt.md).
///
/// One connection carries everything. It is opened with the first delivery, or as soon as deliveries run, and stays.
public struct MQTTSink: Sink {
  /// How many readings are published before the broker's word on the first one is waited for.
  static let batchSize = 64

  /// What its setting says.
  public let capabilities: SinkCapabilities
  private let desk: MQTTDesk

  /// A sink for a broker.
  ///
  /// - Parameter setting: As ``MQTTSinkSetting/checked(stateFolder:)`` gives it.
  /// - Throws: ``MQTTSinkError`` with code `broker_address`.
  public init(_ setting: MQTTSinkSetting) throws {
    self.init(
      setting, to: try setting.broker(), dialer: CurlDialer(settings: setting.connectionSettings), clock: .system)
  }

  /// - Parameters:
  ///   - broker: Where it listens.
  ///   - dialer: The way to it.
  init(_ setting: MQTTSinkSetting, to broker: ByteConnectionAddress, dialer: any ByteDialer, clock: any HostClock) {
    capabilities = setting.capabilities
    desk = MQTTDesk(setting, to: broker, dialer: dialer, clock: clock)
  }

  /// Connects with the credential and says good-bye; where a receiver is to confirm, the topic of confirmations is tried, too.
  public func check(_ credential: SinkCredential) async -> CredentialReply { await desk.check(credential) }

  /// Publishes readings, and what is shown of them.
  public func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    await desk.deliver(records, with: credential)
  }

  /// Pictures are not taken.
  public func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply {
    SinkReply(.refused(reason: "no_place"), text: "pictures are not published", isAboutItem: true)
  }

  /// What receivers publish to the topic of confirmations.
  public func confirmations() async -> AsyncStream<SinkConfirmation> { await desk.confirmations() }

  /// Keeps the connection, with `online` as its status, and tells how deliveries stand.
  public func serve(_ surroundings: SinkSurroundings) async { await desk.serve(surroundings) }
}
