import BluetoothWire
import HostPrimitives

extension MeterScript {
  /// How a TaiDoc or Fora meter behaves.
  public struct TaiDoc: Sendable {
    /// The four digits of the model, such as 0x4257 for TD-4257.
    public var model: UInt16
    /// What the meter's clock shows, as it is sent: date, minute, hour.
    public var clock: [UInt8]
    /// How many readings the memory holds.
    public var capacity: Int
    /// Measurements that are taken while the meter is read.
    public var arrivals: [Arrival]
    /// Commands that are not answered.
    public var ignoredCommands: [UInt8]
    /// How many bytes of a frame one notification carries; nil: all.
    public var fragmentSize: Int?

    /// A measurement that is taken while the meter is read.
    public struct Arrival: Sendable {
      /// After how many replies of the meter's life.
      public var afterReplies: Int
      /// Four bytes of time, four of value.
      public var measurement: [UInt8]

      /// A measurement and when it is taken.
      public init(afterReplies: Int, measurement: [UInt8]) {
        self.afterReplies = afterReplies
        self.measurement = measurement
      }
    }

    /// A meter; its clock is not set unless it is told.
    public init(
      model: UInt16 = 0x4257, clock: [UInt8] = [0, 0, 0, 0], capacity: Int = 450, arrivals: [Arrival] = [],
      ignoredCommands: [UInt8] = [], fragmentSize: Int? = nil
    ) {
      self.model = model
      self.clock = clock
      self.capacity = capacity
      self.arrivals = arrivals
      self.ignoredCommands = ignoredCommands
      self.fragmentSize = fragmentSize
    }
  }
}

extension MeterScript.TaiDoc {
  static let keys = ["kind", "model", "clock", "capacity", "during_transfer", "ignore", "fragment_size"]

  init(_ object: ScriptObject) throws {
    let model = try object.hex("model") ?? [0x42, 0x57]
    guard model.count == 2 else { throw object.invalid("model", "must be four digits, such as 4257") }
    let clock = try object.hex("clock") ?? [0, 0, 0, 0]
    guard clock.count == 4 else { throw object.invalid("clock", "must be four bytes: date, minute, hour") }
    self.init(
      model: UInt16(bigEndianBytes: model[..<2]), clock: clock,
      capacity: try object.int("capacity", in: 1...65_535) ?? 450, arrivals: try object.list("during_transfer"),
      ignoredCommands: try object.list("ignore", of: HexByte.self).map(\.value),
      fragmentSize: try object.int("fragment_size", in: 1...8))
  }
}

extension MeterScript.TaiDoc.Arrival: Decodable {
  /// Decodes an object under `during_transfer`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["after_replies", "measurement"])
    afterReplies = try object.int("after_replies", in: 1...1_000_000) ?? 1
    measurement = try object.required("measurement", as: HexBytes.self).bytes
    guard measurement.count == 8 else {
      throw object.invalid("measurement", "must be eight bytes: four of time, four of value")
    }
  }
}

extension BluetoothUUID {
  /// The one characteristic of TaiDoc's service: commands are written to it, answers notified on it.
  static let taidocFrames = BluetoothUUID("00001524-1212-EFDE-1523-785FEABCD123") ?? 0
}
