import Foundation
import GatewayAPI
import MeterBluetooth
import MeterCore

/// Everything that metrics are made of, at one moment. What is not known makes no sample.
struct HostSnapshot: Sendable {
  var counts = HostTally.Counts()
  var figures = HostFigures()
  var air = AirFigures()
  var readsPassively = false
  var isClockSynchronized = false
  /// Whether there is a sample for each meter.
  var tellsMetersApart = false

  /// One number, or none.
  typealias Values = [(labels: [String: String], value: Double)]

  /// All families that have a sample, by name.
  var families: [MetricFamily] {
    (counted + measured + ofMeters + ofProcess).filter { !$0.samples.isEmpty }.sorted { $0.name < $1.name }
  }

  static func one(_ value: Double?) -> Values { value.map { [(labels: [:], value: $0)] } ?? [] }

  static func flag(_ isSo: Bool) -> Double { isSo ? 1 : 0 }

  static func seconds(_ microseconds: Int64?) -> Double? { microseconds.map { Double($0) / 1_000_000 } }
}

// What is counted in memory.
extension HostSnapshot {
  private var counted: [MetricFamily] {
    [
      MetricFamily(
        .counter, "meterhost_readings", help: "Readings that were filed, by type and by what was decided for them.",
        counts.readings.values),
      MetricFamily(
        .counter, "meterhost_reads",
        help: "Reads of meters that are over, by peripheral of the catalogue and by how they ended.",
        counts.reads.values),
      MetricFamily(
        histograms: "meterhost_read_seconds", unit: "seconds",
        help: "Turns of a radio with a meter, from the attempt to connect to the end.", counts.turns.values),
      MetricFamily(
        .counter, "meterhost_advertisements", help: "Bluetooth advertisements that were heard.",
        Self.one(Double(air.advertisements))),
      MetricFamily(
        .counter, "meterhost_pairings", help: "Pairings that a person has asked for, by how they ended.",
        counts.pairings.values),
      MetricFamily(
        .counter, "meterhost_delivery_attempts", help: "Readings that were sent to a receiver, by what came of it.",
        attempts.values),
      MetricFamily(
        .counter, "meterhost_image_attempts", help: "Pictures that were sent to a receiver, by what came of it.",
        counts.images.values),
      MetricFamily(
        histograms: "meterhost_delivery_seconds", unit: "seconds",
        help: "Time until a receiver has answered a request.",
        counts.answers.values),
      MetricFamily(
        histograms: "meterhost_delivery_delay_seconds", unit: "seconds",
        help: "Time from the measurement until the receiver has accepted the reading.", counts.delays.values),
      MetricFamily(
        .counter, "meterhost_commits", help: "Transactions of the state database that have changed something.",
        Self.one(Double(counts.commits.values.reduce(0) { $0 + $1.value.count }))),
      MetricFamily(
        histograms: "meterhost_commit_seconds", unit: "seconds",
        help: "Time until such a transaction was on disk and counted.", counts.commits.values),
      MetricFamily(
        .counter, "meterhost_worker_starts", help: "Workers that have got a driver.", counts.workerStarts.values),
      MetricFamily(
        .counter, "meterhost_worker_faults",
        help: "Drivers and workers that have failed, by the rule of the driver contract that was broken.",
        counts.workerFaults.values),
    ]
  }

  /// With a zero for what has not happened at a receiver yet: a rate needs a beginning.
  private var attempts: LabelledCounts {
    var attempts = counts.attempts
    for sink in figures.store.sinks {
      for outcome in SendOutcome.allCases { attempts.add(["sink": sink.name, "outcome": outcome.rawValue], 0) }
    }
    return attempts
  }
}

// What is looked up.
extension HostSnapshot {
  private var measured: [MetricFamily] {
    let store = figures.store
    return [
      MetricFamily(
        .info, "meterhost_build", help: "Version of the running host, and of the compiler that it was built with.",
        [(labels: ["version": GatewayVersion.host, "swift": CompilerVersion.text], value: 1)]),
      MetricFamily(
        .gauge, "meterhost_session_valid",
        help: "Whether a receiver has accepted the session's token and not refused it since.",
        validSessions),
      MetricFamily(
        .gauge, "meterhost_queue_records", help: "Readings on their way to a receiver, by state.", queue),
      MetricFamily(
        .gauge, "meterhost_queue_bytes", unit: "bytes", help: "Contents of readings and pictures that are kept.",
        Self.one(Double(store.bytes))),
      MetricFamily(
        .gauge, "meterhost_queue_oldest_timestamp_seconds", unit: "seconds",
        help: "When the oldest reading that a receiver is still to get was filed; absent when it has all.",
        oldest),
      MetricFamily(
        .gauge, "meterhost_dead_letters", help: "Readings that a receiver has refused for good, by its reason.",
        deadLetters.values),
      MetricFamily(
        .gauge, "meterhost_clock_skew_seconds", unit: "seconds",
        help: "How far a receiver's clock is ahead of this machine's.",
        skews),
      MetricFamily(
        .gauge, "meterhost_clock_synchronized", help: "Whether this machine's clock is synchronised.",
        Self.one(Self.flag(isClockSynchronized))),
      MetricFamily(
        .gauge, "meterhost_quarantined_drivers", help: "Drivers that are kept away, whatever the meter.",
        Self.one(Double(store.quarantinedDrivers))),
      MetricFamily(
        .gauge, "meterhost_passive_up",
        help: "Whether the meters that were chosen are read passively; absent when none are chosen.",
        Self.one(store.passivePeripherals == 0 ? nil : Self.flag(readsPassively))),
      MetricFamily(
        .gauge, "meterhost_adapter_up", help: "Whether a Bluetooth adapter can be used.",
        adapters),
      MetricFamily(
        .gauge, "meterhost_adapter_connections", help: "Links that a Bluetooth adapter has or is making.",
        connections),
      MetricFamily(
        .gauge, "meterhost_backup_last_success_timestamp_seconds", unit: "seconds",
        help: "When a backup of the state folder was made last; absent when it knows of none.",
        Self.one(Self.seconds(store.backupMicroseconds))),
      MetricFamily(
        .gauge, "meterhost_state_folder_free_bytes", unit: "bytes",
        help: "What may still be written on the file system of the state folder.", Self.one(figures.freeBytes)),
    ]
  }

  private var validSessions: Values {
    figures.store.sinks.map { (labels: ["sink": $0.name], value: Self.flag($0.isValid)) }
  }

  private var oldest: Values {
    figures.store.sinks.compactMap { sink in
      Self.seconds(sink.oldestMicroseconds).map { (labels: ["sink": sink.name], value: $0) }
    }
  }

  /// What was heard since the start is newer than what is kept.
  private var skews: Values {
    figures.store.sinks.compactMap { sink in
      let skew = counts.skews[sink.name] ?? figures.store.skews[sink.name]
      return skew.map { (labels: ["sink": sink.name], value: Double($0)) }
    }
  }

  private var adapters: Values {
    air.adapters.map { (labels: ["adapter": $0.name], value: Self.flag($0.isUp)) }
  }

  private var connections: Values {
    air.adapters.filter(\.isUp).map { (labels: ["adapter": $0.name], value: Double($0.connections)) }
  }

  /// With a zero for each state of a receiver in which there is nothing.
  private var queue: Values {
    let shown: [DeliveryState] = [.pending, .inFlight, .held, .dead, .excluded]
    var counts = LabelledCounts()
    for sink in figures.store.sinks {
      for state in shown { counts.add(["sink": sink.name, "state": state.word], 0) }
    }
    for entry in figures.store.deliveries where shown.contains(entry.state) {
      counts.add(["sink": entry.sink, "state": entry.state.word], entry.count)
    }
    return counts.values
  }

  private var deadLetters: LabelledCounts {
    var counts = LabelledCounts()
    for letters in figures.store.deadLetters {
      let reason = letters.reason.map(LabelledCounts.word) ?? "uncounted"
      counts.add(["sink": letters.sink, "reason": reason], letters.count)
    }
    return counts
  }
}

// What is known of meters and of the process.
extension HostSnapshot {
  private var ofMeters: [MetricFamily] {
    let read: Values =
      tellsMetersApart
      ? figures.store.meters.map {
        (labels: Self.label($0.uuid.uuidString), value: Double($0.readMicroseconds) / 1_000_000)
      } : Self.one(Self.seconds(figures.store.lastReadMicroseconds))
    let batteries: Values =
      tellsMetersApart
      ? counts.batteries.map { (labels: Self.label($0.key.uuidString), value: $0.value) }
        .sorted { $0.labels["meter", default: ""] < $1.labels["meter", default: ""] } : []
    return [
      MetricFamily(
        .gauge, "meterhost_meter_last_read_timestamp_seconds", unit: "seconds",
        help: "When a read of a meter last came to its end.", read),
      MetricFamily(
        .gauge, "meterhost_meter_battery_ratio", unit: "ratio",
        help: "How full a meter's battery was when it last said so, since the host was started.", batteries),
    ]
  }

  private static func label(_ uuid: String) -> [String: String] { ["meter": uuid.lowercased()] }

  private var ofProcess: [MetricFamily] {
    let process = figures.process
    return [
      MetricFamily(
        .counter, "process_cpu_seconds", unit: "seconds", help: "Processor time of the host, without its workers.",
        Self.one(process.cpuSeconds)),
      MetricFamily(
        .gauge, "process_resident_memory_bytes", unit: "bytes", help: "Memory of the host that is in RAM.",
        Self.one(process.residentBytes)),
      MetricFamily(
        .gauge, "process_virtual_memory_bytes", unit: "bytes", help: "Memory that the host has mapped.",
        Self.one(process.virtualBytes)),
      MetricFamily(
        .gauge, "process_start_time_seconds", unit: "seconds", help: "When the host was started.",
        Self.one(process.startSeconds)),
      MetricFamily(
        .gauge, "process_open_fds", help: "Descriptors that the host has open.", Self.one(process.openDescriptors)),
      MetricFamily(
        .gauge, "process_max_fds", help: "Descriptors that it may have open.", Self.one(process.mostDescriptors)),
    ]
  }
}

/// The compiler that this program was built with, as far as it can be told.
private enum CompilerVersion {
  static var text: String {
    #if compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }
}
