import DriverContract
import MeterDrivers

extension Check {
  /// Rule R18, the draft of imports: exports of the author's, given whole, in pieces, cut, spoiled and without end, and files of
  /// others. What every event must keep to (indices, runs, times, limits, pulls within the source and no end of them) the host's own
  /// check looks at in all of them.
  static let imports: [Check] = [
    Check(
      .r18, "empty", "An empty file is opened, and is nobody's export.",
      mend: "answer a file without a byte with MH_TALK_FAIL and words, or with MH_TALK_DONE and nothing put out",
      needs: [.import]
    ) { context in
      let reading = try await context.read(ExportSource("an empty file", []))
      if let words = reading.strangeness { return .failed("it takes an empty file: \(words)") }
      return .passed
    },
    Check(
      .r18, "strangers", "What is not its own is refused, and nothing of it is put out.",
      mend: "look for what only your export has before a row is put out, and fail with words when it is not there",
      needs: [.import]
    ) { context in
      var seed = Seed(context.seed)
      for stranger in ExportSource.strangers(&seed) {
        let reading = try await context.read(stranger)
        if let words = reading.strangeness { return .failed("it takes \(stranger.name): \(words)") }
      }
      return .passed
    },
    importing(
      "own", "Each of its own exports is read to the end, and has samples.",
      mend: "read until nothing is left, then say MH_TALK_DONE; a sample that cannot be read is a refusal and no end"
    ) { context, exports in
      for export in exports {
        let reading = try await context.read(export.source)
        switch reading.end {
        case .done: break
        case .refused: return .failed("it does not open \(export.name)")
        case .failed(let words): return .failed("it gives \(export.name) up: \(words)")
        case .gone: return .failed("it ends \(export.name) without MH_TALK_DONE")
        }
        if reading.sampleCount == 0 { return .failed("\(export.name) has no sample") }
      }
      return .passed
    },
    importing(
      "pieces", "An export comes to the same in pieces of any size.",
      mend: "keep what is no whole line or element until its rest has come; a pull may bring less than it asks for"
    ) { context, exports in
      for export in exports {
        let whole = try await context.read(export.source)
        for chunk in export.chunks {
          let reading = try await context.read(export.source, .init(chunk: chunk))
          if let words = reading.difference(from: whole) {
            return .failed("in pieces of \(chunk) bytes \(export.name) is another export: \(words)")
          }
        }
      }
      return .passed
    },
    importing(
      "cut", "An export that ends too early has no sample that the whole one does not have.",
      mend: "leave a line or number in which the file ends, and set MH_IMPORT_PARTIAL or fail with words"
    ) { context, exports in
      for export in exports {
        let whole = Set(try await context.read(export.source).samples)
        for length in export.cuts(atMost: context.isThorough ? 2_000 : 64) {
          let cut = ExportSource("\(export.name), cut at \(length)", Array(export.bytes.prefix(length)))
          let reading = try await context.read(cut)
          guard let stranger = reading.samples.first(where: { !whole.contains($0) }) else { continue }
          return .failed(
            "cut at \(length) \(export.name) has a sample of \(stranger.type) that the whole one does not have: "
              + "\(stranger.row.mantissa)e\(stranger.row.exponent)")
        }
      }
      return .passed
    },
    importing(
      "spoiled", "An export with broken, missing and random bytes is read, or refused, within the contract.",
      mend: "look at every length and number of the file before it is used, and refuse what cannot be"
    ) { context, exports in
      var seed = Seed(context.seed)
      for export in exports {
        for number in 1...(context.isThorough ? 400 : 20) {
          let spoiled = ExportSource("\(export.name), spoiled \(number)", seed.spoil(export.bytes))
          _ = try await context.read(spoiled)
        }
      }
      return .passed
    },
    importing(
      "counted", "All samples are counted, whatever of them is wanted.",
      mend: "add up what was read before you look whether it is wanted"
    ) { context, exports in
      for export in exports {
        let whole = try await context.read(export.source)
        // Nothing but what is to come.
        let reading = try await context.read(export.source, .init(since: Self.farAhead))
        guard reading.counts == whole.counts else {
          return .failed(
            "of \(export.name) it counts \(reading.counts) when nothing is wanted, and \(whole.counts) when all is")
        }
      }
      return .passed
    },
    importing(
      "gone", "An export that is gone, or can no longer be read, ends the import.",
      mend: "after MH_TALK_ENDED pull nothing, and after MH_TALK_ANSWER fail with words; what was read by then counts"
    ) { context, exports in
      for export in exports {
        let chunk = max(1, UInt64(export.bytes.count) / 4)
        for answers in 0...2 {
          _ = try await context.read(export.source, .init(chunk: chunk, answersBeforeEnd: answers))
          _ = try await context.read(export.source, .init(chunk: chunk, answersBeforeError: answers))
        }
      }
      return .passed
    },
    importing(
      "long", "An export that is longer than the driver's memory is read, or refused, within it.",
      mend: "keep what the next rows need and nothing else: no whole file, no list of samples, no names without an end"
    ) { context, exports in
      let limit = min(UInt64(context.subject.entry.limits.memoryMebibytes), Self.longestMemory)
      for export in exports {
        let long = ExportSource(repeating: export.bytes, of: export.name, upTo: (limit + 16) << 20)
        _ = try await context.read(long, .init(countsOnly: true))
      }
      return .passed
    },
  ]

  /// In the year 9000, microseconds since 1970-01-01T00:00Z.
  private static let farAhead: Int64 = 221_845_392_000_000_000
  /// MiB: of a driver that has more a long export shows less, and in a time that an author waits for.
  private static let longestMemory: UInt64 = 128

  /// A check that needs exports of the driver's.
  private static func importing(
    _ name: String, _ title: String, mend: String,
    _ body: @escaping @Sendable (CheckContext, [SubjectExport]) async throws -> Verdict
  ) -> Check {
    Check(.r18, name, title, mend: mend, needs: [.import]) { context in
      let exports = context.subject.exports
      guard !exports.isEmpty else {
        let folder = BundleExports.folder
        return .skipped("no export: name one with --export, or put it into \(folder)/ of the bundle's folder")
      }
      return try await body(context, exports)
    }
  }
}

extension CheckContext {
  /// Gives the driver a source.
  fileprivate func read(_ source: ExportSource, _ manner: ExportReading.Manner = .init()) async throws -> ExportReading
  {
    try await ExportReading.read(source, on: ExportBench(subject: subject, host: host, trace: trace), manner)
  }
}

extension SubjectExport {
  /// The export as it is.
  fileprivate var source: ExportSource { ExportSource(name, bytes) }

  /// Sizes of pieces: those of a long export are not so small that a driver would have to pull more often than it may.
  fileprivate var chunks: [UInt64] {
    let least = UInt64(bytes.count) / 16_384 + 1
    var chosen: [UInt64] = []
    for size in [1, 2, 3, 7, 64, 1_000, 4_096] as [UInt64] where chosen.last != max(size, least) {
      chosen.append(max(size, least))
    }
    return chosen
  }

  /// Lengths below the whole one: all of a short export, else some of all parts of it and the last ones.
  fileprivate func cuts(atMost most: Int) -> [Int] {
    guard bytes.count > most else { return Array(bytes.indices) }
    let spread = (0..<most - 8).map { $0 * bytes.count / most }
    return spread + Array(bytes.count - 8..<bytes.count)
  }
}

extension ExportSource {
  /// Files that people give by mistake, and bytes that are nothing.
  fileprivate static func strangers(_ seed: inout Seed) -> [ExportSource] {
    let zip: [UInt8] = Array("PK".utf8) + [3, 4, 20, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 90)
    let picture: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [UInt8](repeating: 7, count: 300)
    return [
      ExportSource("a letter", Array("Dear diary,\ntoday I walked 812 steps.\n".utf8)),
      ExportSource("a JSON document", Array(#"{"name": "somebody", "list": [1, 2, 3]}"#.utf8)),
      ExportSource("an XML document", Array("<?xml version=\"1.0\"?>\n<note><to>you</to></note>\n".utf8)),
      ExportSource("a table", Array("name;number\nsomebody;812\n".utf8)),
      ExportSource("a broken archive", zip), ExportSource("a picture", picture),
      ExportSource("zeros", [UInt8](repeating: 0, count: 70_000)),
      ExportSource("random bytes", (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &seed) }),
    ]
  }
}

extension ExportReading {
  /// Why a file that is not the driver's was not left alone; nil when it was.
  fileprivate var strangeness: String? {
    if sampleCount > 0 { return "\(sampleCount) samples come of it" }
    if case .failed(let words) = end, words.isEmpty { return "it is refused without a word" }
    return isClaimed ? "it is counted, or read to the end, as if it were an export" : nil
  }
}
