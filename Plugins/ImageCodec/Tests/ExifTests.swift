import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

@Suite struct ExifTests {
  static func orientation(_ tiff: [UInt8]) throws -> Int {
    let bench = try CodecBench()
    let file = WrittenExif.put(tiff, into: bench.encode(.slopes(8, 8)).file)
    let (head, decoded) = (bench.measure(file), bench.decode(file))
    #expect(head.status == MH_OK && decoded.status == MH_OK)
    #expect(head.head.orientation == decoded.picture.orientation)
    return decoded.picture.orientation
  }

  @Test(arguments: 1...8, [false, true])
  func theOrientationIsKnownInBothByteOrders(_ orientation: UInt32, _ isBig: Bool) throws {
    let exif = WrittenExif(isBig: isBig, orientation: orientation, entries: 4, fillers: 3)
    #expect(try Self.orientation(exif.tiff) == Int(orientation))
  }

  @Test(arguments: 1...8) func theEncoderWritesIt(_ orientation: Int) throws {
    let bench = try CodecBench()
    let file = bench.encode(.slopes(8, 8, orientation: orientation)).file
    #expect(bench.decode(file).picture.orientation == orientation)
  }

  static let harmless: [WrittenExif] = [
    WrittenExif(orientation: 0), WrittenExif(orientation: 9), WrittenExif(orientation: 0xFFFF),
    WrittenExif(orientation: 6, tag: 0x0113), WrittenExif(orientation: 6, type: 4),
    WrittenExif(orientation: 6, count: 2),
    WrittenExif(orientation: 6, first: 0), WrittenExif(orientation: 6, first: 7),
    WrittenExif(orientation: 6, first: 24),
    WrittenExif(orientation: 6, first: 0xFFFF_FFFF), WrittenExif(orientation: 6, first: 0x7FFF_FFFE),
    WrittenExif(orientation: 6, entries: 0), WrittenExif(orientation: 6, entries: 1, fillers: 1),
    WrittenExif(orientation: 6, magic: [0x4D, 0x4D, 0x2A, 0]),
    WrittenExif(orientation: 6, magic: [0x49, 0x4D, 0, 0x2A]),
    WrittenExif(orientation: 9, entries: 0xFFFF),
  ]

  @Test(arguments: harmless.indices) func aBlockThatSaysNothingOfUseIsPassedOver(_ index: Int) throws {
    #expect(try Self.orientation(Self.harmless[index].tiff) == 1)
  }

  @Test func aBlockMayEndAnywhere() throws {
    let tiff = WrittenExif(orientation: 6, entries: 2, fillers: 1).tiff
    for end in 0..<tiff.count {
      #expect(try [1, 6].contains(Self.orientation(Array(tiff.prefix(end)))))
    }
    #expect(try Self.orientation(Array(tiff.prefix(10 + 12))) == 1)
  }

  @Test func aBlockLongerThanTheFileIsDamage() throws {
    let bench = try CodecBench()
    let file = WrittenExif.put(
      WrittenExif(orientation: 6).tiff, into: bench.encode(.slopes(8, 8)).file, declaredLength: 0xFFFF)
    #expect(bench.decode(file, room: 64).status == MH_E_PROTOCOL)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func anyBlockLeavesThePictureAsItIs(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var tiff = WrittenExif(isBig: Bool.random(using: &generator), orientation: 3, entries: 3, fillers: 2).tiff
    for _ in 0..<4 { tiff[Int.random(in: 0..<tiff.count, using: &generator)] = .random(in: 0...255, using: &generator) }
    #expect(try (1...8).contains(Self.orientation(tiff)))
  }
}
