public import DriverContract
import CMeterDriver

/// Characteristic values to decode, in the contract's own form; made once, decoded as often as wanted.
public struct DecodeInput: Sendable {
  var slices: [mh_slice] = []
  var arena: [UInt8] = []

  /// An empty input.
  public init() {}

  /// Items in their order.
  ///
  /// - Throws: `DriverFault` when their bytes are more than 4 GiB together.
  public init(_ items: [DecodeItem]) throws(DriverFault) {
    slices.reserveCapacity(items.count)
    for item in items {
      try append(
        characteristic: item.characteristic, isServiceData: item.isServiceData,
        receivedMicroseconds: item.receivedMicroseconds, bytes: item.bytes.span)
    }
  }

  /// How many values it holds.
  public var count: Int { slices.count }

  /// Adds a value.
  ///
  /// - Throws: `DriverFault` when the bytes are more than 4 GiB together.
  public mutating func append(
    characteristic: UInt16, isServiceData: Bool = false, receivedMicroseconds: Int64, bytes: Span<UInt8>
  ) throws(DriverFault) {
    guard let offset = UInt32(exactly: arena.count), let count = UInt32(exactly: bytes.count),
      !offset.addingReportingOverflow(count).overflow
    else {
      throw DriverFault(
        .refused, driver: "decode", message: "the values are more than 4 GiB together; hand them in in several calls")
    }
    bytes.withUnsafeBufferPointer { arena.append(contentsOf: $0) }
    slices.append(
      mh_slice(
        off: offset, len: count, t_us: receivedMicroseconds, characteristic: characteristic,
        flags: isServiceData ? UInt16(MH_SLICE_SERVICE_DATA) : 0, status: 0, first_record: 0, n_records: 0))
  }

  /// Empties the input and keeps its memory.
  public mutating func removeAll() {
    slices.removeAll(keepingCapacity: true)
    arena.removeAll(keepingCapacity: true)
  }
}
