import HostPrimitives
import MeterBluetooth
import MeterCore

/// What matters about a running host, in one line. `systemctl status` shows it to every user of the machine, so it has numbers, and
/// no names of people, meters and receivers.
struct ServiceStatus: Sendable, Equatable {
  /// How many meters are paired with this gateway.
  var pairedMeters = 0
  /// How many deliveries wait for a receiver, those that are under way included.
  var waiting = 0
  /// How many wait for a person's word.
  var held = 0
  /// How many a receiver has refused for good.
  var refused = 0
  /// Whether there is somebody whose readings are delivered.
  var hasSession = false
  /// What does not work now.
  var problems: [String] = []

  /// The longest line: systemd cuts what is longer than a terminal anyway.
  static let longest = 400

  var line: String {
    let counts =
      "\(pairedMeters) \(pairedMeters == 1 ? "meter" : "meters") paired, "
      + "\(waiting) \(waiting == 1 ? "delivery waits" : "deliveries wait")"
    let attention = needsAttention
    return (attention.isEmpty ? counts : "\(counts); needs attention: \(attention.joined(separator: "; "))")
      .oneLine(atMost: Self.longest)
  }

  private var needsAttention: [String] {
    var all = problems
    if !hasSession { all.append("no session, so nothing is delivered") }
    if held > 0 { all.append("\(held) held for a person's word (`meterhost queue held`)") }
    if refused > 0 { all.append("\(refused) refused by a receiver (`meterhost queue dead`)") }
    return all
  }
}

extension ServiceStatus {
  /// - Parameter passiveProblem: Why meters are not read passively, though they should be.
  init(_ store: MeterStore, passiveProblem: String?) {
    do throws(StoreError) {
      let tally = try store.tally()
      waiting = tally[.pending, default: 0] + tally[.inFlight, default: 0]
      held = tally[.held, default: 0]
      refused = tally[.dead, default: 0]
      pairedMeters = try PairedMeter.all(in: store).count
      hasSession = try store.currentSession().user != nil
      try store.checkPlace()
    } catch {
      problems.append("\(error)")
    }
    if let passiveProblem { problems.append("meters are not read passively: \(passiveProblem)") }
  }
}
