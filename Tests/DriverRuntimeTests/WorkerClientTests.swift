import CLinux
import CMeterDriver
import Foundation
import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

/// A worker that lies: its frames are in the socket before the client asks.
@Suite struct WorkerClientTests {
  private func client(hearing bytes: [UInt8], andEnds: Bool = true) throws -> (WorkerClient, peer: Int32) {
    var pair: [Int32] = [-1, -1]
    #expect(clinux_stream_pair(&pair) == 0)
    #expect(write(pair[1], bytes, bytes.count) == bytes.count)
    if andEnds { shutdown(pair[1], Int32(SHUT_WR)) }
    return (WorkerClient(socket: pair[0], driver: "liar"), pair[1])
  }

  private func frame(_ message: WorkerMessage) -> [UInt8] {
    WireFrame(type: message.type, length: message.payload.count).head + message.payload
  }

  private var unit: RawUnit {
    get throws { try FixtureLibrary.session("good").rawUnit(.notification([62])) }
  }

  @Test func silenceIsLateAndAnEndIsAnEnd() throws {
    let (silent, peer) = try client(hearing: [], andEnds: false)
    guard case .late = #expect(throws: WorkerFailure.self, performing: { try silent.hello(within: .milliseconds(20)) })
    else {
      Issue.record("not late")
      return
    }
    close(peer)
    guard case .ended = #expect(throws: WorkerFailure.self, performing: { try silent.hello(within: .seconds(5)) })
    else {
      Issue.record("not ended")
      return
    }
  }

  @Test func helloOfAnotherContractIsOfAnotherVersion() throws {
    let other = ContractVersion(major: 3, minor: 1, layoutHash: 0)
    let (client, peer) = try client(hearing: frame(.hello(other, [])))
    defer { close(peer) }
    guard
      case .otherVersion(let words) = #expect(
        throws: WorkerFailure.self,
        performing: {
          try client.hello(within: .seconds(5))
        })
    else {
      Issue.record("believed")
      return
    }
    #expect(words.contains("3.1") && words.contains("\(ContractVersion.host)"))
  }

  /// Outputs of another shape come from no worker of ours; outputs that break a rule come from the driver.
  @Test func whatAFunctionReturnsIsCheckedHere() throws {
    let call = try FunctionCall("f", FunctionSignature("i32(out_i64,out_text)"), [])
    func failure(_ outputs: [RawAnswer.Output]) throws -> WorkerFailure? {
      let answer = WorkerMessage.returned(RawAnswer(status: 0, outputs: outputs, logs: []))
      let (liar, peer) = try client(hearing: frame(answer))
      defer { close(peer) }
      return #expect(throws: WorkerFailure.self) { try liar.call(call, within: .seconds(5)) }
    }
    let text = RawAnswer.Output.buffer(length: 1, isIntact: true, bytes: [0x41])
    for outputs in [[], [text], [text, .word(1)], [.word(1), text, text]] {
      guard case .garbage = try failure(outputs) else {
        Issue.record("believed \(outputs)")
        return
      }
    }
    for broken: RawAnswer.Output in [
      .buffer(length: 1, isIntact: false, bytes: [0x41]), .buffer(length: 1, isIntact: true, bytes: [0xff]),
    ] {
      guard case .fault(let fault) = try failure([.word(1), broken]) else {
        Issue.record("believed \(broken)")
        return
      }
      #expect(fault.rule == "R19" && fault.driver == "liar")
    }
    let good = WorkerMessage.returned(RawAnswer(status: 0, outputs: [.word(7), text], logs: []))
    let (honest, peer) = try client(hearing: frame(good))
    defer { close(peer) }
    #expect(try honest.call(call, within: .seconds(5)).outputs == [.i64(7), .text("A")])
  }

  @Test func anAnswerToSomethingElseIsGarbage() throws {
    let (client, peer) = try client(hearing: frame(.ready))
    defer { close(peer) }
    guard
      case .garbage = #expect(
        throws: WorkerFailure.self,
        performing: {
          try client.handle(.notification([1]), within: .seconds(5))
        })
    else {
      Issue.record("believed")
      return
    }
  }

  @Test func aUnitIsCheckedByTheHost() throws {
    var raw = try unit
    raw.rounds[0].records[0].ident_off = .max
    let (client, peer) = try client(hearing: frame(.unit(raw)))
    defer { close(peer) }
    guard
      case .fault(let fault) = #expect(
        throws: WorkerFailure.self,
        performing: {
          try client.handle(.notification([1]), within: .seconds(5))
        })
    else {
      Issue.record("believed")
      return
    }
    #expect(fault.rule == "R12")
  }

  @Test func mutatedFramesNeverTrap() throws {
    var input = DecodeInput()
    try input.append(characteristic: 1, receivedMicroseconds: 2, bytes: [9].span)
    let view = try unit.rounds[0]
    var slice = mh_slice()
    slice.n_records = 1
    let decoded = [slice].withUnsafeBufferPointer { slices in
      view.withView { output in
        let payload =
          DecodedFrame.head(slices, output, isLast: true) + DecodedFrame.pieces(slices, output).flatMap { $0 }
        return WireFrame(type: WorkerMessage.decodedType, length: payload.count).head + payload
      }
    }
    var random = SeededGenerator(seed: 11)
    var outcomes = [true: 0, false: 0]
    for round in 0..<1500 {
      var bytes = round % 2 == 0 ? decoded : frame(.unit(try unit))
      if round > 1 { bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random) }
      let (client, peer) = try client(hearing: bytes)
      defer { close(peer) }
      do throws(WorkerFailure) {
        if round % 2 == 0 {
          try client.decode(&input, within: .seconds(5)) { _ in }
        } else {
          _ = try client.handle(.notification([1]), within: .seconds(5))
        }
        outcomes[true, default: 0] += 1
      } catch { outcomes[false, default: 0] += 1 }
    }
    #expect(outcomes.values.allSatisfy { $0 > 100 })
  }
}
