import BluetoothWire
import Testing

@testable import MeterBluetooth

@Suite("The schedule under random surroundings", .timeLimit(.minutes(60)))
struct RadioSchedulePropertyTests {
  @Test("keeps its rules whatever happens in whatever order", arguments: 0..<16 as Range<UInt64>)
  func rules(block: UInt64) {
    var starts = 0
    for seed in block * 50..<(block + 1) * 50 {
      var surroundings = RandomSurroundings(seed: seed)
      for _ in 0..<400 { surroundings.step() }
      surroundings.settle()
      #expect(surroundings.watched.violations == [], "seed \(seed)")
      starts += surroundings.starts
    }
    // The walk is of use only if it gets somewhere.
    #expect(starts > 50 * 20)
  }

  @Test("a meter that advertises is served within a bound although hundreds shout and ever new ones come")
  func bounded() {
    var watched = WatchedSchedule()
    var starts: [RadioSchedule.Work] = []
    func take(_ commands: [RadioSchedule.Command]) {
      for case .start(let work) in commands { starts.append(work) }
    }
    _ = watched.handle(.adapter(RadioSchedule.Adapter(id: 0, slots: 3, hearsWhileConnecting: true)), at: .zero)
    _ = watched.handle(.demand(RadioSchedule.Demand(id: 1, .passive())), at: .zero)
    let chosen = BluetoothAddress(value: 7)
    var shouting = (1000..<1300 as Range<UInt64>).map { BluetoothAddress(value: $0) }
    var nextAddress: UInt64 = 1300
    var time = Duration.zero
    // The chosen one has been served just now: everybody else comes first by the order of turns.
    take(watched.handle(.heard(RadioSchedule.Hearing(meter: chosen, adapter: 0, fits: [1])), at: time))
    take(watched.handle(.ended(1, .failed(.communication)), at: time))
    while starts.last?.meter != chosen || starts.count == 1, starts.count < 3000 {
      time += .seconds(1)
      for meter in shouting + [chosen] {
        take(watched.handle(.heard(RadioSchedule.Hearing(meter: meter, adapter: 0, fits: [1])), at: time))
      }
      // One work ends each half a second, and its meter gives way to one that was never heard.
      for _ in 0..<2 {
        guard let work = watched.running.keys.min(by: { $0.rawValue < $1.rawValue }) else { break }
        take(watched.handle(.connected(work), at: time))
        if let index = shouting.firstIndex(where: { $0 == watched.running[work]?.work.meter }) {
          shouting[index] = BluetoothAddress(value: nextAddress)
          nextAddress += 1
        }
        take(watched.handle(.ended(work, .readNew), at: time))
      }
    }
    #expect(starts.last?.meter == chosen)
    // Those that were there before, and those that came in the time that a turn is remembered.
    #expect(time < watched.policy.turnMemory + .seconds(300))
    #expect(watched.violations == [])
  }
}
