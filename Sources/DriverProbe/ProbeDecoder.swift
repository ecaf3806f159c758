import DriverContract
import DriverRuntime
import CMeterDriver

/// `decode` in a probe: the same values together, one by one, or on several threads at once (rule R14).
final class ProbeDecoder {
  private let driver: String
  private let table: mh_bluetooth
  private let call: CallContext
  private let memory: LentMemory
  private let sink: ProbeSink
  private let opening: OpeningBlock

  init(_ driver: String, _ table: mh_bluetooth, opening: DriverOpening, manner: ProbeManner) {
    self.driver = driver
    self.table = table
    memory = LentMemory(manner)
    sink = ProbeSink(manner, takesActions: false)
    call = CallContext(peer: nil, storage: [:], assets: AssetTable(opening.assets))
    self.opening = OpeningBlock(opening, peer: 0)
  }

  /// Decodes on the calling thread.
  func run(_ slices: [mh_slice], _ arena: [UInt8], each: Bool) throws(DriverFault) -> DecodedRun {
    var run = DecodedRun(status: MH_OK, rounds: [])
    var first = 0
    while first < slices.count {
      let end = each ? first + 1 : min(first + sink.capacity.records, slices.count)
      let (status, done, round) = try call(Array(slices[first..<end]), arena)
      switch status {
      case MH_OK:
        guard done == end - first else {
          throw fault("R14", "decode said MH_OK after \(done) of \(end - first) values")
        }
      case MH_E_FULL:
        guard done < end - first else { throw fault("R14", "decode said MH_E_FULL after the last value") }
        guard done > 0 else { throw fault("R13", "decode says MH_E_FULL to an empty sink, which will never hold more") }
      default:
        run.status = status
        return run
      }
      run.rounds.append(round)
      first += done
    }
    return run
  }

  private func call(
    _ slices: [mh_slice], _ arena: [UInt8]
  ) throws(DriverFault) -> (status: Int32, done: Int, round: DecodedRun.Round) {
    defer { memory.takeBack() }
    let lentSink = sink.startRound(memory)
    let lentOpening = memory.lend(opening.table.pointee, purpose: 0)
    let (lentSlices, lentArena) = (memory.lend(slices), memory.lend(arena))
    call.sink = sink.actions
    defer { call.sink = nil }
    var done: UInt64 = 0
    let status = call.inCall {
      table.decode?(
        lentOpening, mh_bytes(p: lentArena, n: UInt64(arena.count)), lentSlices, UInt64(slices.count), lentSink, &done)
        ?? MH_E_UNSUPPORTED
    }
    guard let output = sink.output(), done <= UInt64(slices.count) else {
      throw fault("R13", "decode put more into the sink than the sink holds, or decoded more values than there are")
    }
    let decoded = Array(UnsafeBufferPointer(start: lentSlices, count: Int(done)))
    return (status, Int(done), DecodedRun.Round(slices: decoded, output: output))
  }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    DriverFault(.brokeRule, driver: driver, rule: rule, message: what)
  }
}
