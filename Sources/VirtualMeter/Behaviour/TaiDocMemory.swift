import HostPrimitives

/// A TaiDoc meter behind its characteristic: frames in, frames out; a pure value.
///
/// Frames have eight bytes: 51, command, four bytes, A3 to the meter or A5 from it, and the sum of the seven before. Index
/// 0 is the newest reading (glucometer-protocols, taidoc/td42xx).
public struct TaiDocMemory: Sendable {
  /// A stored reading: four bytes of time, four of value.
  public struct Reading: Sendable, Hashable {
    /// Date, minute, hour as the meter answers them to command 25.
    public var time: [UInt8]
    /// The value as the meter answers it to command 26.
    public var value: [UInt8]

    /// A reading from its eight bytes.
    public init(_ bytes: [UInt8]) {
      let padded = bytes + [UInt8](repeating: 0, count: 8)
      time = Array(padded[..<4])
      value = Array(padded[4..<8])
    }
  }

  private let options: MeterScript.TaiDoc
  private var arrivals: ArraySlice<MeterScript.TaiDoc.Arrival>
  private var repliesSent = 0
  /// The readings, newest first.
  public private(set) var readings: [Reading]
  /// What command 23 answers.
  public private(set) var clock: [UInt8]
  /// How often the memory was erased by command 52. No host may ever do that.
  public private(set) var erasures = 0
  /// Whether the meter was switched off by command 50.
  public private(set) var isOff = false

  /// A meter with readings, oldest first.
  public init(_ options: MeterScript.TaiDoc, records: [[UInt8]]) {
    self.options = options
    arrivals = options.arrivals[...]
    clock = options.clock
    readings = records.reversed().map { Reading($0) }
  }

  /// Switches the meter on again.
  public mutating func switchOn() { isOff = false }

  /// Takes a new measurement, which moves every other one to the next index; the oldest falls out of a full memory.
  public mutating func measure(_ reading: Reading) {
    readings.insert(reading, at: 0)
    if readings.count > options.capacity { readings.removeLast(readings.count - options.capacity) }
  }

  /// What the meter sends after a write, in packets; nothing for bytes that are no request, or an unknown command.
  public mutating func answer(_ request: [UInt8]) -> [[UInt8]] {
    guard !isOff, request.count == 8, request[0] == 0x51, request[6] == 0xA3,
      Self.sum(request.dropLast()) == request[7],
      !options.ignoredCommands.contains(request[1]), let payload = payload(request[1], Array(request[2..<6]))
    else { return [] }
    let frame = Self.frame(request[1], payload)
    repliesSent += 1
    while let arrival = arrivals.first, arrival.afterReplies <= repliesSent {
      arrivals.removeFirst()
      measure(Reading(arrival.measurement))
    }
    guard let size = options.fragmentSize else { return [frame] }
    return stride(from: 0, to: frame.count, by: size).map { Array(frame[$0..<min($0 + size, frame.count)]) }
  }

  /// A reply as it goes over the air.
  public static func frame(_ command: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let head = [0x51, command] + payload + [0xA5]
    return head + [sum(head[...])]
  }

  private mutating func payload(_ command: UInt8, _ request: [UInt8]) -> [UInt8]? {
    let index = Int(littleEndianBytes: request[..<2])
    switch command {
    case 0x22: return [0, 0, 0, 0]
    case 0x23: return clock
    case 0x24: return options.model.littleEndianBytes + [0, 0]
    case 0x25: return readings.indices.contains(index) ? readings[index].time : nil
    case 0x26: return readings.indices.contains(index) ? readings[index].value : nil
    case 0x2B:
      let unknown: [UInt8] = readings.isEmpty ? [0xFF, 0xFF] : [0, 0]
      return readings.count.littleEndianBytes.prefix(2) + unknown
    case 0x33:
      clock = request
      return request
    case 0x50:
      isOff = true
      return request
    case 0x52:
      erasures += 1
      readings.removeAll()
      return request
    default: return nil
    }
  }

  private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt8 { bytes.reduce(0, &+) }
}
