import BluetoothWire

/// A meter that answers as its script says: questions are values that are written, or subscriptions.
struct ResponderBehaviour: MeterBehaviour {
  private typealias Exchange = MeterScript.Responder.Exchange

  private struct Entry {
    let id: Int
    let record: MeterScript.Record
  }

  /// A value on its way.
  private struct Pending {
    let sent: MeterTestimony.SentValue
    let handle: UInt16
    /// How the characteristic sends: notify, or indicate where it cannot notify.
    let property: CharacteristicProperties
    let afterMilliseconds: Int
    let isSettling: Bool
    let isLive: Bool
    var ends = false
  }

  /// What must be written next to a characteristic.
  private struct Expectation {
    let exchange: String
    let handle: UInt16
    let pattern: BytePattern
  }

  private let options: MeterScript.Responder
  private let database: GATTDatabase
  private var memory: [Entry]
  // Of the meter's life.
  private var asked: Set<Int> = []
  private var misses: [String] = []
  private var sent = MeterTestimony()
  /// Values that are neither settling nor live, and so may be readings whatever else carries the same bytes.
  private var plain: Set<MeterTestimony.SentValue> = []
  // Of a connection.
  private var answered: Set<String> = []
  private var subscribed: Set<Int> = []
  private var queue: [Pending] = []
  private var expectation: Expectation?
  private var now = 0
  /// When the value at the front leaves; nil: nobody has looked yet.
  private var leavesAt: Int?
  private var endsWithConfirmation = false
  private var reportsEnd = false

  init(_ options: MeterScript.Responder, records: [MeterScript.Record], database: GATTDatabase) {
    self.options = options
    self.database = database
    memory = records.enumerated().map { Entry(id: $0.offset, record: $0.element) }
  }

  var recordsLeft: Int { memory.count }

  var testimony: MeterTestimony {
    var testimony = sent
    testimony.settling.subtract(plain)
    testimony.live.subtract(plain)
    let never = options.exchanges.enumerated().filter { $0.element.isRequired && !asked.contains($0.offset) }
    testimony.unmet =
      misses + never.map { "“\($0.element.name)” was never asked for: \($0.element.trigger.words)" }
      + (expectation.map { ["after “\($0.exchange)” the meter waits for \($0.pattern.text), which never came"] } ?? [])
    return testimony
  }

  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) {
    (answered, subscribed, queue) = ([], [], [])
    (expectation, leavesAt, now) = (nil, nil, 0)
    (endsWithConfirmation, reportsEnd) = (false, false)
  }

  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {
    if let expected = expectation, expected.handle == handle {
      expectation = nil
      guard expected.pattern.match(value) != nil else {
        // It goes silent, as a meter does that has lost the thread.
        misses.append(
          "after “\(expected.exchange)” the meter waits for \(expected.pattern.text), and another value came")
        return
      }
    }
    for (place, exchange) in options.exchanges.enumerated() {
      guard case .write(let uuid, let pattern) = exchange.trigger, database.value(of: uuid) == handle, isDue(exchange),
        let kept = pattern.match(value), selects(exchange, kept)
      else { continue }
      return fire(exchange, place, kept, asked: handle)
    }
  }

  mutating func advance(to milliseconds: Int) { now = max(now, milliseconds) }

  var dueMilliseconds: Int? { leavesAt.flatMap { $0 > now ? $0 : nil } }

  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? {
    fireSubscriptions(server)
    while let first = queue.first {
      let due = leavesAt ?? now + first.afterMilliseconds
      leavesAt = due
      guard now >= due else { return nil }
      let isHeard = server.isSubscribed(to: first.handle, by: first.property)
      if isHeard, first.property == .indicate, !mayIndicate { return nil }
      queue.removeFirst()
      leavesAt = nil
      if first.ends {
        endsWithConfirmation = isHeard && first.property == .indicate
        reportsEnd = !endsWithConfirmation
      }
      // Nobody hears what nobody has subscribed to.
      guard isHeard else { continue }
      note(first)
      return first.property == .notify
        ? .notification(handle: first.handle, value: first.sent.value)
        : .indication(handle: first.handle, value: first.sent.value)
    }
    return nil
  }

  mutating func confirmed() -> String? {
    defer { endsWithConfirmation = false }
    return endsWithConfirmation ? Self.procedure : nil
  }

  mutating func ended() -> String? {
    defer { reportsEnd = false }
    return reportsEnd ? Self.procedure : nil
  }

  private static let procedure = "conversation"

  private func isDue(_ exchange: Exchange) -> Bool { exchange.after.map(answered.contains) ?? true }

  private mutating func fireSubscriptions(_ server: ATTServer) {
    for (place, exchange) in options.exchanges.enumerated() where !subscribed.contains(place) && isDue(exchange) {
      guard case .subscribe(let uuid) = exchange.trigger, let handle = database.value(of: uuid),
        server.isSubscribed(to: handle, by: .notify) || server.isSubscribed(to: handle, by: .indicate)
      else { continue }
      subscribed.insert(place)
      fire(exchange, place, [:], asked: handle)
    }
  }

  /// Whether the record that the question names is there.
  private func selects(_ exchange: Exchange, _ kept: [String: [UInt8]]) -> Bool {
    let selections = exchange.answers.compactMap(\.records) + [exchange.deletion].compactMap { $0 }
    return selections.allSatisfy { $0 == .all || !selected($0, kept).isEmpty }
  }

  private func selected(_ selection: MeterScript.Responder.Selection, _ kept: [String: [UInt8]]) -> [Entry] {
    guard case .at(let name) = selection else { return memory }
    let place = (kept[name] ?? []).reversed().reduce(0) { $0 << 8 & 0xFF_FFFF | Int($1) }
    return place < memory.count ? [memory[place]] : []
  }

  private mutating func fire(_ exchange: Exchange, _ place: Int, _ kept: [String: [UInt8]], asked handle: UInt16) {
    asked.insert(place)
    answered.insert(exchange.name)
    for answer in exchange.answers {
      guard let handle = database.value(of: answer.characteristic), let attribute = database[handle] else { continue }
      let records = answer.records.map { selected($0, kept).map(\.record.measurement) } ?? [[]]
      for record in records {
        queue.append(
          Pending(
            sent: .init(answer.characteristic, answer.value.filled(kept, record: record, count: memory.count)),
            handle: handle, property: attribute.properties.contains(.notify) ? .notify : .indicate,
            afterMilliseconds: answer.afterMilliseconds, isSettling: answer.isSettling, isLive: answer.isLive))
      }
    }
    if let deletion = exchange.deletion {
      let gone = Set(selected(deletion, kept).map(\.id))
      memory.removeAll { gone.contains($0.id) }
    }
    if let pattern = exchange.expected {
      expectation = Expectation(exchange: exchange.name, handle: handle, pattern: pattern)
    }
    guard exchange.ends else { return }
    if queue.isEmpty { reportsEnd = true } else { queue[queue.count - 1].ends = true }
  }

  private mutating func note(_ pending: Pending) {
    if pending.isSettling { sent.settling.insert(pending.sent) }
    if pending.isLive { sent.live.insert(pending.sent) }
    if !pending.isSettling, !pending.isLive { plain.insert(pending.sent) }
  }
}

extension MeterScript.Responder.Exchange.Trigger {
  /// What a client has to do.
  fileprivate var words: String {
    switch self {
    case .write(let uuid, let pattern): "\(pattern.text) to \(uuid)"
    case .subscribe(let uuid): "a subscription to \(uuid)"
    }
  }
}
