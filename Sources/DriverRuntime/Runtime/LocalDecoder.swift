public import DriverContract
import CMeterDriver

/// Decodes with a driver in this process; its buffers are used again by every call. Not thread-safe.
public final class LocalDecoder: BulkDecoder {
  /// The driver's id.
  public let driver: String
  private let library: DriverLibrary
  private let table: mh_bluetooth
  private let call: CallContext
  private let opening: OpeningBlock
  private let sink: Sink

  /// Prepares decoding with the same facts that a session would be opened with.
  ///
  /// - Throws: `DriverFault` `unknownDriver` when the bundle has no such driver, or the driver cannot decode.
  public convenience init(library: DriverLibrary, driver: String, opening: DriverOpening) throws(DriverFault) {
    try self.init(library: library, driver: driver, opening: opening, room: .decode)
  }

  /// - Parameter room: How much is decoded at a time.
  init(library: DriverLibrary, driver: String, opening: DriverOpening, room: SinkCapacity) throws(DriverFault) {
    self.driver = driver
    sink = Sink(room, takesActions: false)
    self.library = library
    table = try library.bluetooth(driver, .decode)
    call = CallContext(peer: nil, storage: [:], assets: AssetTable(opening.assets))
    self.opening = OpeningBlock(opening, peer: 0)
  }

  /// Decodes everything in `input`, and lends the results in batches, in the order of the values.
  ///
  /// - Throws: `DriverFault`.
  public func withDecoded(
    _ input: inout DecodeInput, _ body: (borrowing DecodedBatch) -> Void
  ) throws(DriverFault) {
    let check = OutputCheck(driver: driver)
    try input.arena.withUnsafeBufferPointer { arena throws(DriverFault) in
      try input.slices.withUnsafeMutableBufferPointer { slices throws(DriverFault) in
        try unchecked(slices, arena) { done, output, first throws(DriverFault) in
          try check.check(done, records: output.records.count)
          try check.check(output)
          body(DecodedBatch(slices: done, output: output, firstIndex: first))
        }
      }
    }
  }

  /// Runs the driver over the slices, one sink at a time. A worker's part: the host checks what it gets.
  func unchecked(
    _ slices: UnsafeMutableBufferPointer<mh_slice>, _ arena: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<mh_slice>, OutputView, Int) throws(DriverFault) -> Void
  ) throws(DriverFault) {
    var first = 0
    while first < slices.count {
      let rest = UnsafeMutableBufferPointer(rebasing: slices[first..<min(first + sink.capacity.records, slices.count)])
      var done: UInt64 = 0
      let status = run(rest, arena, &done)
      try check(status, done: done, of: rest.count)
      guard let output = sink.output else { throw fault("R13", "it put more into the sink than the sink holds") }
      try body(UnsafeBufferPointer(rebasing: rest[..<Int(done)]), output, first)
      first += Int(done)
    }
  }

  private func run(
    _ slices: UnsafeMutableBufferPointer<mh_slice>, _ arena: UnsafeBufferPointer<UInt8>, _ done: inout UInt64
  ) -> Int32 {
    sink.startRound()
    call.sink = sink
    defer { call.sink = nil }
    return call.inCall {
      table.decode?(
        opening.table, mh_bytes(p: arena.baseAddress, n: UInt64(arena.count)), slices.baseAddress,
        UInt64(slices.count), sink.table, &done) ?? MH_E_UNSUPPORTED
    }
  }

  private func check(_ status: Int32, done: UInt64, of count: Int) throws(DriverFault) {
    switch status {
    case MH_OK:
      guard done == UInt64(count) else { throw fault("R14", "decode said MH_OK after \(done) of \(count) values") }
    case MH_E_FULL:
      guard done < UInt64(count) else { throw fault("R14", "decode said MH_E_FULL after the last value") }
      guard done > 0 else { throw fault("R13", "decode says MH_E_FULL to an empty sink, which will never hold more") }
    default:
      throw DriverFault(.refused, driver: driver, message: "decode returned \(statusName(status))")
    }
  }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: rule, message: "\(what); the driver must be repaired by its author")
  }
}
