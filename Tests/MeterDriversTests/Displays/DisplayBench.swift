import Foundation
import MeterCore
import TestSupport
import Testing

@testable import MeterDrivers

/// The drivers of Tests/Fixtures/Displays: one of displays, which commits the offence of the meter that it is asked about, and
/// one of pictures, which commits that of the file.
enum DisplayBench {
  static let display = "org.example.display"
  static let images = "org.example.images"
  /// The meter that nothing is wrong with.
  static let good: UInt32 = 1

  /// The numbers of display.h.
  enum Offence: UInt32, CaseIterable {
    case layoutUnknown = 100
    case layoutStatus
    case layoutMany
    case layoutBillions
    case layoutNone
    case layoutNull
    case layoutAspect
    case layoutNameless
    case layoutLongName
    case layoutStrangeOverlay
    case layoutBehind
    case layoutSpin
    case layoutBox
    case layoutOutside
    case layoutFlat
    case layoutRole
    case layoutFlags
    case layoutCharacters
    case layoutTwice
    case layoutSilent
    case readNan = 200
    case readAboveOne
    case readCharacter
    case readLong
    case readRows
    case readFewRows
    case readState
    case readStrange
    case readNothing
    case readEmptyText
    case readCorners
    case readFar
    case readGlares
    case readGlareArea
    case readGlare
    case readSharpness
    case readAdvice
    case readBehind
    case readStatus
    case readRefused
    case readSpin
    case readAbort
    case readGreedy
    case readChanges
    case verdictRecord = 300
    case verdictNoRecord
    case verdictUnknown
    case verdictNone
    case verdictTime
    case verdictStored
    case verdictProvisional
    case verdictDevice
    case verdictNumber
    case verdictEmptyRecord
    case verdictCounts
    case verdictFull
    case verdictAct
    case verdictWrongMeter
    case verdictOtherUnit
    case verdictSpin
    case verdictChanges
  }

  static let files = ["weights": Array("mhsw".utf8), "frame": Array("<svg/>".utf8)]

  static func bundle(
    assets: [String: [UInt8]] = files, defines: [String] = []
  ) throws -> VerifiedBundle {
    var bundle = try BundleVerifier.verify(
      path: CompiledBundle.make(["entry.c", "display.c", "images.c"], in: "Displays", defines: defines).path,
      expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
    bundle.assets = assets
    return bundle
  }

  /// What a registry says of one of the drivers.
  ///
  /// - Parameter milliseconds: CPU time of a frame.
  static func entry(
    _ id: String, extensions: Set<DriverExtension>, milliseconds: UInt32 = 1_000, version: String = "1.0.0"
  ) throws -> DriverEntry {
    DriverEntry(
      id: id, version: try #require(SemanticVersion(version)), vendor: "Example", license: "MIT", familyID: "fam",
      library: "drivers/displays.so", folder: ".", file: "registry.json", sha256: nil, signatures: [], assets: [],
      abi: ABIVersion(major: 1, minor: 0), capabilities: [], extensions: extensions,
      limits: DriverLimits(
        eventCPUMilliseconds: milliseconds, eventWallMilliseconds: 10_000, memoryMebibytes: 64, recordsPerEvent: 4_096),
      metrics: [], parameters: [], functions: [])
  }

  static func host(_ isolation: DriverHostConfiguration.Isolation = .worker) -> DriverHost {
    DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, workerPath: BuildProducts.worker.path))
  }

  static func reader(
    _ isolation: DriverHostConfiguration.Isolation = .worker, assets: [String: [UInt8]] = files,
    defines: [String] = [], milliseconds: UInt32 = 1_000
  ) async throws -> DisplayReader {
    try await DisplayReader.open(
      host: host(isolation), bundle: bundle(assets: assets, defines: defines),
      entry: entry(display, extensions: [.ocr], milliseconds: milliseconds))
  }

  static func codec(
    _ isolation: DriverHostConfiguration.Isolation = .worker, milliseconds: UInt32 = 1_000
  ) async throws -> ImageCodec {
    try await ImageCodec.open(
      host: host(isolation), bundle: bundle(), entry: entry(images, extensions: [.image], milliseconds: milliseconds))
  }

  static func frame(
    _ width: Int = 64, _ height: Int = 48, grey: UInt8 = 255, isStill: Bool = false, boxes: Int? = nil
  ) -> DisplayFrame {
    let box = ImageBox(x: 4, y: 4, width: 40, height: 30)
    return DisplayFrame(
      image: GreyImage(width: width, height: height, pixels: [UInt8](repeating: grey, count: width * height)),
      isStill: isStill, place: boxes.map { .boxes([ImageBox](repeating: box, count: $0)) } ?? .overlay(box))
  }

  /// A file of the kind that images.c knows.
  static func file(_ offence: UInt8 = 0, width: Int = 4, height: Int = 3) -> [UInt8] {
    [UInt8(ascii: "P"), offence, UInt8(width & 0xff), UInt8(width >> 8), UInt8(height & 0xff), UInt8(height >> 8)]
  }
}
