import BluetoothWire

/// A meter that sends one value a period while a client listens, and keeps nothing.
struct StreamBehaviour: MeterBehaviour {
  private struct Step {
    let characteristic: BluetoothUUID
    let handle: UInt16
    /// How the characteristic sends: notify, or indicate where it cannot notify.
    let property: CharacteristicProperties
    let value: [UInt8]
  }

  private let options: MeterScript.Stream
  private let trigger: Step
  private let steps: [Step]
  private var index = 0
  /// When the next value leaves; nil while nobody listens.
  private(set) var dueMilliseconds: Int?
  private var now = 0
  private var isOver = false
  /// The last value is an indication that waits for its confirmation.
  private var endsWithConfirmation = false
  private var reportsEnd = false
  private var clockIsUnset = false

  init?(_ options: MeterScript.Stream, database: GATTDatabase) {
    func step(_ characteristic: BluetoothUUID, _ value: [UInt8]) -> Step? {
      guard let handle = database.value(of: characteristic), let attribute = database[handle] else { return nil }
      let property: CharacteristicProperties = attribute.properties.contains(.notify) ? .notify : .indicate
      return Step(characteristic: characteristic, handle: handle, property: property, value: value)
    }
    guard let trigger = step(options.characteristic, []) else { return nil }
    self.options = options
    self.trigger = trigger
    steps = options.values.compactMap { step($0.characteristic ?? options.characteristic, $0.value) }
  }

  var recordsLeft: Int { 0 }

  var testimony: MeterTestimony {
    func sent(_ value: MeterScript.StreamValue) -> MeterTestimony.SentValue {
      .init(value.characteristic ?? options.characteristic, value.value)
    }
    let final = Set(options.values.filter { !$0.isSettling }.map(sent))
    return MeterTestimony(settling: Set(options.values.filter(\.isSettling).map(sent)).subtracting(final))
  }

  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) {
    (index, now, dueMilliseconds) = (0, 0, nil)
    (isOver, endsWithConfirmation, reportsEnd) = (false, false, false)
    self.clockIsUnset = clockIsUnset
  }

  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {}

  mutating func advance(to milliseconds: Int) { now = max(now, milliseconds) }

  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? {
    guard !isOver, server.isSubscribed(to: trigger.handle, by: trigger.property) else {
      dueMilliseconds = nil
      return nil
    }
    let due = dueMilliseconds ?? now
    dueMilliseconds = due
    guard now >= due else { return nil }
    let step = steps[index]
    let isHeard = server.isSubscribed(to: step.handle, by: step.property)
    if isHeard, step.property == .indicate, !mayIndicate { return nil }
    // A period that was missed is not made up for: values are measured when they are sent.
    dueMilliseconds = (now < due + options.periodMilliseconds ? due : now) + options.periodMilliseconds
    proceed(isHeard: isHeard, property: step.property)
    let value = clockIsUnset ? TimeStamp.unset(step.value, of: step.characteristic) : step.value
    guard isHeard else { return nil }
    return step.property == .notify
      ? .notification(handle: step.handle, value: value) : .indication(handle: step.handle, value: value)
  }

  private mutating func proceed(isHeard: Bool, property: CharacteristicProperties) {
    if index + 1 < steps.count {
      index += 1
      return
    }
    switch options.atEnd {
    case .loop: index = 0
    case .hold: break
    case .stop:
      isOver = true
      dueMilliseconds = nil
      endsWithConfirmation = isHeard && property == .indicate
      reportsEnd = !endsWithConfirmation
    }
  }

  mutating func confirmed() -> String? {
    defer { endsWithConfirmation = false }
    return endsWithConfirmation ? "stream" : nil
  }

  mutating func ended() -> String? {
    defer { reportsEnd = false }
    return reportsEnd ? "stream" : nil
  }
}
