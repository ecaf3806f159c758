package import DriverContract

/// Asks a worker that reads displays, and believes nothing unchecked (rule R17). A driver that refuses can be asked on: only
/// what breaks a rule or the protocol ends the talk.
package struct DisplayClient {
  /// What is granted to readers of displays.
  package static var kind: ExtensionKind { DisplayServer.kind }

  private let worker: WorkerClient

  /// Asks this worker, in which a reader is open.
  package init(_ worker: WorkerClient) { self.worker = worker }

  /// What a reader is opened with.
  package static func opening(assets: [String: [UInt8]]) -> ExtensionPayload {
    DisplayQuestion.opening(assets: assets)
  }

  /// Where the rows of a meter's display lie.
  package func layout(
    meter: UInt32, within limit: Duration
  ) throws(WorkerFailure) -> Result<DisplayLayout, DriverFault> {
    let raw = try ask(.layout(meter: meter), limit) { reader throws(WireError) in try RawLayout(from: &reader) }
    return try judged { () throws(DriverFault) in try check.check(raw, meter: meter) }
  }

  /// Reads a frame that ``DisplayFrame/problem`` finds nothing wrong with.
  ///
  /// - Parameter rows: How many rows there are to read.
  package func recognize(
    _ frame: DisplayFrame, meter: UInt32, rows: Int, within limit: Duration
  ) throws(WorkerFailure) -> Result<DisplayReading, DriverFault> {
    let raw = try ask(.recognize(meter: meter, frame), limit) { reader throws(WireError) in
      try RawReading(from: &reader)
    }
    return try judged { () throws(DriverFault) in try check.check(raw, rows: rows) }
  }

  /// What texts mean.
  package func interpret(
    _ texts: [String], meter: UInt32, unit: UInt16?, within limit: Duration
  ) throws(WorkerFailure) -> Result<DisplayVerdict, DriverFault> {
    let raw = try ask(.interpret(meter: meter, unit: unit, texts: texts), limit) { reader throws(WireError) in
      try RawInterpretation(from: &reader)
    }
    return try judged { () throws(DriverFault) in try check.check(raw) }
  }

  private var check: DisplayCheck { DisplayCheck(driver: worker.driver) }

  private func ask<Raw>(
    _ question: DisplayQuestion, _ limit: Duration, _ read: (inout WireReader) throws(WireError) -> Raw
  ) throws(WorkerFailure) -> Raw {
    try worker.call(Self.kind, question.payload, within: limit, read)
  }

  private func judged<Success>(
    _ check: () throws(DriverFault) -> Success
  ) throws(WorkerFailure) -> Result<Success, DriverFault> {
    do throws(DriverFault) { return .success(try check()) } catch {
      guard error.code == .refused else { throw .fault(error) }
      return .failure(error)
    }
  }
}
