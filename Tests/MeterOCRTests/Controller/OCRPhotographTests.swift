import DriverContract
import HostPrimitives
import MeterOCR
import TestSupport
import Testing

/// Photographs and what is shown on the way.
@Suite struct OCRPhotographTests {
  private func photographs(_ numbers: Int...) -> [ScriptedSource.Step] {
    numbers.map { .frame(Pictures.frame($0, name: "\($0).jpg", isStill: true)) } + [.end]
  }

  @Test("one photograph is enough") func onePhotographIsEnough() async throws {
    let reader = ScriptedReader("120")
    let reading = try #require(await Stage().controller(reader, ScriptedSource(photographs(1))).result.reading)
    #expect(reading.texts == ["120"])
    #expect(reading.metadata.isPhotograph && reading.metadata.framesLookedAt == 1)
    let frames = await reader.frames
    #expect(frames.count == 8 && frames.allSatisfy { $0.isStill })
    #expect(Set(frames.map(\.place)).count == 8)
  }

  @Test("a second one that shows something else takes it back") func aSecondOneThatShowsSomethingElseTakesIt()
    async throws
  {
    let reader = ScriptedReader { number, _ in .success(Displays.reading(number == 1 ? "120" : "98")) }
    let result = await Stage().controller(reader, ScriptedSource(photographs(1, 2))).result
    #expect(result.noValue?.reason == .contradicting)
  }

  @Test("the picture of the reading is one that shows it") func thePictureOfTheReadingIsOneThatShows() async throws {
    let reader = ScriptedReader { number, _ in .success(Displays.reading(number == 2 ? "120" : "?")) }
    let reading = try #require(await Stage().controller(reader, ScriptedSource(photographs(1, 2, 3))).result.reading)
    #expect(reading.metadata.frame.pixels == Pictures.image(2).pixels)
  }

  @Test("a damaged one is passed over") func aDamagedOneIsPassedOver() async throws {
    let error = FrameSourceError(.damagedImage, path: "1.jpg", message: "damaged")
    let source = ScriptedSource([.error(error)] + photographs(2))
    let reading = try #require(await Stage().controller(ScriptedReader("120"), source).result.reading)
    #expect(reading.metadata.damagedPictures == 1)
  }

  @Test("not more than some are looked at") func notMoreThanSomeAreLookedAt() async throws {
    var stage = Stage()
    stage.options.mostPhotographs = 2
    let reader = ScriptedReader { number, _ in .success(Displays.reading(number == 3 ? "98" : "120")) }
    #expect(await stage.controller(reader, ScriptedSource(photographs(1, 2, 3))).result.reading?.texts == ["120"])
  }

  @Test("a reading that is less sure is held until a person confirms it") func aReadingThatIsLessSureIsHeldUntil()
    async throws
  {
    let reader = ScriptedReader { _, _ in .success(Displays.reading("120", confidence: 0.7)) }
    let reading = try #require(await Stage().controller(reader, ScriptedSource(photographs(1))).result.reading)
    #expect(reading.isHeld)
    #expect(reading.records.allSatisfy { $0.flags.contains(.held) })
    #expect(!reading.confirmed().isHeld)
    #expect(reading.confirmed().records == [Displays.record([120])])
  }

  @Test("when patience ends, the photographs that were looked at count") func patienceEndsWithWhatWasSeen() async {
    let stage = Stage()
    let source = ScriptedSource(Array(photographs(1).dropLast()))
    let controller = stage.controller(ScriptedReader("120"), source)
    var partials = controller.partials().makeAsyncIterator()
    controller.start()
    _ = await partials.next()
    // The next picture never comes.
    await source.isIdle()
    await stage.clock.someoneSleeps()
    stage.clock.advance(by: .seconds(60))
    #expect(await controller.result.reading?.texts == ["120"])
  }

  @Test("a photograph is never believed by the rules of frames") func aPhotographIsNeverBelievedByTheRulesOf()
    async throws
  {
    let reader = ScriptedReader { _, frame in
      guard case .overlay(let box) = frame.place else { return .success(Displays.reading("")) }
      return .success(Displays.reading("\(Int(box.x * 100) % 500 + 20)"))
    }
    let result = await Stage().controller(reader, ScriptedSource(photographs(1, 2, 3, 4, 5, 6, 7, 8))).result
    #expect(result.reading == nil)
  }

  @Test("what is read on the way is shown in coordinates of the preview") func whatIsReadOnTheWayIsShownIn()
    async throws
  {
    let reader = ScriptedReader { _, _ in
      .success(
        Displays.reading("120", "80", "", advice: .glare, glare: [ImageBox(x: 32, y: 0, width: 8, height: 4)]))
    }
    var stage = Stage()
    stage.layout = Displays.pressure
    let source = ScriptedSource([.frame(Pictures.frame(1))])
    let controller = stage.controller(reader, source)
    controller.configure(forPreviewSize: ViewSize(width: 640, height: 480))
    controller.start()
    var partials = controller.partials().makeAsyncIterator()
    let partial = try #require(await partials.next())
    #expect(partial.text == "120\n80\n")
    #expect(partial.advice == .glare)
    #expect(partial.glareAreas == [ImageBox(x: 320, y: 0, width: 80, height: 40)])
    #expect(partial.overlayFrame == controller.overlayFrame)
    #expect(partial.number == 1 && partial.progress == (0, 6))
    #expect(partial.crop.width > 20 && partial.crop.width < 64 && partial.crop.height <= 48)
    await controller.close()
    #expect(await partials.next() == nil)
  }

  @Test("the overlay is at zero until there is a preview, and follows its size") func theOverlayIsAtZeroUntilThereIsA()
    async throws
  {
    let controller = Stage().controller(ScriptedReader("120"), ScriptedSource())
    #expect(controller.overlayFrame == .zero)
    controller.configure(forPreviewSize: ViewSize(width: 100, height: 100))
    #expect(controller.overlayFrame == ImageBox(x: 5, y: 5, width: 90, height: 90))
    controller.configure(forPreviewSize: ViewSize(width: 200, height: 100))
    #expect(controller.overlayFrame == ImageBox(x: 55, y: 5, width: 90, height: 90))
    controller.configure(forPreviewSize: ViewSize(width: 0, height: .nan))
    #expect(controller.overlayFrame == .zero)
  }
}
