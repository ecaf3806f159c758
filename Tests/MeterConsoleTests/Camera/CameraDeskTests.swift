import DriverContract
import MeterDrivers
import MeterOCR
import Synchronization
import Testing

@testable import MeterConsole

@Suite struct CameraDeskTests {
  private func failure(_ outcome: ReadingOutcome) -> DeskError? {
    if case .failed(let error) = outcome { error } else { nil }
  }

  @Test func aFilmIsReadCorrectedAndSubmitted() async throws {
    let equipment = ScriptedEquipment(FilmOfOne(frames: 200, then: .end))
    let reading = try await CameraDesk(equipment).start(meter: 7, unit: "mmol/L")
    #expect(equipment.opened.withLock { $0 } == ["mmol/L"])
    guard case .completed(let result) = await reading.outcome() else { return #expect(Bool(false), "not completed") }
    #expect(result.values == [DeskValue(name: "Blood glucose", text: "112", unit: result.values[0].unit)])
    #expect(result.rows == [FinishedReading.Row(label: "Value", text: "112", unit: result.values[0].unit)])
    #expect(!result.crop.isEmpty)
    #expect(await equipment.source.isClosed)
    // Whoever corrects needs the driver.
    #expect(equipment.closings.withLock { $0 } == 0)
    guard case .problems(let problems) = await reading.check(["1x2"]) else { return #expect(Bool(false), "accepted") }
    #expect(problems.map(\.row) == [0])
    guard case .problems(let together) = await reading.check(["999"]) else { return #expect(Bool(false), "accepted") }
    #expect(together.map(\.row) == [nil])
    await #expect(throws: DeskError.self) { try await reading.submit(["999"]) }
    guard case .values(let values) = await reading.check(["113"]) else { return #expect(Bool(false), "refused") }
    #expect(values.map(\.text) == ["113"])
    #expect(try await reading.submit(["113"]) == "Submitted:")
    let submitted = try #require(equipment.submitted.withLock { $0.first })
    #expect(submitted.texts == ["113"] && submitted.isCorrected && !submitted.isHeld)
    #expect(submitted.rows.allSatisfy { $0.isConfirmed })
    await reading.close()
    #expect(equipment.closings.withLock { $0 } == 1)
  }

  @Test func whatIsSeenIsInFractionsOfThePreview() async throws {
    let equipment = ScriptedEquipment(FilmOfOne(frames: 2, then: .wait))
    let reading = try await CameraDesk(equipment).start(meter: 7, unit: nil)
    var pictures = reading.previews.makeAsyncIterator()
    #expect(await pictures.next()?.jpeg == Array("64x48".utf8))
    var partials = reading.partials.makeAsyncIterator()
    let partial = try #require(await partials.next())
    #expect(partial.rows == [PartialReading.Row(label: "Value", text: "112")])
    #expect(partial.advice == .none)
    if let overlay = partial.overlay {
      #expect((0...1).contains(overlay.x) && overlay.x + overlay.width <= 1.0001 && overlay.width > 0.3)
    }
    await reading.cancel()
    guard case .cancelled = await reading.outcome() else { return #expect(Bool(false), "not cancelled") }
    #expect(await equipment.source.isClosed)
    #expect(equipment.closings.withLock { $0 } == 1)
    // Both streams have ended.
    while await pictures.next() != nil {}
    while await partials.next() != nil {}
  }

  @Test(arguments: [(FrameSourceError.Code.cameraDenied, DeskError.Kind.cameraDenied), (.cameraGone, .failed)])
  func aCameraThatFailsIsTold(code: FrameSourceError.Code, kind: DeskError.Kind) async throws {
    let error = FrameSourceError(code, path: "/dev/video0", message: "the camera is not there; plug it in")
    let equipment = ScriptedEquipment(FilmOfOne(frames: 0, then: .error(error)))
    let reading = try await CameraDesk(equipment).start(meter: 7, unit: nil)
    let failure = try #require(failure(await reading.outcome()))
    #expect(failure.kind == kind && failure.code == code.rawValue)
    #expect(failure.message == "The camera is not there; plug it in.")
    #expect(equipment.closings.withLock { $0 } == 1)
    guard case .problems = await reading.check(["112"]) else { return #expect(Bool(false), "a value of nothing") }
    await #expect(throws: DeskError.self) { try await reading.submit(["112"]) }
  }

  @Test func noValueIsAFailureWithItsReason() async throws {
    let reading = try await CameraDesk(ScriptedEquipment(FilmOfOne(frames: 1, then: .end))).start(meter: 7, unit: nil)
    let failure = try #require(failure(await reading.outcome()))
    #expect(NoValueReason(rawValue: failure.code) != nil)
    #expect(failure.message.hasSuffix("."))
  }

  /// A value without its picture cannot be compared by a person.
  @Test func noPictureNoReading() async throws {
    let equipment = ScriptedEquipment(FilmOfOne(frames: 200, then: .end), refusesPictures: true)
    let reading = try await CameraDesk(equipment).start(meter: 7, unit: nil)
    #expect(failure(await reading.outcome())?.code == "picture_failed")
    #expect(equipment.closings.withLock { $0 } == 1)
  }

  @Test func metersAndUnitsThatAreNotThereAreRefused() async throws {
    let desk = CameraDesk(ScriptedEquipment(FilmOfOne(frames: 0, then: .end)))
    await #expect(throws: DeskError.self) { try await desk.start(meter: 8, unit: nil) }
    await #expect(throws: DeskError.self) { try await desk.start(meter: 7, unit: "kPa") }
    await #expect(throws: DeskError.self) { try await desk.overlay(of: 8) }
    #expect(try await desk.overlay(of: 7) == Array("<svg/>".utf8))
  }

  @Test func everyRoleAndTypeHasItsWords() {
    #expect(Set(DisplayRole.allCases.map(\.label)).count == DisplayRole.allCases.count)
    #expect(Set(PeripheralType.allCases.map(\.heading)).count == PeripheralType.allCases.count)
    #expect(["Cel", "[degF]", "mm[Hg]", "mg/dL", "{INR}"].map(unitTitle) == ["°C", "°F", "mmHg", "mg/dL", "INR"])
    #expect(RelativeBox(ImageBox(x: 1, y: 1, width: 0, height: 1), of: ViewSize(width: 2, height: 2)) == nil)
    #expect(
      RelativeBox(ImageBox(x: 16, y: 12, width: 32, height: 24), of: ViewSize(width: 64, height: 48))
        == RelativeBox(x: 0.25, y: 0.25, width: 0.5, height: 0.5))
  }
}
