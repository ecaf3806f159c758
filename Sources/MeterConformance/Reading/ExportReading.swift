import CMeterDriver
import DriverContract
import MeterDrivers

/// Bytes that a driver reads as an export: some bytes once, or again and again up to a size, which take no memory.
struct ExportSource: Sendable {
  /// What a failure calls it.
  let name: String
  let size: UInt64
  private let bytes: [UInt8]

  /// The bytes as they are.
  init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    size = UInt64(bytes.count)
  }

  /// The bytes again and again.
  init(repeating bytes: [UInt8], of name: String, upTo size: UInt64) {
    self.name = "\(name), again and again up to \(size) bytes"
    self.bytes = bytes
    self.size = bytes.isEmpty ? 0 : size
  }

  /// At most so many bytes from an offset on.
  func read(_ count: UInt64, at offset: UInt64) -> [UInt8] {
    guard offset < size, !bytes.isEmpty else { return [] }
    var wanted = Int(min(count, size - offset))
    var from = Int(offset % UInt64(bytes.count))
    var result: [UInt8] = []
    result.reserveCapacity(wanted)
    while wanted > 0 {
      let part = bytes[from..<min(bytes.count, from + wanted)]
      result += part
      wanted -= part.count
      from = 0
    }
    return result
  }
}

/// The driver that reads, and what notes what it was given.
struct ExportBench: Sendable {
  let subject: Subject
  /// The host's own workers.
  let host: DriverHost
  let trace: Trace
}

/// What a driver made of one source, in a worker of its own.
struct ExportReading: Sendable, Hashable {
  /// How a source is given.
  struct Manner: Sendable {
    /// Bytes of an answer at most.
    var chunk = UInt64(MH_TALK_CHUNK_MAX)
    /// Only samples from this time on are wanted, microseconds since 1970-01-01T00:00Z; nil: all.
    var since: Int64?
    /// After so many answers the source is gone, and the driver is told so.
    var answersBeforeEnd: Int?
    /// After so many answers every pull brings an error.
    var answersBeforeError: Int?
    /// Whether samples are counted and not kept: for a source of any size.
    var countsOnly = false
  }

  /// How it ended.
  enum End: Sendable, Hashable {
    case done
    /// The driver's own words.
    case failed(String)
    /// The driver did not open it.
    case refused
    /// The source was gone, and the driver had nothing to say to that.
    case gone
  }

  /// A sample with what its indices mean.
  struct Sample: Sendable, Hashable {
    var type: String
    var source: String
    var unit: String?
    var row: ImportSample
    var text: String
    var id: String
    var attributes: [String]
  }

  /// Samples that are none, for one reason and of one type.
  struct Refused: Sendable, Hashable {
    var count: UInt64
    /// Where the first of them stands.
    var first: UInt64
  }

  var end = End.gone
  var samples: [Sample] = []
  var sampleCount = 0
  var counts: [String: UInt64] = [:]
  var refusals: [String: Refused] = [:]
  var exportedMicroseconds: Int64?
  var isPartial = false

  /// Whether it was taken for an export of the driver's: a host asks no other driver then.
  var isClaimed: Bool {
    let hasRows = sampleCount > 0 || !counts.isEmpty
    switch end {
    case .done: return hasRows || !refusals.isEmpty || exportedMicroseconds != nil
    case .failed, .refused, .gone: return hasRows
    }
  }

  /// Reads a source to its end, whatever that is.
  ///
  /// - Throws: `DriverFault` for a crash, a rule that the driver breaks on the way, and an end without a word.
  static func read(
    _ source: ExportSource, on bench: ExportBench, _ manner: Manner
  ) async throws -> ExportReading {
    bench.trace.begin(source.name, "opened, \(source.size) bytes")
    let entry = bench.subject.entry
    let opening = ImportOpening(
      source: entry.familyID, size: source.size, unixMicroseconds: now, since: manner.since)
    let talk: DriverImport
    do throws(DriverFault) {
      talk = try await DriverImport.open(
        host: bench.host, bundle: bench.subject.bundle, entry: entry, opening: opening,
        givesLess: manner.chunk < UInt64(MH_TALK_CHUNK_MAX))
    } catch {
      guard error.code == .refused else { throw error }
      return ExportReading(end: .refused)
    }
    let result: ExportReading
    do {
      var reading = ExportReading()
      try await reading.run(talk, source, bench, manner)
      result = reading
    } catch {
      await talk.close()
      throw error
    }
    if let fault = await talk.close() { throw fault }
    return result
  }

  /// The same time in every run, 2100-01-01T00:00Z: a driver may refuse what lies in the future.
  private static let now: Int64 = 4_102_444_800_000_000

  private mutating func run(
    _ talk: DriverImport, _ source: ExportSource, _ bench: ExportBench, _ manner: Manner
  ) async throws {
    var facts: [ImportFact] = [.started]
    var answers = 0
    var clock: UInt64 = 0
    while !facts.isEmpty {
      let fact = facts.removeFirst()
      bench.trace.note(fact.line)
      clock += 1_000_000
      let turn = try await talk.tell(fact, monotonicNanoseconds: clock, unixMicroseconds: Self.now)
      guard !turn.gaveUp else {
        throw DriverFault(
          .brokeRule, driver: bench.subject.id, rule: "R18",
          message: "event returned a status that ends the import, and a person is told nothing")
      }
      take(turn, manner)
      for action in turn.actions {
        switch action {
        case .done: end = .done
        case .fail(_, let text): end = .failed(text)
        case .pull(let offset, let count, let token):
          facts.append(Self.answer(offset, count, token, answers, source, manner))
          answers += 1
        }
      }
      if turn.isLast { return }
    }
  }

  private static func answer(
    _ offset: UInt64, _ count: UInt32, _ token: UInt64, _ answers: Int, _ source: ExportSource, _ manner: Manner
  ) -> ImportFact {
    if let most = manner.answersBeforeEnd, answers >= most { return .ended }
    if let most = manner.answersBeforeError, answers >= most {
      return .nothing(status: MH_E_NOT_FOUND, token: token)
    }
    let bytes = source.read(min(UInt64(count), manner.chunk), at: offset)
    return .bytes(bytes, offset: offset, isLast: offset + UInt64(bytes.count) >= source.size, token: token)
  }

  private mutating func take(_ turn: ImportTurn, _ manner: Manner) {
    let names = turn.names
    for batch in turn.batches {
      sampleCount += batch.samples.count
      isPartial = isPartial || batch.isPartial
      exportedMicroseconds = batch.exportedMicroseconds ?? exportedMicroseconds
      for row in batch.counts { counts[names.types[Int(row.type)].name, default: 0] += row.count }
      for row in batch.refusals {
        let type = row.type.map { names.types[Int($0)].name } ?? "no type"
        let key = "\(type), reason \(row.code)"
        let before = refusals[key]
        refusals[key] = Refused(
          count: (before?.count ?? 0) + row.count, first: min(before?.first ?? row.place, row.place))
      }
      guard !manner.countsOnly else { continue }
      for sample in batch.samples { samples.append(Self.sample(sample, batch, names)) }
    }
  }

  /// Without what depends on the round that it came in, and on the order in which names came.
  private static func sample(_ row: ImportSample, _ batch: ImportBatch, _ names: ImportNames) -> Sample {
    let attributes = batch.attributes(of: row).map { attribute in
      let unit = attribute.unit.map { names.units[Int($0)] } ?? ""
      return "\(names.keys[Int(attribute.key)]) \(attribute.mantissa)e\(attribute.exponent) \(unit) "
        + batch.text(attribute.text)
    }
    var plain = row
    (plain.firstAttribute, plain.type, plain.source) = (0, 0, 0)
    plain.unitCode = .max
    plain.text = ImportRun(offset: 0, count: row.text.count)
    plain.id = ImportRun(offset: 0, count: row.id.count)
    return Sample(
      type: names.types[Int(row.type)].name, source: names.sources[Int(row.source)].key,
      unit: row.unit.map { names.units[Int($0)] }, row: plain, text: batch.text(row.text), id: batch.text(row.id),
      attributes: attributes)
  }

  /// What this reading of a source has otherwise than another one; nil: nothing.
  func difference(from other: ExportReading) -> String? {
    guard self != other else { return nil }
    guard samples == other.samples else {
      let place = zip(samples, other.samples).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      return "\(sampleCount) samples for \(other.sampleCount)"
        + (place.map { ", and number \($0 + 1) is another one" } ?? "")
    }
    guard counts == other.counts else { return "it counts \(counts) for \(other.counts)" }
    guard refusals == other.refusals else { return "it refuses otherwise: \(refusals) for \(other.refusals)" }
    guard isPartial == other.isPartial else { return "only one of the two is told to be partial" }
    return "it ends with \(end), and ended with \(other.end)"
  }
}

extension ImportFact {
  /// For a person who looks for the event that shows a fault.
  fileprivate var line: String {
    switch self {
    case .started: "started"
    case .bytes(let bytes, let offset, let isLast, _):
      "bytes \(offset)..<\(offset + UInt64(bytes.count))\(isLast ? ", the last" : "")"
    case .nothing(let status, _): "nothing, status \(status)"
    case .ended: "ended"
    }
  }
}
