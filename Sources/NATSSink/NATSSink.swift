package import CurlHTTP
package import HostPrimitives
import InformSink
package import MeterCore
package import NATSClient

/// The JetStream of a fleet, behind which receivers store readings (docs/reference/nats.md).
///
/// ```swift
/// var setting = NATSSinkSetting(servers: "tls://nats.example:4222", organization: "clinic", gateway: "gw0001")
/// setting.keyFile = "/etc/meterhost/nats.nk"
/// let engine = DeliveryEngine(store: store, sink: "fleet", target: try setting.stored(), receiver: try NATSSink(setting))
/// ```
///
/// It connects with the first delivery, and ends its connection when the value is gone.
package struct NATSSink: Sink {
  /// How many readings are on their way together.
  static let batchSize = 128

  /// What it can do.
  package let capabilities: SinkCapabilities
  private let subjects: ReadingSubjects
  private let isConfirmed: Bool
  private let courier: ReadingCourier

  /// A sink.
  ///
  /// - Parameter setting: As `checked()` gives it.
  /// - Throws: ``NATSError`` with code `nats_address`.
  package init(_ setting: NATSSinkSetting) throws(NATSError) {
    try self.init(setting, dialer: CurlDialer(settings: setting.transportSettings), clock: .system)
  }

  /// - Parameters:
  ///   - dialer: How servers are reached.
  ///   - clock: What waits are counted by.
  package init(_ setting: NATSSinkSetting, dialer: any ByteDialer, clock: any HostClock) throws(NATSError) {
    capabilities = setting.capabilities
    subjects = ReadingSubjects(organization: setting.organization, gateway: setting.gateway)
    isConfirmed = setting.acknowledgedBy == .receiver
    let connection = NATSConnection(try setting.options(), dialer: dialer, clock: clock)
    courier = ReadingCourier(connection, subjects, isConfirmed: isConfirmed, clock: clock)
  }

  /// Whether servers take the gateway. Whose token it is they do not know: the receiver says so of the first reading.
  package func check(_ credential: SinkCredential) async -> CredentialReply {
    guard credential.token != nil else { return CredentialReply(.unclear, text: Self.noToken, reason: Self.noToken) }
    do { try await courier.checkServers() } catch {
      return CredentialReply(.outOfReach(), text: error.line, reason: error.line)
    }
    let reason = "servers of NATS know no users; the receiver judges the token with the first reading"
    return CredentialReply(.cannotSay, text: reason, reason: reason)
  }

  /// Sends readings side by side.
  package func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    guard let token = credential.token else { return records.map { _ in SinkReply(.retry(), text: Self.noToken) } }
    return await withTaskGroup(of: (Int, SinkReply).self) { group in
      for (index, record) in records.enumerated() {
        group.addTask { (index, await deliver(record, token)) }
      }
      var replies = records.map { _ in SinkReply(.retry()) }
      for await (index, reply) in group { replies[index] = reply }
      return replies
    }
  }

  private func deliver(_ record: Record, _ token: AccessToken) async -> SinkReply {
    let message: ReadingMessage
    do {
      message = try ReadingMessage(record, to: subjects, token: token, isConfirmed: isConfirmed)
    } catch {
      return SinkReply(
        .refused(reason: "not_encodable"), text: "\(error.code.rawValue): \(error.message)", isAboutItem: true)
    }
    return await courier.deliver(message)
  }

  /// Streams of readings take no pictures, and none is queued for them.
  package func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply {
    SinkReply(.refused(reason: "no_pictures"), text: "a fleet's stream takes no pictures", isAboutItem: true)
  }

  /// What receivers say of readings that were not confirmed in a moment.
  package func confirmations() async -> AsyncStream<SinkConfirmation> {
    guard isConfirmed else { return AsyncStream { $0.finish() } }
    return courier.confirmations()
  }

  /// Says how the gateway is, for `meterhost-receiver fleet`.
  package func serve(_ surroundings: SinkSurroundings) async { await courier.serve(surroundings) }

  private static let noToken = "the receiver wants to know whose a reading is, and no token is kept for it"
}
