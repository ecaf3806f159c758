import Foundation
import MeterBluetooth
import MeterCore

/// What a support file tells of a state folder: numbers, and what has to be taken out of everything else.
public struct SupportState: Sendable, Codable, Hashable {
  /// Whether there is a session.
  public var hasSession: Bool
  /// Whether the receiver has accepted its token.
  public var isValidated: Bool
  /// How many further receivers it has.
  public var sinks: Int
  /// Readings by their state.
  public var queue: [String: Int]
  /// How much the queue holds and may hold.
  public var limits: QueueLimitsDescription
  /// The last events, by name.
  public var events: [String: Int]
  /// Stored keys and licences.
  public var credentials: Int
  /// Paired meters; in the file only when they were asked for.
  public var meters: [PairedDescription]
  /// Texts that belong to people; never in the file.
  var privateTexts: [String]

  /// How many events are counted.
  static let eventLimit: Int64 = 1_000

  init(_ store: MeterStore) throws {
    let session = try store.currentSession()
    let setting = try ReceiverSetting.current(in: store)
    let further = try GatewaySink.all(in: store)
    hasSession = session.user != nil
    isValidated = session.isValidated
    sinks = further.count
    queue = Dictionary(try store.tally().map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
    limits = try QueueLimitsDescription(store)
    credentials = try store.credentials().count
    meters = try PairedMeter.all(in: store).map(PairedDescription.init)
    let known = try store.meters()
    events = [:]
    var cursor = max(0, try store.newestEvent() - Self.eventLimit)
    while true {
      let page = try store.events(after: cursor)
      for logged in page.events {
        events[logged.event.name, default: 0] += 1
      }
      guard page.next > cursor else { break }
      cursor = page.next
    }
    var texts = [session.user?.userID, session.user?.organizationID].compactMap(\.self)
    for receiver in [setting].compactMap(\.self) + further.map(\.setting) {
      texts += [receiver.authorityFile, receiver.clientCertificateFile, receiver.clientKeyFile].compactMap(\.self)
      texts += Self.names(in: receiver.receiver) + Self.names(in: receiver.proxy ?? "")
    }
    texts += further.map(\.name)
    texts += known.flatMap { [$0.name, $0.address ?? "", $0.uuid.uuidString] }
    texts += known.flatMap(\.owners).flatMap { [$0.user.userID, $0.user.organizationID] }
    privateTexts = texts
  }

  /// An address as it stands, and the machine that it names; a proxy's may come without a scheme.
  static func names(in address: String) -> [String] {
    let url = address.contains("://") ? address : "http://\(address)"
    return [address, URL(string: url)?.host() ?? ""].filter { !$0.isEmpty }
  }
}

/// What a support file tells of the state folder.
public struct SupportStateRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "support.state"
  /// Looking changes nothing.
  public static let isRepeatable = true

  /// Asks for it.
  public init() {}

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> SupportState { try SupportState(owner.store) }
}
