import CMeterDriver
import Foundation
import TestSupport
import Testing

@testable import DriverTestBench

@Suite struct JPEGTests {
  typealias Picture = CodecBench.Picture

  @Test(arguments: [(1, 1), (8, 8), (17, 33), (64, 48), (333, 7)], [MH_IMAGE_GREY, MH_IMAGE_RGB])
  func whatIsEncodedIsDecoded(_ size: (Int, Int), _ format: UInt32) throws {
    let bench = try CodecBench()
    let picture = Picture.slopes(size.0, size.1, format)
    let encoded = bench.encode(picture)
    #expect(encoded.status == MH_OK)
    let head = bench.measure(encoded.file)
    #expect(
      head.status == MH_OK && head.head.format == format && head.head.width == size.0 && head.head.height == size.1)
    let decoded = bench.decode(encoded.file, format)
    #expect(decoded.status == MH_OK)
    #expect(decoded.picture.distance(picture) < (format == MH_IMAGE_GREY ? 8 : 40))
  }

  @Test func aColourPictureIsReadInGrey() throws {
    let bench = try CodecBench()
    let picture = Picture(
      width: 16, height: 16, format: MH_IMAGE_RGB, pixels: (0..<256).flatMap { _ in [200, 100, 50] })
    let grey = bench.decode(bench.encode(picture).file).picture
    // ITU-R BT.601: .299, .587, .114.
    #expect(grey.pixels.allSatisfy { abs(Int($0) - 124) <= 2 })
  }

  @Test(arguments: [
    ((0, 0), (100, 60)), ((100, 60), (100, 60)), ((51, 30), (100, 60)), ((50, 30), (50, 30)), ((26, 1), (50, 30)),
    ((25, 15), (25, 15)), ((13, 8), (13, 8)), ((1, 1), (13, 8)), ((1000, 1000), (100, 60)),
  ])
  func aLargerPictureIsDividedWhileItIsEnough(_ least: (Int, Int), _ expected: (Int, Int)) throws {
    let bench = try CodecBench()
    let decoded = bench.decode(bench.encode(.slopes(100, 60)).file, least: least)
    #expect(decoded.status == MH_OK)
    #expect((decoded.picture.width, decoded.picture.height) == expected)
    #expect(decoded.picture.pixels.count == expected.0 * expected.1)
    #expect(decoded.picture.distance(.slopes(expected.0, expected.1)) < 20)
  }

  @Test(arguments: [MH_IMAGE_GREY, MH_IMAGE_RGB])
  func aFileThatEndsEarlyIsNoPicture(_ format: UInt32) throws {
    let bench = try CodecBench()
    for file in [bench.encode(.slopes(40, 24, format)).file, try Self.progressive()] {
      for end in 0..<file.count {
        let decoded = bench.decode(Array(file.prefix(end)), format, room: 1 << 16)
        #expect(decoded.status == (end < 3 ? MH_E_UNSUPPORTED : MH_E_PROTOCOL), "\(end) of \(file.count)")
      }
    }
  }

  @Test func bytesBehindThePictureAreNotItsAffair() throws {
    let bench = try CodecBench()
    let file = bench.encode(.slopes(40, 24)).file
    #expect(bench.decode(file + Array(repeating: 0x55, count: 1000)).picture == bench.decode(file).picture)
  }

  static func progressive() throws -> [UInt8] {
    let text = """
      /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU\
      FRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU\
      FBQUFBQUFBT/wgARCAAQABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAABwb/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBf/a\
      AAwDAQACEAMQAAABC1WCVmyv/8QAFhAAAwAAAAAAAAAAAAAAAAAAAAMF/9oACAEBAAEFApqiaomqJqj/xAAVEQEBAAAAAAAAAAAA\
      AAAAAAAAE//aAAgBAwEBPwG7/8QAFREBAQAAAAAAAAAAAAAAAAAAABP/2gAIAQIBAT8Bs//EABUQAQEAAAAAAAAAAAAAAAAAAAAB\
      /9oACAEBAAY/AoiI/8QAFhABAQEAAAAAAAAAAAAAAAAAAFEQ/9oACAEBAAE/IcAgQP/aAAwDAQACAAMAAAAQK//EABURAQEAAAAA\
      AAAAAAAAAAAAAABx/9oACAEDAQE/ELf/xAAVEQEBAAAAAAAAAAAAAAAAAAAAcf/aAAgBAgEBPxCn/8QAFxAAAwEAAAAAAAAAAAAA\
      AAAAAEFRof/aAAgBAQABPxCeE8M5Gcj/2Q==
      """
    return Array(try #require(Data(base64Encoded: text)))
  }

  @Test func aProgressivePictureIsRead() throws {
    let bench = try CodecBench()
    let decoded = bench.decode(try Self.progressive(), MH_IMAGE_RGB)
    #expect(decoded.status == MH_OK && decoded.picture.width == 16 && decoded.picture.height == 16)
    #expect(zip(decoded.picture.at(10, 4), [80, 96, 120]).allSatisfy { abs(Int($0) - $1) < 25 })
  }

  @Test func fourInksAreUnsupported() throws {
    let text = """
      /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0OEQ4LCxAWEBETFBUV\
      FQwPFxgWFBgSFBUU/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAgJ/8QAGxAAAgIDAQAAAAAAAAAA\
      AAAAAAdDgQYiM1H/2gAOBEMATQBZAEsAAD8AnotoqA0tsb5aeBfW0VE9FtFR/9k=
      """
    let file = Array(try #require(Data(base64Encoded: text)))
    #expect(try CodecBench().measure(file).status == MH_E_UNSUPPORTED)
    #expect(try CodecBench().decode(file, room: 1 << 12).status == MH_E_UNSUPPORTED)
  }

  /// A progressive picture of one grey block in scans of one coefficient and one bit each: 192 are the most that there can
  /// be. All that is coded is zero.
  static func scans(_ count: Int) -> [UInt8] {
    var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 1, count: 64)
    file += [0xFF, 0xC2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
    // One code of one bit, which means 0, for both kinds of coefficient.
    for table in [0x00, 0x10] as [UInt8] { file += [0xFF, 0xC4, 0, 20, table, 1] + Array(repeating: 0, count: 16) }
    let bits: [UInt8] = [0x02, 0x21, 0x10]
    for scan in 0..<count {
      let coefficient = UInt8(scan % 64)
      file += [0xFF, 0xDA, 0, 8, 1, 1, 0, coefficient, coefficient, bits[scan / 64], 0x7F]
    }
    return file + [0xFF, 0xD9]
  }

  /// Each scan costs a pass over all of the picture.
  @Test(arguments: [(64, MH_OK), (100, MH_OK), (101, MH_E_DENIED), (192, MH_E_DENIED)])
  func tooManyScansAreDenied(_ count: Int, _ status: Int32) throws {
    let decoded = try CodecBench().decode(Self.scans(count), room: 64)
    #expect(decoded.status == status)
    if status == MH_OK { #expect(decoded.picture.pixels == Array(repeating: 128, count: 64)) }
  }

  @Test func noRoomIsFullAndNothingIsWrittenBehindIt() throws {
    let bench = try CodecBench()
    let file = bench.encode(.slopes(40, 24)).file
    for room in [0, 1, 40 * 24 - 1] { #expect(bench.decode(file, room: room).status == MH_E_FULL) }
    #expect(bench.decode(file, room: 40 * 24).status == MH_OK)
    for room in 0..<file.count { #expect(bench.encode(.slopes(40, 24), room: room).status == MH_E_FULL) }
    #expect(bench.encode(.slopes(40, 24), room: file.count).file == file)
  }

  @Test func whatCannotBeEncodedIsRefused() throws {
    let bench = try CodecBench()
    let good = Picture.slopes(8, 8)
    for quality in [0, 101, 1 << 20] { #expect(bench.encode(good, quality: quality).status == MH_E_ARG) }
    for orientation in [0, 9] {
      var bad = good
      bad.orientation = orientation
      #expect(bench.encode(bad).status == MH_E_ARG)
    }
    for (width, height, status) in [(0, 8, MH_E_ARG), (8, 7, MH_E_ARG), (8, 9, MH_E_ARG), (16385, 1, MH_E_DENIED)] {
      var bad = good
      (bad.width, bad.height) = (width, height)
      #expect(bench.encode(bad).status == status)
    }
    var bad = good
    bad.format = 4
    #expect(bench.encode(bad).status == MH_E_ARG)
    #expect(bench.decode(bench.encode(good).file, 2).status == MH_E_ARG)
  }

  /// The sides stand in the frame's head: a file of a few hundred bytes may claim any.
  @Test(arguments: [(60000, 60000), (16385, 10), (10, 16385), (16384, 16384), (65500, 65500)])
  func aPictureAboveTheLimitsIsDeniedByItsHead(_ size: (Int, Int)) throws {
    let bench = try CodecBench()
    for file in [bench.encode(.slopes(16, 16, MH_IMAGE_RGB)).file, try Self.progressive()] {
      var file = file
      let frame = try #require(file.indices.first { file[$0] == 0xFF && [0xC0, 0xC2].contains(file[$0 + 1]) })
      file.replaceSubrange(
        frame + 5..<frame + 9, with: [size.1 >> 8, size.1 & 0xFF, size.0 >> 8, size.0 & 0xFF].map { UInt8($0) })
      #expect(bench.measure(file).status == MH_E_DENIED)
      #expect(bench.decode(file, room: 1 << 16).status == MH_E_DENIED)
    }
  }

  /// Without Huffman tables, as cameras send their frames: the usual ones are meant.
  @Test func framesOfCamerasHaveNoTables() throws {
    let bench = try CodecBench()
    let file = bench.encode(.slopes(40, 24)).file
    var short: [UInt8] = []
    var at = 0
    while at < file.count {
      let length = at > 1 && file[at] == 0xFF ? Int(file[at + 2]) << 8 | Int(file[at + 3]) : 0
      if length > 0, file[at + 1] == 0xDA {
        short += file[at...]
        break
      }
      if length == 0 || file[at + 1] != 0xC4 { short += file[at..<at + max(length + 2, 2)] }
      at += max(length + 2, 2)
    }
    #expect(short.count < file.count)
    #expect(bench.decode(short).picture == bench.decode(file).picture)
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func anyDamageEndsInAStatus(_ seed: UInt64) throws {
    let bench = try CodecBench()
    var generator = SeededGenerator(seed: seed)
    let files = [bench.encode(.slopes(40, 24, MH_IMAGE_RGB, orientation: 6)).file, try Self.progressive()]
    for _ in 0..<40 {
      var file = files[Int.random(in: 0...1, using: &generator)]
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        file[Int.random(in: 2..<file.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let decoded = bench.decode(file, MH_IMAGE_RGB, room: 1 << 16)
      #expect([MH_OK, MH_E_PROTOCOL, MH_E_UNSUPPORTED, MH_E_DENIED, MH_E_FULL].contains(decoded.status))
      #expect(decoded.status != MH_OK || (1...8).contains(decoded.picture.orientation))
    }
  }
}
