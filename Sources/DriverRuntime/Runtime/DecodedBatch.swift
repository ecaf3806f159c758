public import CMeterDriver

/// Values and what a driver made of them, checked, where they lie. Valid only inside the closure that it is lent to.
public struct DecodedBatch: ~Escapable {
  let sliceBuffer: UnsafeBufferPointer<mh_slice>
  let output: OutputView
  /// Index of the batch's first value among all that were handed in.
  public let firstIndex: Int

  @_lifetime(immortal)
  init(slices: UnsafeBufferPointer<mh_slice>, output: OutputView, firstIndex: Int) {
    sliceBuffer = slices
    self.output = output
    self.firstIndex = firstIndex
  }

  /// The values with their statuses and runs of records.
  public var slices: Span<mh_slice> {
    @_lifetime(borrow self) get { _overrideLifetime(sliceBuffer.span, borrowing: self) }
  }

  /// All records; `slices` says whose each one is.
  public var records: Span<mh_record> {
    @_lifetime(borrow self) get { _overrideLifetime(output.records.span, borrowing: self) }
  }

  /// All values; each record's are a run.
  public var values: Span<mh_value> {
    @_lifetime(borrow self) get { _overrideLifetime(output.values.span, borrowing: self) }
  }

  /// All texts; each record's are a run.
  public var texts: Span<mh_text> {
    @_lifetime(borrow self) get { _overrideLifetime(output.texts.span, borrowing: self) }
  }

  /// Identity bytes and texts.
  public var arena: Span<UInt8> {
    @_lifetime(borrow self) get { _overrideLifetime(output.arena.span, borrowing: self) }
  }

  /// Copies the outcome of one value of the batch.
  public func outcome(_ index: Int) -> DecodeOutcome {
    let slice = sliceBuffer[index]
    let first = Int(slice.first_record)
    return DecodeOutcome(
      status: slice.status, records: (0..<Int(slice.n_records)).map { output.record(first + $0) })
  }
}

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
        characteristic: item.characteristic, receivedMicroseconds: item.receivedMicroseconds, bytes: item.bytes.span)
    }
  }

  /// How many values it holds.
  public var count: Int { slices.count }

  /// Adds a value.
  ///
  /// - Throws: `DriverFault` when the bytes are more than 4 GiB together.
  public mutating func append(
    characteristic: UInt16, receivedMicroseconds: Int64, bytes: Span<UInt8>
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
        off: offset, len: count, t_us: receivedMicroseconds, characteristic: characteristic, flags: 0, status: 0,
        first_record: 0, n_records: 0))
  }

  /// Empties the input and keeps its memory.
  public mutating func removeAll() {
    slices.removeAll(keepingCapacity: true)
    arena.removeAll(keepingCapacity: true)
  }
}

/// Decodes many values in one call (rule R14). A session's decoder in this process and one in a worker behave alike.
public protocol BulkDecoder {
  /// Decodes everything in `input`, and lends the results in batches, in the order of the values.
  ///
  /// - Throws: `DriverFault`; batches lent before were whole and right.
  func withDecoded(
    _ input: inout DecodeInput, _ body: (borrowing DecodedBatch) -> Void
  ) throws(DriverFault)
}

extension BulkDecoder {
  /// Decodes items; one outcome an item.
  public func decode(_ items: [DecodeItem]) throws(DriverFault) -> [DecodeOutcome] {
    var input = try DecodeInput(items)
    var outcomes: [DecodeOutcome] = []
    outcomes.reserveCapacity(items.count)
    try withDecoded(&input) { batch in
      for index in 0..<batch.slices.count { outcomes.append(batch.outcome(index)) }
    }
    return outcomes
  }
}
