import DriverContract
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// The driver of Tests/Fixtures/Import, and the host of a file of its own.
enum ImportBench {
  static let driver = "org.example.lines"

  static let source = Array(
    """
    exported,1700000000
    steps,Phone,0,60,12
    steps,Watch,60,120,7,over the hill, and back
    weight,Scale,100,100,81.62
    sleep,Watch,0,3600,deep
    sleep,Watch,0,3600,snoring
    weight,Scale,200,100,80
    nonsense
    steps,Phone,120,180,5
    """.utf8)

  /// The numbers of lines.c.
  enum Offence: Int, CaseIterable {
    case type = 1
    case source
    case unit
    case nameGap
    case nameKind
    case nameEmpty
    case textBeyond
    case textFar
    case textLong
    case attributes
    case leftOver
    case exponent
    case backwards
    case noFlag
    case year
    case flag
    case word
    case part
    case offset
    case countType
    case countZero
    case reason
    case exported
    case sinkFlags
    case counts
    case full
    case fullForever
    case samples
    case status
    case behind
    case silent
    case again
    case spin
    case abort
    case acknowledges
    case latePull
    case givesUp
  }

  static func bundle() throws -> VerifiedBundle {
    try BundleVerifier.verify(
      path: CompiledBundle.make(["lines.c"], in: "Import").path, expectedHash: nil,
      rules: BundleRules(allowsMissingHash: true))
  }

  static func entry(
    extensions: Set<DriverExtension> = [.import], milliseconds: UInt32 = 1_000
  ) throws -> DriverEntry {
    DriverEntry(
      id: driver, version: try #require(SemanticVersion("1.0.0")), vendor: "Example", license: "MIT", familyID: "fam",
      library: "drivers/lines.so", folder: ".", file: "registry.json", sha256: nil, signatures: [], assets: [],
      abi: ABIVersion(major: 1, minor: 0), capabilities: [], extensions: extensions,
      limits: DriverLimits(
        eventCPUMilliseconds: milliseconds, eventWallMilliseconds: 10_000, memoryMebibytes: 64,
        recordsPerEvent: 4_096),
      metrics: [], parameters: [], functions: [])
  }

  static func host(_ isolation: DriverHostConfiguration.Isolation = .worker) -> DriverHost {
    DriverHost(configuration: DriverHostConfiguration(isolation: isolation, workerPath: BuildProducts.worker.path))
  }

  static func open(
    _ isolation: DriverHostConfiguration.Isolation = .worker, source: String = "lines",
    size: Int = Self.source.count, milliseconds: UInt32 = 1_000
  ) async throws -> DriverImport {
    try await DriverImport.open(
      host: host(isolation), bundle: bundle(), entry: entry(milliseconds: milliseconds),
      opening: ImportOpening(source: source, size: UInt64(size), unixMicroseconds: 1))
  }
}

extension DriverImport {
  /// Tells a fact at a time that does not matter.
  func tell(_ fact: ImportFact) async throws(DriverFault) -> ImportTurn {
    try await tell(fact, monotonicNanoseconds: 5, unixMicroseconds: 6)
  }

  /// Tells how an import begins, and gives the driver its first bytes.
  func tellFirstBytes() async throws(DriverFault) -> ImportTurn {
    _ = try await tell(.started)
    return try await tell(.bytes(Array(ImportBench.source.prefix(64)), offset: 0, isLast: false, token: 7))
  }
}

/// What a host does for an import: a file, and what it came to.
struct ImportingHost {
  private(set) var samples: [String] = []
  private(set) var batches: [ImportBatch] = []
  private(set) var refused: [ImportRefusal.Reason: UInt64] = [:]
  private(set) var counted: UInt64 = 0
  private(set) var names = ImportNames()
  private(set) var end: ImportAction?
  private(set) var events = 0
  private let source: [UInt8]

  init(source: [UInt8] = ImportBench.source) { self.source = source }

  /// Reads until the driver is done or has failed.
  mutating func read(with reading: DriverImport) async throws {
    var facts: [ImportFact] = [.started]
    while !facts.isEmpty {
      let turn = try await reading.tell(facts.removeFirst())
      events += 1
      names = turn.names
      for batch in turn.batches { take(batch) }
      for action in turn.actions {
        guard case .pull(let offset, let count, let token) = action else {
          end = action
          continue
        }
        let rest = source.dropFirst(Int(clamping: offset))
        let bytes = Array(rest.prefix(Int(count)))
        facts.append(.bytes(bytes, offset: offset, isLast: bytes.count == rest.count, token: token))
      }
      if turn.isLast { return }
    }
  }

  private mutating func take(_ batch: ImportBatch) {
    batches.append(batch)
    for row in batch.counts { counted += row.count }
    for row in batch.refusals { refused[row.reason ?? .form, default: 0] += row.count }
    guard samples.count < 100 else { return }
    for sample in batch.samples {
      let (type, source) = (names.types[Int(sample.type)].name, names.sources[Int(sample.source)].name)
      let notes = batch.attributes(of: sample).map { "\(names.keys[Int($0.key)])=\(batch.text($0.text))" }
      let value = sample.sleep.map { "\($0)" } ?? "\(sample.mantissa)e\(sample.exponent)"
      let words = [type, source, value, batch.text(sample.id)] + notes
      samples.append(words.joined(separator: " "))
    }
  }
}
