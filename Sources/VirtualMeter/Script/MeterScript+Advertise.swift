import BluetoothWire
import HostPrimitives

extension MeterScript {
  /// What a meter that only advertises sends, one payload after the other.
  public struct Advertise: Sendable {
    /// The payloads in their order.
    public var steps: [Step]
    /// Whether the sequence starts again after its last step; else the meter falls silent.
    public var repeats: Bool

    /// One payload and how often it is sent.
    public struct Step: Sendable {
      /// What follows the script's advertising data; or, if `isWhole`, all of it.
      public var data: [UInt8]
      /// Whether `data` is the whole advertisement.
      public var isWhole: Bool
      /// How many advertisements carry it.
      public var count: Int
      /// Milliseconds of silence before the first of them, beside the advertising interval.
      public var waitMilliseconds: Int
      /// Whether the meter still settles the value in it: it is no reading yet.
      public var isSettling = false
    }
  }
}

extension MeterScript.Advertise.Step: Decodable {
  private struct ServiceData: Decodable {
    let structure: AdvertisingData.Structure

    init(from decoder: any Decoder) throws {
      let object = try ScriptObject(decoder, allowed: ["uuid", "data"])
      let uuid: BluetoothUUID = try object.required("uuid")
      guard let id = uuid.uint16 else { throw object.invalid("uuid", "must be four hexadecimal digits") }
      let data: HexBytes = try object.required("data")
      // 0x16: service data of a 16-bit UUID (Core Specification Supplement Part A 1.11).
      structure = .init(type: 0x16, value: id.littleEndianBytes + data.bytes)
    }
  }

  /// Decodes an object under `steps`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["service_data", "raw", "count", "wait_ms", "settling"])
    isSettling = try object.optional("settling") ?? false
    count = try object.int("count", in: 1...100_000) ?? 1
    waitMilliseconds = try object.int("wait_ms", in: 0...3_600_000) ?? 0
    if let raw = try object.hex("raw") {
      guard !object.has("service_data") else {
        throw object.invalid("service_data", "raw holds the whole advertisement; leave one of them out")
      }
      (data, isWhole) = (raw, true)
    } else {
      let service: ServiceData? = try object.optional("service_data")
      (data, isWhole) = (service.map { AdvertisingData([$0.structure]).encoded } ?? [], false)
    }
    guard data.count <= 255 else { throw object.invalid("raw", "an advertisement has at most 255 bytes") }
  }
}
