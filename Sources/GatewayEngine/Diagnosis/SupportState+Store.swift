package import GatewayAPI
import Foundation
import MeterBluetooth
import MeterCore

extension SupportStateRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> SupportState { try SupportState(owner.store) }
}

extension SupportState {
  /// How many events are counted.
  static let eventLimit: Int64 = 1_000

  init(_ store: MeterStore) throws {
    let session = try store.currentSession()
    let sinks = try GatewaySink.all(in: store)
    let further = sinks.filter { $0.stored.role == .further }
    let known = try store.meters()
    var texts = [session.user?.userID, session.user?.organizationID].compactMap(\.self)
    for text in sinks.flatMap(\.setting.privateTexts) { texts += Self.names(in: text) }
    texts += further.map(\.name)
    texts += known.flatMap { [$0.name, $0.address ?? "", $0.uuid.uuidString] }
    texts += known.flatMap(\.owners).flatMap { [$0.user.userID, $0.user.organizationID] }
    self.init(
      hasSession: session.user != nil, isValidated: session.isValidated, sinks: further.count,
      queue: Dictionary(try store.tally().map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +),
      limits: try QueueLimitsDescription(store), events: try Self.events(in: store),
      credentials: try store.credentials().count,
      meters: try PairedMeter.all(in: store).map { PairedDescription($0) }, privateTexts: texts)
  }

  /// The last events, by name.
  private static func events(in store: MeterStore) throws -> [String: Int] {
    var events: [String: Int] = [:]
    var cursor = max(0, try store.newestEvent() - eventLimit)
    while true {
      let page = try store.events(after: cursor)
      for logged in page.events {
        events[logged.event.name, default: 0] += 1
      }
      guard page.next > cursor else { break }
      cursor = page.next
    }
    return events
  }

  /// An address or path as it stands, and the machine that an address names; a proxy's may come without a scheme.
  static func names(in address: String) -> [String] {
    guard !address.hasPrefix("/") else { return [address] }
    let url = address.contains("://") ? address : "http://\(address)"
    return [address, URL(string: url)?.host() ?? ""].filter { !$0.isEmpty }
  }
}
