import Foundation
import MeterCore
import InformSink
import GatewayAPI
import GatewayEngine
import MeterReceiver
import TestSupport
import Testing

/// Two real receivers: each has each reading once, whatever happens to the other.
@Suite(.timeLimit(.minutes(60))) struct SinkDeliveryTests {
  private func stored(_ receiver: Receiver) throws -> Set<String> {
    let found = try receiver.store.measurements(organization: GatewayFixture.organization, uid: GatewayFixture.uid)
    let names = found.map(\.logID)
    #expect(Set(names).count == names.count)
    return Set(names)
  }

  private func commit(_ numbers: ClosedRange<Int>, to store: MeterStore, image: RecordImage? = nil) throws -> Set<
    String
  > {
    let generation = try store.currentSession().generation
    var records: [CommitRecord] = []
    for number in numbers {
      let time = RecordTime(
        startMicroseconds: 1_772_352_000_000_000 + Int64(number) * 60_000_000,
        endMicroseconds: 1_772_352_000_000_000 + Int64(number) * 60_000_000, civilMicroseconds: nil,
        utcOffsetSeconds: 0, zoneSource: .user, kind: .utc)
      let source = RecordSource(
        peripheralID: 0, manufacturer: nil, model: nil, deviceID: "", driverID: "manual", driverVersion: "1.0.0")
      var draft = RecordDraft(type: .diabetes, time: time, source: source)
      draft.values = [.init("blood_glucose", "\(80 + number)", "mg/dL")]
      records.append(CommitRecord(record: try draft.record(), disposition: .pending))
    }
    var images: [CommitImage] = []
    if let image { images = [CommitImage(logID: records[0].record.logID, image: image)] }
    _ = try store.commit([CommitUnit(generation: generation, records: records, images: images)])
    return Set(records.map(\.record.logID.description))
  }

  @Test func eachHasEachReadingOnceAndOneThatIsDownHoldsNothingBack() async throws {
    try await Sandbox.with { sandbox in
      let other = try Sandbox()
      defer { other.remove() }
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { receiver, port in
        let (otherPort, first) = try await GatewayFixture.withReceiver(other) { second, otherPort in
          _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
          let setting = ReceiverSetting(receiver: "http://127.0.0.1:\(otherPort)")
          let reason = try await GatewaySink.add(
            "research", setting: setting, token: AccessToken(GatewayFixture.token), to: store)
          #expect(reason == nil)
          let names = try commit(1...20, to: store, image: RecordImage([0xFF, 0xD8, 0xFF, 1]))
          let delivery = try #require(try GatewayDelivery.configured(store: store))
          try await delivery.finish()
          #expect(try stored(receiver) == names && stored(second) == names)
          #expect(try store.usage().records == 0 && store.usage().bytes == 0)
          #expect(try GatewaySink.further(in: store).map(\.stored.isValidated) == [true])
          return (otherPort, names)
        }
        // The second is down: the first gets everything, and the content stays for the second.
        let later = try commit(21...30, to: store)
        let delivery = try #require(try GatewayDelivery.configured(store: store))
        let report = await delivery.drain()
        #expect(report.delivered == 10 && report.waiting == 10)
        #expect(try stored(receiver) == first.union(later))
        #expect(try store.usage().records == 10)
        #expect(try Set(store.queueSnapshot(states: [.pending]).map(\.sink)) == ["research"])
        try await GatewayFixture.withReceiver(other, port: otherPort) { second, _ in
          // Another process, as after a restart.
          let again = try #require(try GatewayDelivery.configured(store: store))
          try await again.finish()
          #expect(try stored(second) == first.union(later))
        }
        #expect(try stored(receiver) == first.union(later))
        #expect(try store.usage().records == 0)
      }
    }
  }

  @Test func aSinkIsSetUpWithATokenThatItsReceiverKnows() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { _, port in
        let setting = ReceiverSetting(receiver: "http://127.0.0.1:\(port)")
        func code(_ name: String, _ token: String) async -> String? {
          do {
            _ = try await GatewaySink.add(name, setting: setting, token: AccessToken(token), to: store)
          } catch { return GatewayError(describing: error)?.code ?? "\(error)" }
          return nil
        }
        #expect(await code("research", GatewayFixture.token) == "no_session")
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        #expect(await code("research", "another-token-0123456789abcdef") == "token_refused")
        #expect(await code("Research", GatewayFixture.token) == "sink")
        #expect(try GatewaySink.further(in: store).isEmpty)
        #expect(await code("research", GatewayFixture.token) == nil)
        let shown = try SessionDescription(showing: store)
        #expect(shown.sinks?.map(\.name) == ["research"] && shown.format == "inform-v2")
      }
    }
  }

  @Test func bothFormatsWithImagesReachTheRealReceiver() async throws {
    for format in WireFormat.allCases {
      try await Sandbox.with { sandbox in
        let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
        try await GatewayFixture.withReceiver(sandbox) { receiver, port in
          var account = GatewayFixture.account(port: port)
          var setting = ReceiverSetting(receiver: account.setting.address)
          setting.format = format
          account.setting = setting
          let started = try await GatewayDelivery.start(account, store: store)
          let events = await started.delivery.events()
          let image = try RecordImage([0xFF, 0xD8, 0xFF, 7])
          let names = try commit(1...5, to: store, image: image)
          try await started.delivery.finish()
          for await event in events {
            guard case .recordImageSubmitted(_, let checksum, let mediaID, let url, _) = event else { continue }
            #expect(checksum == image.checksum && mediaID?.isEmpty == false)
            #expect(url?.hasSuffix(mediaID ?? "?") == true)
            break
          }
          let entries = try names.flatMap { try store.queueEntry(#require(LogID($0))) }
          #expect(entries.allSatisfy { $0.state == .delivered && $0.receiverID?.isEmpty == false })
          // The two formats are two records at the receiver; each log_id is in one only.
          #expect(try stored(receiver) == (format == .informV2 ? names : []))
        }
      }
    }
  }
}
