public import DriverContract
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
