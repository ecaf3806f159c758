public import DriverContract

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
