import DriverContract
import MeterCore
import MeterDrivers
import MeterOCR
import TestSupport
import Testing

/// What a controller needs, with the clocks of a test.
struct Stage {
  var layout = Displays.glucose
  var type = PeripheralType.glucoseMeter
  var units: [MetricUnit] = []
  var options = OCROptions()
  var clock = StoppedClock()

  func controller(_ reader: ScriptedReader, _ source: ScriptedSource) -> OCRController {
    OCRController(
      peripheral: OCRPeripheral(
        id: 7, name: "Test meter", type: type, units: units, layout: layout, overlay: "<svg/>"),
      recogniser: reader, source: source, options: options, clock: clock)
  }
}

extension OCRResult {
  var reading: OCRReading? { if case .completed(let reading) = self { reading } else { nil } }
  var noValue: OCRNoValue? { if case .noValue(let noValue) = self { noValue } else { nil } }
  var failure: OCRFailure? { if case .failed(let failure) = self { failure } else { nil } }
  var denial: FrameSourceError? { if case .denied(let error) = self { error } else { nil } }
  var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

@Suite struct OCRControllerTests {
  private static let fault = DriverFault(.crashed, driver: "test", message: "died")

  @Test("a film becomes a reading") func aFilmBecomesAReading() async throws {
    let (reader, source) = (ScriptedReader("120"), ScriptedSource(Pictures.film(1...30)))
    let moment = BootClock(bootID: "boot", bootMicroseconds: 5, utcMicroseconds: 6)
    var stage = Stage()
    stage.options.now = { moment }
    stage.options.isClockSynchronized = false
    let controller = stage.controller(reader, source)
    let reading = try #require(await controller.result.reading)
    #expect(reading.id == controller.id)
    #expect(reading.peripheralID == 7)
    #expect(reading.texts == ["120"])
    #expect(reading.records == [Displays.record([120])])
    #expect(!reading.isHeld && !reading.isCorrected)
    let metadata = reading.metadata
    #expect(metadata.framesLookedAt == 6 && metadata.agreeing == 6 && metadata.damagedPictures == 0)
    #expect(abs(metadata.confidence - 0.95) < 1e-9)
    #expect(metadata.moment == moment)
    #expect(!metadata.isClockSynchronized && !metadata.isPhotograph)
    #expect(metadata.frame.pixels == Pictures.image(6).pixels)
    #expect(metadata.overlayFrame == .zero)
  }

  @Test(
    "a value of a thermometer or a scale has to stand for longer",
    arguments: [
      (PeripheralType.thermometer, 5000 as UInt64), (.weightScale, 3000), (.bloodPressure, 500), (.glucoseMeter, 500),
    ])
  func aValueHasToStand(_ type: PeripheralType, _ milliseconds: UInt64) async throws {
    for (last, isRead) in [(milliseconds - 100, false), (milliseconds, true)] {
      var stage = Stage()
      stage.type = type
      let frames = stride(from: UInt64(0), through: last, by: 100).enumerated().map { number, moment in
        ScriptedSource.Step.frame(Pictures.frame(number + 1, moment: moment * 1_000_000))
      }
      let result = await stage.controller(ScriptedReader("120"), ScriptedSource(frames + [.end])).result
      #expect((result.reading != nil) == isRead, "\(type) after \(last) ms")
    }
  }

  @Test("a value that rises every second is none") func aValueThatRisesEverySecondIsNone() async throws {
    var stage = Stage()
    stage.type = .thermometer
    let frames = (0..<200 as Range<UInt64>).map {
      ScriptedSource.Step.frame(Pictures.frame(Int($0) + 1, moment: $0 * 100_000_000))
    }
    let reader = ScriptedReader { number, _ in .success(Displays.reading("\(100 + number / 10)")) }
    #expect(await stage.controller(reader, ScriptedSource(frames + [.end])).result.noValue != nil)
  }

  @Test("what may be something else than what it seems is held", arguments: ["888", "1888", "120"])
  func whatMayBeSomethingElseIsHeld(_ text: String) async throws {
    let reader = ScriptedReader(verdict: { _, _ in .success(.valid([Displays.record([120])])) }) { _, _ in
      .success(Displays.reading(text))
    }
    let reading = try #require(await Stage().controller(reader, ScriptedSource(Pictures.film(1...30))).result.reading)
    #expect(reading.isHeld == (text != "120"))
  }

  @Test("a scale's unit has to be said, or the reading is held") func aScalesUnitHasToBeSaid() async throws {
    let units = try ["kg", "[lb_av]"].map { try #require(MetricUnit.withUCUM($0)) }
    for unit in [nil, units[0].code] {
      var stage = Stage()
      (stage.type, stage.units, stage.options.unit) = (.weightScale, units, unit)
      stage.options.rules = ConvergenceRules()
      let source = ScriptedSource(Pictures.film(1...30))
      let reading = try #require(await stage.controller(ScriptedReader("120"), source).result.reading)
      #expect(reading.isHeld == (unit == nil))
    }
  }

  @Test("the driver has the last word on the texts") func theDriverHasTheLastWordOnTheTexts() async throws {
    let reader = ScriptedReader("120")
    let result = await Stage().controller(reader, ScriptedSource(Pictures.film(1...30))).result
    #expect(result.reading != nil)
    // Once for each frame, and once for the result.
    #expect(await reader.interpreted == Array(repeating: ["120"], count: 7))
  }

  @Test("a driver that takes its word back fails") func aDriverThatTakesItsWordBackFails() async throws {
    let counter = Counter()
    let reader = ScriptedReader(verdict: { texts, _ in
      .success(counter.next() <= 6 ? Displays.verdict(texts) : .notAValue)
    }) { _, _ in .success(Displays.reading("120")) }
    let result = await Stage().controller(reader, ScriptedSource(Pictures.film(1...30))).result
    #expect(result.failure?.code == DriverFault.Code.brokeRule.rawValue)
  }

  @Test("the unit that was chosen is asked for") func theUnitThatWasChosenIsAskedFor() async throws {
    let reader = ScriptedReader(verdict: { texts, unit in
      .success(unit == 42 ? .valid([Displays.record([56])]) : Displays.verdict(texts))
    }) { _, _ in .success(Displays.reading("5.6")) }
    var stage = Stage()
    stage.options.unit = 42
    let reading = try #require(await stage.controller(reader, ScriptedSource(Pictures.film(1...30))).result.reading)
    #expect(reading.records == [Displays.record([56])])
    #expect(reading.unit == 42)
  }

  @Test("the other unit is named") func theOtherUnitIsNamed() async throws {
    var stage = Stage()
    stage.units = ["mg/dL", "mmol/L"].compactMap { MetricUnit.withUCUM($0) }
    let result = await stage.controller(ScriptedReader("5.6"), ScriptedSource(Pictures.film(1...60))).result
    #expect(result.noValue?.reason == .otherUnit)
    #expect(result.noValue?.unitToChoose?.ucum == "mmol/L")
    #expect(result.noValue?.message.contains("mmol/L") == true)
  }

  @Test("a film that ends too early is no value") func aFilmThatEndsTooEarlyIsNoValue() async throws {
    let source = ScriptedSource(Pictures.film(1...5) + [.end])
    let result = await Stage().controller(ScriptedReader("120"), source).result
    #expect(result.noValue?.reason == .tooFewFrames)
    #expect(result.noValue?.framesLookedAt == 5)
    await source.closed()
  }

  @Test("the same picture again and again is no value") func theSamePictureAgainAndAgainIsNoValue() async throws {
    let steps = (1...400).map { ScriptedSource.Step.frame(Pictures.frame(1, moment: UInt64($0) * 100_000_000)) }
    let result = await Stage().controller(ScriptedReader("120"), ScriptedSource(steps)).result
    #expect(result.noValue?.reason == .frozen)
  }

  @Test("damaged pictures are passed over and counted") func damagedPicturesArePassedOverAndCounted() async throws {
    let error = FrameSourceError(.damagedImage, path: "film", message: "damaged")
    let steps = Pictures.film(1...3) + [.error(error), .error(error)] + Pictures.film(4...9)
    let reading = try #require(await Stage().controller(ScriptedReader("120"), ScriptedSource(steps)).result.reading)
    #expect(reading.metadata.damagedPictures == 2)
  }

  @Test("nothing but damaged pictures is a failure") func nothingButDamagedPicturesIsAFailure() async throws {
    let error = FrameSourceError(.damagedImage, path: "one.jpg", message: "damaged")
    let result = await Stage().controller(ScriptedReader("120"), ScriptedSource([.error(error), .end])).result
    #expect(result.failure == .source(error))
    #expect(result.failure?.code == "image_damaged")
  }

  @Test("a source that gives nothing but errors comes to an end") func aSourceThatGivesNothingButErrorsComesTo()
    async throws
  {
    let error = FrameSourceError(.damagedImage, path: "one.jpg", message: "damaged")
    var stage = Stage()
    stage.options.mostDamaged = 10
    let source = ScriptedSource(Array(repeating: .error(error), count: 100))
    #expect(await stage.controller(ScriptedReader("120"), source).result.failure == .source(error))
    #expect(await source.asked == 11)
  }

  @Test(
    "a source that fails is a failure",
    arguments: [FrameSourceError.Code.cameraGone, .cameraBusy, .damagedFilm, .decoderFailed])
  func aSourceThatFailsIsAFailure(_ code: FrameSourceError.Code) async throws {
    let error = FrameSourceError(code, path: "camera", message: "words")
    let source = ScriptedSource(Pictures.film(1...3) + [.error(error)])
    #expect(await Stage().controller(ScriptedReader("120"), source).result.failure == .source(error))
    await source.closed()
  }

  @Test("a camera that may not be used is denied") func aCameraThatMayNotBeUsedIsDenied() async throws {
    let error = FrameSourceError(.cameraDenied, path: "camera", message: "words")
    #expect(await Stage().controller(ScriptedReader("120"), ScriptedSource([.error(error)])).result.denial == error)
  }

  @Test("a driver that dies is a failure") func aDriverThatDiesIsAFailure() async throws {
    let reader = ScriptedReader { number, _ in
      number < 4 ? .success(Displays.reading("120")) : .failure(OCRControllerTests.fault)
    }
    let source = ScriptedSource(Pictures.film(1...30))
    #expect(await Stage().controller(reader, source).result.failure == .driver(Self.fault))
  }

  @Test("a driver that dies while it judges is a failure") func aDriverThatDiesWhileItJudgesIsA() async throws {
    let reader = ScriptedReader(verdict: { _, _ in .failure(OCRControllerTests.fault) }) { _, _ in
      .success(Displays.reading("120"))
    }
    let source = ScriptedSource(Pictures.film(1...30))
    #expect(await Stage().controller(reader, source).result.failure == .driver(Self.fault))
  }

  @Test("pictures of a film are looked at every 80 ms of the film, in order") func picturesOfAFilmAreLookedAtEvery80()
    async throws
  {
    let reader = ScriptedReader("120")
    var stage = Stage()
    var rules = ConvergenceRules()
    rules.agreeing = 1000
    stage.options.rules = rules
    let steps = (1...10).map { ScriptedSource.Step.frame(Pictures.frame($0, moment: UInt64($0) * 33_000_000)) }
    _ = await stage.controller(reader, ScriptedSource(steps + [.end])).result
    #expect(await reader.numbers == [1, 4, 7, 10])
  }

  @Test("a frame is read where the overlay lies in the preview") func aFrameIsReadWhereTheOverlayLiesIn() async throws {
    let reader = ScriptedReader("120")
    var stage = Stage()
    stage.options.scaling = .fill
    let controller = stage.controller(reader, ScriptedSource(Pictures.film(1...30)))
    controller.configure(forPreviewSize: ViewSize(width: 100, height: 100))
    let reading = try #require(await controller.result.reading)
    #expect(reading.metadata.overlayFrame == ImageBox(x: 5, y: 5, width: 90, height: 90))
    // The frame of 64 x 48 fills the square preview: 8 pixels are cut on either side.
    guard case .overlay(let box)? = await reader.frames.first?.place else {
      Issue.record("no overlay")
      return
    }
    #expect(abs(box.x - 10.4) < 1e-9 && abs(box.y - 2.4) < 1e-9 && abs(box.width - 43.2) < 1e-9)
  }

  @Test("frames of a camera on its side are turned first") func framesOfACameraOnItsSideAreTurned() async throws {
    let reader = ScriptedReader("120")
    var stage = Stage()
    stage.options.turn = .quarterTurn
    _ = await stage.controller(reader, ScriptedSource(Pictures.film(1...30))).result
    let image = await reader.frames.first?.image
    #expect(image?.width == 48 && image?.height == 64)
  }
}
