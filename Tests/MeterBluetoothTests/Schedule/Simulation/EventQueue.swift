/// Events of a simulation in the order of their times; events of the same time come in the order of their insertion.
struct EventQueue<Event> {
  private struct Entry {
    // Nanoseconds, because most of a simulation's time is spent on comparing them.
    let time: UInt64
    let serial: UInt64
    let event: Event
  }

  private var entries: [Entry] = []
  private var serial: UInt64 = 0

  /// Nanoseconds of the next event.
  var nextTime: UInt64? { entries.first?.time }

  mutating func insert(_ event: Event, at time: UInt64) {
    serial += 1
    let entry = Entry(time: time, serial: serial, event: event)
    entries.append(entry)
    var index = entries.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard time < entries[parent].time else { break }
      entries[index] = entries[parent]
      index = parent
    }
    entries[index] = entry
  }

  mutating func removeFirst() -> (time: UInt64, event: Event)? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    guard !entries.isEmpty else { return (first.time, first.event) }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, precedes(entries[child + 1], entries[child]) { child += 1 }
      guard precedes(entries[child], last) else { break }
      entries[index] = entries[child]
      index = child
    }
    entries[index] = last
    return (first.time, first.event)
  }

  private func precedes(_ one: Entry, _ other: Entry) -> Bool {
    one.time == other.time ? one.serial < other.serial : one.time < other.time
  }
}
