import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

@Suite struct PNGTests {
  typealias Colour = WrittenPNG.Colour

  /// Kinds of pixel that the format has.
  static let kinds: [(Colour, UInt8)] = [
    (.grey, 1), (.grey, 2), (.grey, 4), (.grey, 8), (.grey, 16), (.rgb, 8), (.rgb, 16), (.palette, 1), (.palette, 2),
    (.palette, 4), (.palette, 8), (.greyAlpha, 8), (.greyAlpha, 16), (.rgba, 8), (.rgba, 16),
  ]

  static func file(_ colour: Colour, _ depth: UInt8, _ size: (Int, Int), interlaced: Bool = false) -> WrittenPNG {
    let most = 1 << Int(depth) - 1
    var png = WrittenPNG(
      width: UInt32(size.0), height: UInt32(size.1), depth: depth, colour: colour, isInterlaced: interlaced,
      samples: { x, y in (0..<colour.channels).map { ((x + y) * 37 + $0 * 11) % (most + 1) } })
    if colour == .palette {
      png.before = [("PLTE", (0...min(most, 255)).flatMap { [UInt8($0), UInt8(255 - $0), 7] })]
    }
    return png
  }

  /// What a pixel must become.
  static func expected(_ png: WrittenPNG, _ x: Int, _ y: Int) -> [Double] {
    let most = Double((1 << Int(png.depth)) - 1)
    let samples = png.samples(x, y)
    let parts = samples.map { Double($0) / most * 255 }
    let white = { (value: Double, alpha: Double) in value * alpha / 255 + 255 - alpha }
    return switch png.colour {
    case .grey: [parts[0], parts[0], parts[0]]
    case .rgb: parts
    case .palette: [Double(samples[0]), Double(255 - samples[0]), 7]
    case .greyAlpha: Array(repeating: white(parts[0], parts[1]), count: 3)
    case .rgba: parts.prefix(3).map { white($0, parts[3]) }
    }
  }

  @Test(arguments: kinds, [false, true])
  func everyKindOfPixelIsRead(_ kind: (Colour, UInt8), _ interlaced: Bool) throws {
    let bench = try CodecBench()
    let png = Self.file(kind.0, kind.1, (13, 11), interlaced: interlaced)
    let (colours, grey) = (bench.decode(png.file, MH_IMAGE_RGB), bench.decode(png.file))
    #expect(colours.status == MH_OK && grey.status == MH_OK)
    for y in 0..<11 {
      for x in 0..<13 {
        let wanted = Self.expected(png, x, y)
        #expect(zip(colours.picture.at(x, y), wanted).allSatisfy { abs(Double($0) - $1) <= 1 }, "\(x) \(y)")
        let luma = 0.299 * wanted[0] + 0.587 * wanted[1] + 0.114 * wanted[2]
        #expect(abs(Double(grey.picture.at(x, y)[0]) - luma) <= 2, "\(x) \(y)")
      }
    }
    let format = kind.0 == .grey || kind.0 == .greyAlpha ? MH_IMAGE_GREY : MH_IMAGE_RGB
    #expect(bench.measure(png.file).head.format == format)
  }

  @Test func aTransparentColourShowsWhite() throws {
    var png = WrittenPNG(width: 2, height: 1, samples: { x, _ in [x * 100] })
    png.before = [("tRNS", [0, 100])]
    #expect(try CodecBench().decode(png.file).picture.pixels == [0, 255])
  }

  @Test(arguments: [false, true])
  func aLargerPictureIsAveraged(_ interlaced: Bool) throws {
    let png = WrittenPNG(
      width: 5, height: 3, isInterlaced: interlaced, samples: { x, y in [x * 40 + y * 20] })
    let decoded = try CodecBench().decode(png.file, least: (3, 2))
    #expect(decoded.status == MH_OK)
    // Cells of 2 x 2, at the right and below of what is left.
    #expect(decoded.picture.pixels == [30, 110, 170, 60, 140, 200])
    #expect(try CodecBench().decode(png.file, least: (4, 2)).picture.width == 5)
    #expect(try CodecBench().decode(png.file, least: (1, 1)).picture.pixels.count == 1)
  }

  @Test(arguments: [false, true])
  func aFileThatEndsEarlyIsNoPicture(_ interlaced: Bool) throws {
    let bench = try CodecBench()
    let file = Self.file(.rgba, 8, (9, 7), interlaced: interlaced).file
    for end in 0..<file.count {
      let status = bench.decode(Array(file.prefix(end)), MH_IMAGE_RGB, room: 4096).status
      #expect(status == (end < 8 ? MH_E_UNSUPPORTED : MH_E_PROTOCOL), "\(end) of \(file.count)")
    }
  }

  @Test func everyWrongBitIsFound() throws {
    let bench = try CodecBench()
    let file = Self.file(.grey, 8, (5, 4)).file
    for index in 8..<file.count {
      for bit in 0..<8 {
        var damaged = file
        damaged[index] ^= 1 << bit
        #expect(bench.decode(damaged, room: 4096).status != MH_OK, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test(arguments: [(60000, 60000), (16385, 1), (1, 16385), (8000, 8000), (0x7FFF_FFFF, 1), (0xFFFF_FFFF, 0xFFFF_FFFF)])
  func aPictureAboveTheLimitsIsDeniedByItsHead(_ size: (UInt32, UInt32)) throws {
    let png = WrittenPNG(width: size.0, height: size.1, samples: { _, _ in [] }, data: WrittenPNG.zlib([0]))
    #expect(try CodecBench().measure(png.file).status == MH_E_DENIED)
    #expect(try CodecBench().decode(png.file, room: 64).status == MH_E_DENIED)
  }

  @Test(arguments: [(0, 5), (5, 0)])
  func aPictureWithoutPixelsIsDamaged(_ size: (UInt32, UInt32)) throws {
    let png = WrittenPNG(width: size.0, height: size.1, samples: { _, _ in [] }, data: WrittenPNG.zlib([0]))
    #expect(try CodecBench().decode(png.file, room: 64).status == MH_E_PROTOCOL)
  }

  /// Much more data than the picture has pixels, and chunks that would unfold: nothing of it is unfolded.
  @Test func whatIsTooMuchIsNotUnfolded() throws {
    let bench = try CodecBench()
    var png = Self.file(.grey, 8, (4, 4))
    let picture = bench.decode(png.file).picture
    png.data = WrittenPNG.zlib(png.lines() + Array(repeating: 0, count: 3_000_000))
    #expect(bench.decode(png.file, room: 64).status == MH_E_PROTOCOL)
    // 64 MiB of zeros, and what nobody can unfold: passed over, both of them.
    for stream in [Self.bomb(), Array(repeating: 0xFF, count: 100)] {
      var texts = Self.file(.grey, 8, (4, 4))
      texts.before = ["zTXt", "iCCP"].map { ($0, Array("comment".utf8) + [0, 0] + stream) }
      let file = texts.file
      let decoded = bench.decode(file, room: 64)
      #expect(decoded.status == MH_OK && decoded.picture == picture)
      #expect(bench.measure(file).status == MH_OK)
    }
  }

  /// RFC 1951: one block whose codes of one bit each mean 258 bytes at the distance 1; Python's zlib unfolds 67633669 zeros.
  static func bomb() -> [UInt8] {
    let head: [UInt8] = [0x78, 0xDA, 0xED, 0xE0, 0x81, 0, 0, 0, 0, 0x80, 0x20, 0xEC, 0x4F, 0xBD, 0x48, 0x05]
    return head + Array(repeating: 0, count: 65536) + [0x03, 0x3E, 0x7D, 0x00, 0x01]
  }

  /// Descriptions of pictures (XMP, C2PA) may be longer than the picture.
  @Test(arguments: [false, true]) func longChunksBesideThePictureArePassedOver(_ isBehind: Bool) throws {
    var png = Self.file(.grey, 8, (4, 4))
    let picture = try CodecBench().decode(png.file).picture
    let chunk = ("iTXt", Array("XML:com.adobe.xmp".utf8) + Array(repeating: 0, count: 1_100_000))
    if isBehind { png.behind = [chunk] } else { png.before = [chunk] }
    var file = png.file
    let decoded = try CodecBench().decode(file)
    #expect(decoded.status == MH_OK && decoded.picture == picture && picture.pixels.count == 16)
    // Passed over, and its checksum counts.
    file[file.count - (isBehind ? 20 : 120)] ^= 1
    #expect(try CodecBench().decode(file, room: 64).status == MH_E_PROTOCOL)
  }

  @Test(arguments: 1...8, [false, true])
  func theOrientationOfAnExifBlockIsKnown(_ orientation: UInt32, _ isBehind: Bool) throws {
    var png = Self.file(.grey, 8, (4, 4))
    let chunk = ("eXIf", WrittenExif(orientation: orientation).tiff)
    if isBehind { png.behind = [chunk] } else { png.before = [chunk] }
    #expect(try CodecBench().decode(png.file).picture.orientation == Int(orientation))
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func anyDamageEndsInAStatus(_ seed: UInt64) throws {
    let bench = try CodecBench()
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let kind = Self.kinds[Int.random(in: 0..<Self.kinds.count, using: &generator)]
      var png = Self.file(kind.0, kind.1, (9, 7), interlaced: Bool.random(using: &generator))
      // Content behind a right checksum: the library has to look at it.
      var data = WrittenPNG.zlib(png.lines())
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        data[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      png.data = data
      let names = ["tRNS", "PLTE", "eXIf", "gAMA", "sBIT", "hIST", "iCCP", "sPLT", "pHYs", "zzzz"]
      png.before.append((names[Int.random(in: 0..<names.count, using: &generator)], generator.bytes(0...40)))
      let decoded = bench.decode(png.file, MH_IMAGE_RGB, room: 4096)
      #expect([MH_OK, MH_E_PROTOCOL, MH_E_UNSUPPORTED, MH_E_DENIED].contains(decoded.status))
    }
  }
}
