import DriverContract
import TestSupport
import Testing

@testable import MeterHealth

/// Merging of sums against a model that looks at each second by itself.
@Suite("Sums of overlapping samples")
struct SumSweepTests {
  /// A second and a place in the order of sources.
  struct Piece {
    var start: Int64
    var end: Int64
    var value: Int64
    var source: Int
    var modified: Int64 = 0
    var isManual = false

    var sample: HealthSample {
      var sample = HealthSample(
        .steps, start: start * 1_000_000, end: end * 1_000_000, value: Fraction(value), source: source)
      sample.modified = modified
      if isManual { sample.flags = .manual }
      return sample
    }
  }

  static func bins(
    _ pieces: [Piece], borders: [Int64], _ ranking: SourceRanking, quantity: HealthQuantity = .distanceWalking
  ) -> [HealthDecimal?] {
    var store = SumStore(quantity)
    for piece in pieces { store.add(piece.sample) }
    return MergedSums(store, ranking).bins(borders.map { $0 * 1_000_000 }).map(\.value)
  }

  /// Sources whose names are in the order in which they count.
  static func ranking(_ count: Int, _ family: HealthFamily = .apple) -> SourceRanking {
    let names = (0..<count).map { "source \($0)" }
    return SourceRanking(
      names.enumerated().map {
        HealthSource(
          $0.element,
          priorities: family == .healthConnect ? [.activity: .place(UInt32($0.offset + 1))] : [:])
      }, of: family, configured: family == .apple ? names.map { .init($0) } : [])
  }

  /// Each second of each bin, as the rule says it.
  static func model(_ pieces: [Piece], borders: [Int64], bySample: Bool) -> [Fraction?] {
    var unique: [Piece] = []
    for piece in pieces
    where bySample
      || !unique.contains(where: {
        $0.start == piece.start && $0.end == piece.end && $0.value == piece.value && $0.source == piece.source
      })
    {
      unique.append(piece)
    }
    /// The lowest counts.
    func group(_ piece: Piece) -> [Int64] {
      bySample ? [Int64(piece.source), -piece.modified] : [piece.isManual ? 0 : 1, Int64(piece.source)]
    }
    func precedes(_ left: [Int64], _ right: [Int64]) -> Bool { left.lexicographicallyPrecedes(right) }
    return zip(borders, borders.dropFirst()).map { low, high in
      var sum: Fraction?
      for second in low..<high {
        let open = unique.filter { $0.start <= second && second < $0.end }
        let best = open.map(group).min(by: precedes)
        for piece in open where group(piece) == best {
          sum = (sum ?? .zero).adding(Fraction(Int128(piece.value), over: Int128(piece.end - piece.start)) ?? .zero)
        }
        let instants = unique.filter { $0.start == second && $0.end == second }
        guard let first = instants.map(group).min(by: precedes) else { continue }
        let winner = best.map { precedes($0, first) ? $0 : first } ?? first
        for piece in instants where group(piece) == winner { sum = (sum ?? .zero).adding(Fraction(piece.value)) }
      }
      return sum
    }
  }

  @Test("agrees with a model of each second, in any order of the samples", arguments: 0..<20 as Range<UInt64>)
  func agrees(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<200 {
      let bySample = round % 2 == 1
      let count = Int.random(in: 1...12, using: &generator)
      // Changed at different times: of two samples changed at once none is the later one.
      let changed = Array(1...Int64(count)).shuffled(using: &generator)
      var pieces = (0..<count).map { index in
        let start = Int64.random(in: 0..<36, using: &generator)
        let length = Int64.random(in: 0..<5, using: &generator) == 0 ? 0 : Int64.random(in: 0...12, using: &generator)
        return Piece(
          start: start, end: start + length, value: .random(in: 0...9, using: &generator),
          source: .random(in: 0..<4, using: &generator), modified: bySample ? changed[index] : 0,
          isManual: !bySample && Int.random(in: 0..<8, using: &generator) == 0)
      }
      let borders: [Int64] = [4, 13, 21, 30, 40]
      let ranking = Self.ranking(4, bySample ? .healthConnect : .apple)
      let expected = Self.model(pieces, borders: borders, bySample: bySample).map {
        $0.flatMap { $0.rounded(places: 3) }
      }
      let result = Self.bins(pieces, borders: borders, ranking)
      #expect(result == expected, "\(pieces)")
      pieces.shuffle(using: &generator)
      #expect(Self.bins(pieces, borders: borders, ranking) == result)
    }
  }

  @Test("a sum lies between that of any source's counted part and the plain one", arguments: 0..<10 as Range<UInt64>)
  func bounds(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed + 100)
    for _ in 0..<50 {
      let pieces = (0..<30).map { _ in
        let start = Int64.random(in: 0..<3000, using: &generator)
        return Piece(
          start: start, end: start + .random(in: 1...400, using: &generator),
          value: .random(in: 0...900, using: &generator), source: .random(in: 0..<3, using: &generator))
      }
      let total = pieces.reduce(0) { $0 + $1.value }
      let merged = try #require(Self.bins(pieces, borders: [0, 4000], Self.ranking(3))[0])
      let best = pieces.filter { $0.source == 0 }.reduce(0) { $0 + $1.value }
      #expect(merged.fraction <= Fraction(total))
      #expect(merged.fraction >= Fraction(best))
    }
  }

  /// What the public tests of Android's aggregator expect: samples by start, end, value, priority (the higher counts) and time of
  /// change, and the groups between the borders.
  @Test(
    "groups by priority as Android does",
    arguments: [
      ([[10, 20, 10, 1, 1]], [10, 20], ["10"]),
      ([[10, 10, 10, 1, 1]], [10, 20], ["10"]),
      ([[20, 20, 10, 1, 1]], [10, 20], ["-"]),
      ([[10, 20, 10, 100, 10]], [10, 20, 30, 40], ["10", "-", "-"]),
      ([[20, 30, 10, 100, 10]], [10, 20, 30, 40], ["-", "10", "-"]),
      ([[30, 40, 10, 100, 10]], [10, 20, 30, 40], ["-", "-", "10"]),
      ([[10, 10, 10, 100, 10]], [10, 20, 30, 40], ["10", "-", "-"]),
      ([[20, 20, 10, 100, 10]], [10, 20, 30, 40], ["-", "10", "-"]),
      ([[30, 30, 10, 100, 10]], [10, 20, 30, 40], ["-", "-", "10"]),
      ([[15, 15, 10, 100, 10], [15, 15, 20, 200, 20]], [10, 20], ["20"]),
      ([[15, 15, 10, 200, 10], [15, 15, 20, 100, 20]], [10, 20], ["10"]),
      ([[10, 10, 10, 100, 10], [10, 10, 20, 200, 20]], [10, 20], ["20"]),
      ([[20, 20, 10, 100, 10], [20, 20, 20, 200, 20]], [10, 20], ["-"]),
      ([[15, 27, 12, 1, 10], [22, 35, 130, 2, 10]], [10, 20, 30, 40], ["5", "82", "50"]),
      ([[15, 27, 12, 1, 10], [19, 30, 110, 2, 10]], [10, 20, 30, 40], ["14", "100", "-"]),
      ([[15, 27, 12, 2, 10], [19, 30, 110, 1, 10]], [10, 20, 30, 40], ["5", "37", "-"]),
      ([[10, 12, 10, 100, 10], [12, 14, 20, 200, 20]], [10, 20], ["30"]),
      ([[10, 10, 10, 2, 10], [10, 15, 20, 1, 20]], [10, 20], ["30"]),
      ([[12, 12, 10, 2, 10], [10, 15, 20, 1, 20]], [10, 20], ["30"]),
      ([[15, 15, 10, 2, 10], [10, 15, 20, 1, 20]], [10, 20], ["30"]),
      ([[10, 10, 10, 1, 10], [10, 15, 20, 2, 20]], [10, 20], ["20"]),
      ([[10, 20, 20, 1, 10], [10, 20, 15, 1, 1]], [10, 20], ["20"]),
      ([[10, 17, 7, 1, 10], [12, 20, 80, 1, 1]], [10, 20], ["37"]),
      ([[10, 17, 7, 1, 1], [12, 20, 80, 1, 10]], [10, 20], ["82"]),
      ([[10, 12, 10, 1, 10], [12, 12, 10, 2, 10], [12, 14, 20, 3, 20]], [10, 20], ["30"]),
      ([[10, 12, 10, 1, 10], [12, 12, 10, 4, 10], [12, 14, 20, 3, 20]], [10, 20], ["40"]),
    ] as [([[Int64]], [Int64], [String])])
  func android(rows: [[Int64]], borders: [Int64], expected: [String]) {
    let levels = Set(rows.map { $0[3] }).sorted(by: >)
    let sources = levels.indices.map { HealthSource("app\($0)", priorities: [.activity: .place(UInt32($0 + 1))]) }
    let pieces = rows.map { row in
      Piece(
        start: row[0], end: row[1], value: row[2], source: levels.firstIndex(of: row[3]) ?? 0, modified: row[4])
    }
    let bins = Self.bins(pieces, borders: borders, SourceRanking(sources, of: .healthConnect), quantity: .steps)
    #expect(bins.map { $0?.description ?? "-" } == expected)
  }

  @Test("without an order the sample that was changed last counts")
  func noOrder() {
    let sources = [HealthSource("a"), HealthSource("b")]
    let pieces = [
      Piece(start: 10, end: 20, value: 10, source: 0, modified: 10),
      Piece(start: 10, end: 20, value: 20, source: 1, modified: 20),
    ]
    #expect(Self.bins(pieces, borders: [10, 20], SourceRanking(sources, of: .healthConnect)) == [HealthDecimal(20)])
  }

  @Test("an app that is not in an order which is there does not count")
  func outsideOrder() {
    let sources = [HealthSource("a"), HealthSource("b", priorities: [.activity: .place(1)])]
    let pieces = [
      Piece(start: 10, end: 20, value: 10, source: 0, modified: 99), Piece(start: 30, end: 40, value: 7, source: 0),
      Piece(start: 10, end: 20, value: 5, source: 1),
    ]
    let ranking = SourceRanking(sources, of: .healthConnect)
    #expect(Self.bins(pieces, borders: [0, 50], ranking) == [HealthDecimal(5)])
    // An order of another category says nothing about steps.
    let other = SourceRanking(
      [HealthSource("a"), HealthSource("b", priorities: [.sleep: .place(1)])], of: .healthConnect)
    #expect(Self.bins(pieces, borders: [0, 50], other) == [HealthDecimal(17)])
  }

  @Test("a third of each of three is one, and one sixth more rounds as the exact sum does")
  func exact() {
    let thirds = (0..<3).map { Piece(start: $0 * 10, end: $0 * 10 + 3, value: 1, source: 1) }
    let cover = (0..<3).map { Piece(start: $0 * 10 + 1, end: $0 * 10 + 3, value: 0, source: 0) }
    #expect(Self.bins(thirds + cover, borders: [0, 100], Self.ranking(2), quantity: .steps) == [HealthDecimal(1)])
    // 1/3 + 1/6 is exactly one half, which rounds up.
    let half = [
      Piece(start: 0, end: 3, value: 1, source: 1), Piece(start: 1, end: 3, value: 0, source: 0),
      Piece(start: 10, end: 16, value: 1, source: 1), Piece(start: 11, end: 16, value: 0, source: 0),
    ]
    #expect(Self.bins(half, borders: [0, 100], Self.ranking(2), quantity: .steps) == [HealthDecimal(1)])
  }

  @Test("halves of many unlike lengths are decided exactly")
  func manyLengths() throws {
    // Each pair comes to exactly one: 1/n and (n - 1)/n of n different prime lengths, and a half at the end.
    var pieces: [Piece] = []
    var second: Int64 = 0
    for length in [Int64](3...400) where (2..<length).allSatisfy({ length % $0 != 0 }) {
      for covered in [1, length - 1] {
        pieces.append(Piece(start: second, end: second + length, value: 1, source: 1))
        pieces.append(Piece(start: second + covered, end: second + length, value: 0, source: 0))
        second += length
      }
    }
    let pairs = Int64(pieces.count / 4)
    pieces.append(Piece(start: second, end: second + 2, value: 1, source: 1))
    pieces.append(Piece(start: second + 1, end: second + 2, value: 0, source: 0))
    #expect(
      Self.bins(pieces, borders: [0, second + 10], Self.ranking(2), quantity: .steps) == [HealthDecimal(pairs + 1)])
    #expect(
      Self.bins(pieces, borders: [0, second + 10], Self.ranking(2))
        == [HealthDecimal(mantissa: 10 * pairs + 5, places: 1)])
  }

  @Test("100,000 samples that overlap are merged in time that grows with their number")
  func many() throws {
    var generator = SeededGenerator(seed: 7)
    var store = SumStore(.steps)
    for index in 0..<100_000 {
      let start = Int64.random(in: 0..<179 * 86_400, using: &generator)
      store.add(
        Piece(
          start: start, end: start + .random(in: 1...86_400, using: &generator), value: 100, source: index % 8
        ).sample)
    }
    let borders = (0...179).map { Int64($0) * 86_400_000_000 }
    let bins = MergedSums(store, Self.ranking(8)).bins(borders)
    #expect(bins.count == 179)
    #expect(bins.allSatisfy { $0.value != nil })
  }
}
