import DriverRuntime
import CReference
import Foundation
import MeterDrivers

/// Nanoseconds a Glucose Measurement, in batches of 4096 real and specification-derived values.
///
/// All ways take turns within one loop, so that whatever disturbs the machine disturbs all of them.
struct DecodeBenchmark {
  private static let characteristic: UInt16 = 0x2a18

  private let options: Options
  private let batch: Int
  private let warmup: Int
  private let samples: Int
  private let values: [[UInt8]]

  init(_ options: Options) throws {
    self.options = options
    batch = options.count(4_096, smoke: 64)
    warmup = options.count(50, smoke: 1)
    samples = options.count(1_000, smoke: 2)
    struct Vector: Decodable {
      var characteristic: String
      var hex: String
    }
    let vectors = try JSONDecoder().decode(
      [Vector].self, from: Data(contentsOf: URL(fileURLWithPath: options.vectors)))
    values = vectors.filter { $0.characteristic == "2A18" }.map { Self.bytes($0.hex) }
    guard !values.isEmpty else { throw BenchmarkError("\(options.vectors) holds no value of 2A18") }
  }

  func run(_ report: inout Report) throws {
    let mixed = (0..<batch).map { values[$0 % values.count] }
    let (raw, byHand) = (try makeBatch(mixed), try makeBatch(mixed))
    defer {
      bench_batch_free(raw)
      bench_batch_free(byHand)
    }
    let library = "\(options.stage)/lib/meterhost/drivers/libmh-glucose.so"
    if let problem = bench_load_bundle(library) { throw BenchmarkError("\(library): \(String(cString: problem))") }
    let bundle = try BundleVerifier.verify(
      path: library, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
    let local = try decoder(bundle, .inProcess)
    let remote = try decoder(bundle, .worker)
    var input = try DecodeInput(
      mixed.map { DecodeItem(characteristic: Self.characteristic, receivedMicroseconds: 0, bytes: $0) })

    // The comparison is fair only between ways that produce the same.
    guard bench_decode_bundle(raw) == 0, bench_decode_by_hand(byHand) == 0 else {
      throw BenchmarkError("a batch was not decoded whole")
    }
    if let difference = bench_batch_difference(raw, byHand) {
      throw BenchmarkError("driver and hand-written decoder differ in their \(String(cString: difference))")
    }
    let records = Int(bench_batch_records(raw))
    guard try count(local, &input) == records, try count(remote, &input) == records else {
      throw BenchmarkError("the ways of decoding differ in the number of records")
    }

    var times: [[Double]] = Array(repeating: [], count: 4)
    for round in 0..<warmup + samples {
      let sample = [
        try nanoseconds { _ = try count(local, &input) },
        nanoseconds { _ = bench_decode_bundle(raw) },
        nanoseconds { _ = bench_decode_by_hand(byHand) },
        try nanoseconds { _ = try count(remote, &input) },
      ]
      guard round >= warmup else { continue }
      for way in times.indices { times[way].append(sample[way] / Double(batch)) }
    }
    add(times, records: records, to: &report)
    try addPeers(to: &report)
  }

  private func add(_ times: [[Double]], records: Int, to report: inout Report) {
    let names = [
      "in process, checked", "in process, contract's call alone", "C by hand", "through the worker, checked",
    ]
    let measured = zip(names, times).map { Measurement("decode", $0, unit: "ns/value", $1) }
    report.measurements += measured
    let (checked, raw, byHand, worker) = (measured[0], measured[1], measured[2], measured[3])
    report.goals += [
      Goal("decode", "checked / C by hand", limit: 1.5, measured: checked.median / byHand.median),
      Goal("decode", "contract's call / C by hand", limit: 1.5, measured: raw.median / byHand.median),
      Goal("decode", "through the worker, ns", limit: 150, measured: worker.median),
    ]
    report.notes.append(
      "decode: \(batch) values made of \(values.count) different ones, \(records) of them hold a reading; "
        + "driver and C by hand put out the same bytes")
  }

  /// The decoders of PyPI, where there is a Python that has them.
  private func addPeers(to report: inout Report) throws {
    guard let python = options.python else {
      return report.notes.append("decode: no Python peers in this run; scripts/bench installs them where it can")
    }
    struct Peer: Decodable {
      var name: String
      var problem: String?
      var decoded: Int?
      var values: Int?
      var minimum: Double?
      var median: Double?
      var maximum: Double?
      var samples: Int?
    }
    let hexadecimal = values.map { $0.map { String(format: "%02x", $0) }.joined() }.joined(separator: "\n")
    for line in try output(of: python, [options.peers], input: hexadecimal + "\n").split(separator: "\n") {
      let peer = try JSONDecoder().decode(Peer.self, from: Data(line.utf8))
      guard let minimum = peer.minimum, let median = peer.median, let maximum = peer.maximum else {
        report.notes.append("decode: PyPI's \(peer.name) \(peer.problem ?? "gave no result")")
        continue
      }
      var measurement = Measurement(
        "decode", "PyPI \(peer.name)", unit: "ns/value", [minimum, median, maximum],
        note: "decodes \(peer.decoded ?? 0) of \(peer.values ?? 0) values")
      measurement.samples = peer.samples ?? 3
      report.measurements.append(measurement)
    }
  }

  private func decoder(
    _ bundle: VerifiedBundle, _ isolation: DriverHostConfiguration.Isolation
  ) throws -> any BulkDecoder {
    let host = DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, workerPath: options.worker))
    return try host.decoder(bundle, driver: "org.meterhost.glucose", opening: DriverOpening())
  }

  private func count(_ decoder: any BulkDecoder, _ input: inout DecodeInput) throws -> Int {
    var records = 0
    try decoder.withDecoded(&input) { records += $0.records.count }
    return records
  }

  private func makeBatch(_ values: [[UInt8]]) throws -> OpaquePointer {
    let arena = values.flatMap(\.self)
    let lengths = values.map { UInt32($0.count) }
    guard let batch = bench_batch_make(arena, lengths, UInt32(values.count)) else {
      throw BenchmarkError("no memory for a batch")
    }
    return batch
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
