import Dispatch
import Foundation
import GatewayAPI
import HostPrimitives
import MeterBluetooth
import MeterCore
import Synchronization
import TestSupport
import Testing

@testable import GatewayEngine

/// What the host's own objects tell, counted and written.
@Suite("Metrics of a host", .timeLimit(.minutes(60))) struct HostMetricsTests {
  /// The samples of a family: the labels' values in the order of their names, and the number.
  private func samples(_ name: String, _ families: [MetricFamily]) -> [String: Double] {
    let samples = families.flatMap(\.samples).filter { $0.name == name }
    return Dictionary(
      samples.map { sample in
        (sample.labels.sorted { $0.key < $1.key }.map(\.value).joined(separator: " "), sample.value)
      }, uniquingKeysWith: +)
  }

  private func families(
    _ metrics: HostMetrics, air: AirFigures = AirFigures(), readsPassively: Bool = false
  ) async throws -> [MetricFamily] {
    try await metrics.families(at: HostMetrics.Moment(air: air, readsPassively: readsPassively))
  }

  @Test("a meter that is read and delivered is in them, and nothing of a person") func readAndDelivered() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let metrics = HostMetrics(of: store, trust: .vouched, tellsMetersApart: true, clock: .system)
      store.counted.listen { [tally = metrics.tally] in tally.note($0) }
      try await GatewayFixture.withReceiver(sandbox) { _, port in
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        let summary = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
        #expect(summary?.records.count == 2)
        let waiting = try await families(metrics)
        #expect(samples("meterhost_queue_records", waiting)["inform pending"] == 2)
        let oldest = try #require(samples("meterhost_queue_oldest_timestamp_seconds", waiting)["inform"])
        #expect(abs(oldest - Date.now.timeIntervalSince1970) < 3600)
        try await #require(try GatewayDelivery.configured(store: store)).finish()
      }
      let found = try await families(metrics)
      #expect(samples("meterhost_readings_total", found).values.reduce(0, +) == 2)
      #expect(samples("meterhost_reads_total", found) == ["completed 1000": 1])
      #expect(samples("meterhost_read_seconds_count", found) == ["": 1])
      #expect(samples("meterhost_delivery_attempts_total", found)["delivered inform"] == 2)
      #expect(samples("meterhost_delivery_attempts_total", found)["retry inform"] == 0)
      #expect(samples("meterhost_delivery_delay_seconds_count", found) == ["inform": 2])
      #expect(try #require(samples("meterhost_delivery_seconds_count", found)["inform"]) >= 1)
      #expect(samples("meterhost_queue_records", found)["inform pending"] == 0)
      #expect(samples("meterhost_queue_oldest_timestamp_seconds", found).isEmpty)
      #expect(samples("meterhost_session_valid", found) == ["inform": 1])
      #expect(samples("meterhost_clock_synchronized", found) == ["": 1])
      let commits = try #require(samples("meterhost_commits_total", found)[""])
      #expect(commits > 3 && samples("meterhost_commit_seconds_count", found)[""] == commits)
      let meters = try store.meters().map { $0.uuid.uuidString.lowercased() }
      #expect(Array(samples("meterhost_meter_last_read_timestamp_seconds", found).keys) == meters)
      #expect(try #require(samples("meterhost_state_folder_free_bytes", found)[""]) > 0)
      #expect(try #require(samples("process_resident_memory_bytes", found)[""]) > 1_000_000)
      #expect(try #require(samples("process_open_fds", found)[""]) > 3)
      let text = MetricsForm.openMetrics.text(found)
      let names = try store.meters().flatMap { [$0.name] + ($0.address.map { [$0] } ?? []) }
      for word in [GatewayFixture.uid, GatewayFixture.organization, GatewayFixture.token] + names {
        #expect(!text.contains(word))
      }
    }
  }

  @Test("a pairing, a failed read, a refused reading and what radios do are in them") func otherEvents() async throws {
    let tally = HostTally()
    for event: CountedEvent in [
      .paired(outcome: "completed"), .read(peripheral: 4000, outcome: "connection_timeout"),
      .read(peripheral: 4000, outcome: "What a Driver says"), .workerStarted(driver: "glucose"),
      .workerFailed(driver: "glucose", rule: "R16"), .workerFailed(driver: "glucose", rule: nil),
      .sent(sink: "a", .refused, delayMicroseconds: nil), .sentImage(sink: "a", .delivered),
      .answered(sink: "a", took: .seconds(2), skewSeconds: 7), .filed(.weight, .held), .filed(.weight, .revised),
    ] { tally.note(event) }
    var figures = HostFigures()
    figures.store.sinks = [StoreFigures.Sink(name: "a", isValid: false, oldestMicroseconds: 2_500_000)]
    figures.store.deliveries = [StoreFigures.Deliveries(sink: "a", state: .dead, count: 12)]
    figures.store.deadLetters = [
      StoreFigures.DeadLetters(sink: "a", reason: "http-422", count: 9),
      StoreFigures.DeadLetters(sink: "a", reason: nil, count: 3),
    ]
    figures.store.skews = ["a": -90, "gone": 5]
    figures.store.passivePeripherals = 2
    figures.store.quarantinedDrivers = 1
    figures.store.backupMicroseconds = 1_500_000
    let air = AirFigures(
      adapters: [
        AirFigures.Adapter(name: "hci0", isUp: true, connections: 2),
        AirFigures.Adapter(name: "hci1", isUp: false, connections: 0),
      ], advertisements: 41)
    let found = HostSnapshot(counts: tally.counts, figures: figures, air: air, readsPassively: true).families
    #expect(samples("meterhost_pairings_total", found) == ["completed": 1])
    #expect(samples("meterhost_reads_total", found) == ["connection_timeout 4000": 1, "other 4000": 1])
    #expect(samples("meterhost_worker_starts_total", found) == ["glucose": 1])
    #expect(samples("meterhost_worker_faults_total", found) == ["glucose R16": 1, "glucose none": 1])
    #expect(samples("meterhost_delivery_attempts_total", found)["refused a"] == 1)
    #expect(samples("meterhost_image_attempts_total", found) == ["delivered a": 1])
    #expect(samples("meterhost_readings_total", found) == ["held weight": 1, "revised weight": 1])
    #expect(samples("meterhost_dead_letters", found) == ["http-422 a": 9, "uncounted a": 3])
    #expect(samples("meterhost_queue_oldest_timestamp_seconds", found) == ["a": 2.5])
    #expect(
      samples("meterhost_clock_skew_seconds", found) == ["a": 7], "what was heard last, and of no receiver that is gone"
    )
    #expect(samples("meterhost_session_valid", found) == ["a": 0])
    #expect(samples("meterhost_passive_up", found) == ["": 1])
    #expect(samples("meterhost_quarantined_drivers", found) == ["": 1])
    #expect(samples("meterhost_backup_last_success_timestamp_seconds", found) == ["": 1.5])
    #expect(samples("meterhost_adapter_up", found) == ["hci0": 1, "hci1": 0])
    #expect(samples("meterhost_adapter_connections", found) == ["hci0": 2])
    #expect(samples("meterhost_advertisements_total", found) == ["": 41])
    #expect(found.map(\.name) == found.map(\.name).sorted() && Set(found.map(\.name)).count == found.count)
  }

  @Test("meters are told apart only where it is asked for") func metersApart() {
    let (uuid, tally) = (UUID(), HostTally())
    tally.note(.batteryTold(meter: uuid, ratio: 0.8))
    var figures = HostFigures()
    figures.store.lastReadMicroseconds = 3_000_000
    figures.store.meters = [StoreFigures.Meter(uuid: uuid, readMicroseconds: 3_000_000)]
    var snapshot = HostSnapshot(counts: tally.counts, figures: figures)
    #expect(samples("meterhost_meter_last_read_timestamp_seconds", snapshot.families) == ["": 3])
    #expect(samples("meterhost_meter_battery_ratio", snapshot.families).isEmpty)
    snapshot.tellsMetersApart = true
    let name = uuid.uuidString.lowercased()
    #expect(samples("meterhost_meter_last_read_timestamp_seconds", snapshot.families) == [name: 3])
    #expect(samples("meterhost_meter_battery_ratio", snapshot.families) == [name: 0.8])
  }

  @Test("of nothing that is not known there is a number") func nothingIsInvented() {
    let names = Set(HostSnapshot().families.map(\.name))
    for absent in [
      "meterhost_reads", "meterhost_adapter_up", "meterhost_passive_up", "meterhost_session_valid",
      "meterhost_queue_oldest_timestamp_seconds", "meterhost_meter_last_read_timestamp_seconds",
      "meterhost_backup_last_success_timestamp_seconds", "meterhost_state_folder_free_bytes", "process_cpu_seconds",
      "meterhost_commit_seconds",
    ] { #expect(!names.contains(absent), "\(absent)") }
    #expect(names.contains("meterhost_commits") && names.contains("meterhost_advertisements"))
  }

  @Test("labels are bounded, and what is too much is counted together") func bounded() {
    var counts = LabelledCounts()
    for number in 0..<1_500 { counts.add(["driver": "d\(number)"]) }
    #expect(counts.counts.count == LabelledCounts.limit + 1)
    #expect(counts.counts[["driver": "other"]] == 500 && counts.counts.values.reduce(0, +) == 1_500)
  }

  @Test("a slow folder is looked at once, holds each scrape up for its patience, and later ones not at all")
  func slowStore() async throws {
    let looks = Mutex(0)
    let (gate, clock) = (DispatchSemaphore(value: 0), StoppedClock())
    let metrics = HostMetrics(trust: .nobody, clock: clock) {
      looks.withLock { $0 += 1 }
      gate.wait()
      return .success(HostFigures())
    }
    let scrapes = (0..<3).map { _ in Task { try await families(metrics) } }
    while clock.sleepers < 3 || looks.withLock(\.self) < 1 { await Task.yield() }
    clock.advance(by: HostMetrics.patience)
    for scrape in scrapes {
      await #expect { try await scrape.value } throws: { ($0 as? GatewayError)?.code == "metrics_slow" }
    }
    await #expect { try await families(metrics) } throws: { ($0 as? GatewayError)?.kind == .temporary }
    #expect(looks.withLock(\.self) == 1 && clock.sleepers == 0)
    // Two: the one that waits, and the next.
    gate.signal()
    gate.signal()
    while (try? await families(metrics)) == nil { await Task.yield() }
    #expect(looks.withLock(\.self) == 2)
  }
}
