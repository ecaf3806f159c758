import CMeterDriver
import Foundation
import Glibc
import Testing

/// A decoded record, copied out of the sink.
struct TestRecord: Hashable {
  var kind: UInt32
  var flags: UInt32
  var timeKind: UInt16
  var time: Int64
  var sequence: UInt64
  var identity: [UInt8]
  var identityClass: UInt16
  var values: [TestValue]
  var deviceUser: UInt16?
  var group: UInt32 = 0
  /// Microseconds from start to end.
  var length: Int64 = 0
  var utcOffsetSeconds: Int32?
  var texts: [UInt16: String] = [:]

  func value(_ metric: UInt32) -> TestValue? { values.first { $0.metric == UInt16(metric) } }
}

struct TestValue: Hashable {
  var metric: UInt16
  var unit: UInt16
  var exponent: Int8
  var qualifier: UInt8
  var value: Double
  var raw: Int64
  var flags: UInt16 = 0
}

/// An action, copied out of the call.
struct TestAction: Hashable {
  var kind: UInt32
  var token: UInt64 = 0
  var handle: UInt16 = 0
  var argument: UInt64 = 0
  var code: Int32 = 0
  var flags: UInt16 = 0
  var argument2: UInt64 = 0
  var value: [UInt8] = []
  var text = ""
}

/// The output of one event: what a host commits as one unit.
struct TestUnit: Equatable {
  var status: Int32 = 0
  var records: [TestRecord] = []
  var actions: [TestAction] = []
  var writes: [String: [UInt8]] = [:]
  var rounds = 1
}

/// Room in the host's arrays.
struct Capacities {
  var records = 4096
  var values = 65536
  var arena = 1 << 20
  var texts = 4096
  var actionsPerRound = 32
  static let ample = Capacities()
  static let tiny = Capacities(records: 1, values: 16, arena: 64, texts: 1, actionsPerRound: 1)
}

/// What the C callbacks reach through their context. Used on one thread by one test.
final class HostState {
  var storage: [String: [UInt8]] = [:]
  var pendingWrites: [String: [UInt8]] = [:]
  var log: [String] = []
  var actions: [TestAction] = []
  var actionsLeft = 0
  var refusesStorage = false
  /// Files of the bundle.
  var assets: [String: [UInt8]] = [:]
  /// Keys by name, each one byte of the bench's cipher; nil: this host has no cryptography.
  var keys: [String: UInt8]?
  /// Keys by name for real cryptography (`use(keys:)`).
  var secrets: [String: [UInt8]] = [:]
  /// What a MAC with a key that is there answers.
  var macStatus = MH_OK
  /// What was lent for the life of the process ends with the test.
  var lent: [UnsafeMutablePointer<UInt8>] = []
  let crypto = UnsafeMutablePointer<mh_crypto>.allocate(capacity: 1)

  init() { crypto.initialize(to: makeCrypto(self)) }

  deinit {
    crypto.deallocate()
    for bytes in lent { bytes.deallocate() }
  }
}

/// A host of a few lines that speaks the C contract and nothing else, so that the tests load what ships.
final class TestHost {
  let state = HostState()
  let driver: mh_driver
  let bluetooth: mh_bluetooth
  private let table = UnsafeMutablePointer<mh_host>.allocate(capacity: 1)

  convenience init(bundle: String) throws { try self.init(library: "libmh-\(bundle).so") }

  init(library name: String) throws {
    let entry = try driverEntry(library: name)
    table.initialize(to: makeHost(state))
    var found: UnsafePointer<mh_driver>?
    var why = mh_str()
    guard entry(table, 0, &found, &why) == MH_OK, let first = found, let tables = first.pointee.bluetooth else {
      throw TestFailure("the bundle refuses")
    }
    driver = first.pointee
    bluetooth = tables.pointee
    #expect(entry(table, 1, &found, &why) == MH_END)
    // A later minor of the host serves a bundle of an earlier one, another major does not.
    var other = table.pointee
    other.abi_minor += 1
    #expect(entry(&other, 0, &found, &why) == MH_OK)
    other.abi_major += 1
    #expect(entry(&other, 0, &found, &why) == MH_REFUSED)
    #expect(why.n > 0)
  }

  deinit { table.deallocate() }

  func open(_ opening: TestOpening = TestOpening()) throws -> TestSession {
    var session: OpaquePointer?
    let status = opening.withTable { bluetooth.open(table, $0, &session) }
    guard status == MH_OK, let session else { throw TestFailure("open: \(status)") }
    return TestSession(self, session)
  }

  func openStatus(_ opening: TestOpening) -> Int32 {
    var session: OpaquePointer?
    let status = opening.withTable { bluetooth.open(table, $0, &session) }
    if let session { bluetooth.close(session) }
    return status
  }
}

typealias DriverEntryFunction =
  @convention(c) (
    UnsafePointer<mh_host>?, UInt32, UnsafeMutablePointer<UnsafePointer<mh_driver>?>?, UnsafeMutablePointer<mh_str>?
  ) -> Int32

/// Loads a bundle that the build made and finds its one function.
func driverEntry(library name: String) throws -> DriverEntryFunction {
  let path = bundleFolder().appendingPathComponent(name).path
  guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
    throw TestFailure("cannot load \(path): \(String(cString: dlerror()))")
  }
  guard let symbol = dlsym(library, "mh_driver_entry") else { throw TestFailure("\(path) has no mh_driver_entry") }
  return unsafeBitCast(symbol, to: DriverEntryFunction.self)
}

struct TestFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

struct TestOpening {
  var purpose = UInt32(MH_PURPOSE_READ)
  var security: UInt8 = 2
  var parameters: [UInt32: Int64] = [:]
  var clockTrust = UInt32(MH_CLOCK_UNKNOWN)
  /// Start of the wanted interval, UTC microseconds.
  var since: Int64?
  var utcOffsetSeconds: Int32 = 0

  func withTable<Result>(_ body: (UnsafePointer<mh_open>) -> Result) -> Result {
    let list = parameters.sorted { $0.key < $1.key }.map { name, value in
      var parameter = mh_param()
      parameter.name = UInt16(name)
      parameter.type = UInt16(MH_PARAM_TYPE_INTEGER)
      parameter.i = value
      return parameter
    }
    return list.withUnsafeBufferPointer { buffer in
      var opening = mh_open()
      opening.struct_size = UInt32(MemoryLayout<mh_open>.size)
      opening.peripheral_id = 1000
      opening.purpose = purpose
      opening.security = security
      opening.peer = 7
      opening.clock_trust = clockTrust
      opening.utc_offset_s = utcOffsetSeconds
      opening.since_us = since ?? .min
      opening.until_us = .max
      opening.n_params = UInt32(buffer.count)
      opening.params = buffer.baseAddress
      return body(&opening)
    }
  }
}

/// The folder that the build put the bundles into: that of the test executable.
func bundleFolder() -> URL {
  let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  if FileManager.default.fileExists(atPath: executable.appendingPathComponent("libmh-glucose.so").path) {
    return executable
  }
  return packageFolder().appendingPathComponent(".build/debug")
}

func packageFolder() -> URL {
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

func makeHost(_ state: HostState) -> mh_host {
  var host = mh_host()
  host.struct_size = UInt32(MemoryLayout<mh_host>.size)
  host.abi_major = mh_abi_major()
  host.abi_minor = mh_abi_minor()
  host.ctx = Unmanaged.passUnretained(state).toOpaque()
  host.log = { ctx, level, message in hostState(ctx)?.log.append("\(level) \(text(message))") }
  host.kv_get = { ctx, peer, key, buffer, length in
    guard let state = hostState(ctx), let length, peer == 7, !state.refusesStorage else { return MH_E_DENIED }
    guard let value = state.pendingWrites[text(key)] ?? state.storage[text(key)], !value.isEmpty else {
      return MH_E_NOT_FOUND
    }
    let room = length.pointee
    length.pointee = UInt64(value.count)
    guard value.count <= Int(room) else { return MH_E_FULL }
    buffer?.update(from: value, count: value.count)
    return MH_OK
  }
  host.kv_set = { ctx, peer, key, value in
    guard let state = hostState(ctx), peer == 7, !state.refusesStorage else { return MH_E_DENIED }
    state.pendingWrites[text(key)] = bytes(value)
    return MH_OK
  }
  addServices(to: &host)
  return host
}

func hostState(_ context: UnsafeMutableRawPointer?) -> HostState? {
  context.map { Unmanaged<HostState>.fromOpaque($0).takeUnretainedValue() }
}

func bytes(_ bytes: mh_bytes) -> [UInt8] { Array(UnsafeBufferPointer(start: bytes.p, count: Int(bytes.n))) }

func text(_ text: mh_str) -> String {
  String(decoding: UnsafeRawBufferPointer(start: text.p, count: Int(text.n)), as: UTF8.self)
}
