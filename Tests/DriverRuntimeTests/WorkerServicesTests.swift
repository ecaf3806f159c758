import CLinux
import CMeterDriver
import Foundation
import Synchronization
import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

/// Requests of a driver to its services, between host and worker.
@Suite struct WorkerServicesTests {
  private final class Counter: SessionServices {
    private let heard = Mutex<[ServiceRequest]>([])
    var asked: [ServiceRequest] { heard.withLock { $0 } }
    func answer(_ request: ServiceRequest) -> ServiceAnswer {
      heard.withLock { $0.append(request) }
      return ServiceAnswer(status: MH_OK, output: [7])
    }
  }

  private func frame(_ message: WorkerMessage) -> [UInt8] {
    WireFrame(type: message.type, length: message.payload.count).head + message.payload
  }

  private func client(_ services: Counter?, hearing bytes: [UInt8]) throws -> (WorkerClient, peer: Int32) {
    var pair: [Int32] = [-1, -1]
    #expect(clinux_stream_pair(&pair) == 0)
    let (reader, writer) = (pair[0], pair[1])
    Thread.detachNewThread {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { send(writer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return }
        sent += count
      }
    }
    return (WorkerClient(socket: reader, driver: "liar", services: services), writer)
  }

  static let requests: [ServiceRequest] = [
    .value(name: "credential/a"), .put(name: "meter/secret/b", value: [1, 2]),
    .cipher(
      algorithm: 4, direction: 1, tagLength: 8, key: "credential/a", nonce: [1], associated: [], input: [2, 3]),
    .mac(algorithm: 2, key: "session/k", input: [9]), .sha256([]),
    .derive(length: 16, key: "session/k", salt: [1], info: [], into: "session/l"), .makeKeyPair(into: "session/p"),
    .agree(privateKey: "session/p", publicKey: [UInt8](repeating: 4, count: 64), into: "session/s"),
    .random(count: 16),
  ]

  @Test(arguments: requests)
  func aRequestCrossesTheWireAndACutOneIsRefused(_ request: ServiceRequest) throws {
    let message = WorkerMessage.request(request)
    guard case .request(request) = try WorkerMessage(type: message.type, payload: message.payload) else {
      Issue.record("another request arrived")
      return
    }
    for length in 0..<message.payload.count {
      #expect(throws: WireError.self) {
        try WorkerMessage(type: message.type, payload: Array(message.payload.prefix(length)))
      }
    }
  }

  @Test func theHostAnswersAndGoesOnWaitingForTheUnit() throws {
    let unit = RawUnit(status: MH_OK, rounds: [], actions: [], writes: [], logs: [])
    let services = Counter()
    let (client, peer) = try client(
      services, hearing: Self.requests.flatMap { frame(.request($0)) } + frame(.unit(unit)))
    defer { close(peer) }
    #expect(try client.handle(.notification([1]), within: .seconds(5)).status == MH_OK)
    #expect(services.asked == Self.requests)
  }

  @Test func aWorkerThatAsksWithoutEndIsStopped() throws {
    let services = Counter()
    let flood = (0...ServiceBudget.mostRequests).flatMap { _ in frame(.request(.sha256([]))) }
    let (client, peer) = try client(services, hearing: flood)
    defer { close(peer) }
    guard
      case .garbage = #expect(
        throws: WorkerFailure.self, performing: { try client.handle(.notification([1]), within: .seconds(5)) })
    else {
      Issue.record("believed")
      return
    }
    #expect(services.asked.count == ServiceBudget.mostRequests)
  }

  @Test func randomBytesHaveAnAllowanceOfTheirOwn() {
    func admitted(_ request: ServiceRequest, of number: Int, _ budget: inout ServiceBudget) -> Int {
      (0..<number).count { _ in budget.admit(request) }
    }
    let most = UInt32(MH_RANDOM_MAX)
    var budget = ServiceBudget()
    #expect(admitted(.random(count: 16), of: 1000, &budget) == 1000)
    // The other services have all of theirs left.
    #expect(admitted(.sha256([]), of: 1000, &budget) == ServiceBudget.mostRequests)
    #expect(admitted(.random(count: most + 1), of: 1, &budget) == 0)
    var bytes = ServiceBudget()
    #expect(admitted(.random(count: most), of: 1000, &bytes) == ServiceBudget.mostBytes / Int(most))
    var requests = ServiceBudget()
    #expect(admitted(.random(count: 1), of: 5000, &requests) == ServiceBudget.mostRandomRequests)
  }

  @Test func randomBytesComeFromTheServicesAndOfAnotherLengthAreDenied() {
    let call = CallContext(peer: 5, storage: [:], assets: AssetTable([:]), services: Counter())
    #expect(call.random(1) == [7])
    #expect(call.random(2) == nil)
    #expect(CallContext(peer: 5, storage: [:], assets: AssetTable([:])).random(32)?.count == 32)
  }

  @Test func aWorkerThatAsksForTooMuchAtOnceIsStopped() throws {
    let services = Counter()
    let huge = frame(.request(.sha256([UInt8](repeating: 0, count: ServiceBudget.mostBytes + 1))))
    let (client, peer) = try client(services, hearing: huge)
    defer { close(peer) }
    guard
      case .garbage = #expect(
        throws: WorkerFailure.self, performing: { try client.handle(.notification([1]), within: .seconds(5)) })
    else {
      Issue.record("believed")
      return
    }
    #expect(services.asked.isEmpty)
  }

  @Test func aWorkerWithoutASessionGetsNoServices() throws {
    let (client, peer) = try client(nil, hearing: frame(.request(.sha256([]))))
    defer { close(peer) }
    guard
      case .garbage = #expect(
        throws: WorkerFailure.self, performing: { try client.handle(.notification([1]), within: .seconds(5)) })
    else {
      Issue.record("believed")
      return
    }
  }

  @Test func outsideACallEverythingIsDenied() throws {
    let table = try #require(
      HostServices.table.pointee.extension(nil, MH_EXT_CRYPTO)?.assumingMemoryBound(to: mh_crypto.self)
    ).pointee
    var out = [UInt8](repeating: 0, count: 64)
    var count: UInt64 = 64
    #expect(table.sha256(nil, mh_bytes(), &out) == MH_E_DENIED)
    #expect(table.mac(nil, 1, 1, mh_str(), mh_bytes(), &out, &count) == MH_E_DENIED)
    #expect(table.make_key_pair(nil, 1, mh_str(), &out) == MH_E_DENIED)
    #expect(table.agree(nil, 1, mh_str(), &out, mh_str()) == MH_E_DENIED)
    var cipher = mh_cipher()
    #expect(table.cipher(nil, 1, &cipher, &out, &count) == MH_E_DENIED)
    var derivation = mh_derivation()
    #expect(table.derive(nil, 1, &derivation) == MH_E_DENIED)
    #expect(HostServices.table.pointee.extension(nil, "meterhost.crypto/2") == nil)
    #expect(HostServices.table.pointee.extension(nil, nil) == nil)
  }

  /// A call context as a driver call has it; no driver is needed to speak to the table.
  private func inCall(_ services: Counter?, _ body: (mh_crypto) -> Void) throws {
    let table = try #require(
      HostServices.table.pointee.extension(nil, MH_EXT_CRYPTO)?.assumingMemoryBound(to: mh_crypto.self)
    ).pointee
    let call = CallContext(peer: 5, storage: [:], assets: AssetTable([:]), services: services)
    call.inCall { body(table) }
  }

  @Test func whatDoesNotFitIsFullAndSaysHowLongItIs() throws {
    try inCall(Counter()) { table in
      var count: UInt64 = 0
      #expect(table.mac(nil, 5, 2, mh_str(), mh_bytes(), nil, &count) == MH_E_FULL)
      #expect(count == 1)
      var out: [UInt8] = [0]
      #expect(table.mac(nil, 5, 2, mh_str(), mh_bytes(), &out, &count) == MH_OK)
      #expect(out == [7] && count == 1)
      #expect(table.mac(nil, 6, 2, mh_str(), mh_bytes(), &out, &count) == MH_E_DENIED, "another session's handle")
      #expect(table.mac(nil, 5, 2, mh_str(), mh_bytes(p: nil, n: 4), &out, &count) == MH_E_ARG)
      #expect(table.cipher(nil, 5, nil, &out, &count) == MH_E_ARG)
      var short = mh_cipher()
      short.struct_size = 8
      #expect(table.cipher(nil, 5, &short, &out, &count) == MH_E_ARG)
      // An answer of the wrong length is never taken for a digest.
      var digest = [UInt8](repeating: 1, count: 32)
      #expect(table.sha256(nil, mh_bytes(), &digest) == MH_E_DENIED)
      #expect(digest == [UInt8](repeating: 1, count: 32))
    }
  }

  @Test func anEventAsksOnlySoMuch() throws {
    let services = Counter()
    try inCall(services) { table in
      var (out, count): ([UInt8], UInt64) = ([0], 1)
      var refused = 0
      for _ in 0..<ServiceBudget.mostRequests + 10 {
        if table.mac(nil, 5, 2, mh_str(), mh_bytes(), &out, &count) == MH_E_DENIED { refused += 1 }
      }
      #expect(refused == 10)
    }
    try inCall(nil) { table in
      var digest = [UInt8](repeating: 1, count: 32)
      #expect(table.sha256(nil, mh_bytes(), &digest) == MH_E_DENIED)
    }
  }
}
