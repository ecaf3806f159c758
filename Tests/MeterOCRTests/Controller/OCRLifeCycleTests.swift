import DriverContract
import HostPrimitives
import MeterOCR
import TestSupport
import Testing

/// Beginning, giving up and letting go, at every moment.
@Suite struct OCRLifeCycleTests {
  @Test("nothing is asked of the source before the start") func nothingIsAskedOfTheSourceBeforeTheStart() async throws {
    let source = ScriptedSource(Pictures.film(1...30))
    let controller = Stage().controller(ScriptedReader("120"), source)
    #expect(await source.asked == 0)
    controller.start()
    controller.start()
    #expect(await controller.result.reading != nil)
  }

  @Test("giving up before the start") func givingUpBeforeTheStart() async throws {
    let source = ScriptedSource(Pictures.film(1...30))
    let controller = Stage().controller(ScriptedReader("120"), source)
    await controller.cancel()
    #expect(await source.isClosed)
    #expect(await controller.result.isCancelled)
    #expect(await source.asked == 0)
  }

  @Test("giving up while the source is waited for") func givingUpWhileTheSourceIsWaitedFor() async throws {
    let source = ScriptedSource()
    let controller = Stage().controller(ScriptedReader("120"), source)
    controller.start()
    await source.isIdle()
    await controller.cancel()
    #expect(await controller.result.isCancelled)
    #expect(await source.closings == 1)
  }

  @Test("giving up during a look") func givingUpDuringALook() async throws {
    let (reader, source) = (ScriptedReader("120", isHeldUp: true), ScriptedSource())
    let controller = Stage().controller(reader, source)
    controller.start()
    await source.put(.frame(Pictures.frame(1, name: nil)))
    await reader.looks()
    await controller.cancel()
    #expect(await controller.result.isCancelled)
    #expect(await source.isClosed)
    await reader.release()
    #expect(await controller.result.isCancelled)
  }

  @Test("giving up during a look at a photograph") func givingUpDuringALookAtAPhotograph() async throws {
    let reader = ScriptedReader("120", isHeldUp: true)
    let source = ScriptedSource([.frame(Pictures.frame(1, isStill: true))])
    let controller = Stage().controller(reader, source)
    controller.start()
    await reader.looks()
    await controller.cancel()
    await reader.release()
    #expect(await controller.result.isCancelled)
    #expect(await reader.frames.count == 1)
  }

  @Test("a result stays what it is when the controller is closed") func aResultStaysWhatItIsWhenTheController()
    async throws
  {
    let source = ScriptedSource(Pictures.film(1...30))
    let controller = Stage().controller(ScriptedReader("120"), source)
    #expect(await controller.result.reading != nil)
    await controller.close()
    await controller.cancel()
    #expect(await controller.result.reading != nil)
    #expect(await source.closings == 1)
  }

  @Test("several may wait for the result") func severalMayWaitForTheResult() async throws {
    let controller = Stage().controller(ScriptedReader("120"), ScriptedSource(Pictures.film(1...30)))
    async let one = controller.result
    async let two = controller.result
    #expect(await one.reading?.id == controller.id)
    #expect(await two.reading?.id == controller.id)
  }

  @Test("the preview goes on behind the result") func thePreviewGoesOnBehindTheResult() async throws {
    let (reader, source) = (ScriptedReader("120"), ScriptedSource(Pictures.film(1...30)))
    let controller = Stage().controller(reader, source)
    #expect(await controller.result.reading != nil)
    let looks = await reader.frames.count
    await source.isIdle()
    var previews = controller.previews().makeAsyncIterator()
    let latest = await previews.next()
    #expect(latest?.number == 30)
    await source.put(.frame(Pictures.frame(31)))
    #expect(await previews.next()?.number == 31)
    #expect(await source.isClosed == false)
    #expect(await reader.frames.count == looks)
    await controller.close()
    #expect(await previews.next() == nil)
    #expect(await source.isClosed)
  }

  @Test("a controller that is let go gives the camera back") func aControllerThatIsLetGoGivesTheCamera() async throws {
    let source = ScriptedSource()
    do {
      let controller = Stage().controller(ScriptedReader("120"), source)
      controller.start()
      await source.isIdle()
    }
    await source.closed()
    #expect(await source.isClosed)
  }

  @Test("a controller that is let go during a look gives the camera back")
  func aControllerThatIsLetGoDuringALookGivesTheCameraBack() async throws {
    let (reader, source) = (ScriptedReader("120", isHeldUp: true), ScriptedSource())
    do {
      let controller = Stage().controller(reader, source)
      controller.start()
      await source.put(.frame(Pictures.frame(1, name: nil)))
      await reader.looks()
    }
    await source.closed()
    #expect(await source.closings == 1)
    await reader.release()
  }

  @Test("a controller that is let go behind its result gives the camera back")
  func aControllerThatIsLetGoBehindItsResultGivesTheCameraBack() async throws {
    let source = ScriptedSource(Pictures.film(1...30))
    do {
      let controller = Stage().controller(ScriptedReader("120"), source)
      #expect(await controller.result.reading != nil)
      await source.isIdle()
      #expect(await source.isClosed == false)
    }
    await source.closed()
    #expect(await source.closings == 1)
  }

  /// However the pictures end, nobody needs the camera any more.
  @Test(
    "the end of the pictures gives the camera back",
    arguments: [
      [ScriptedSource.Step.end], Pictures.film(1...2) + [.end], Pictures.film(1...30) + [.end],
      [.error(FrameSourceError(.cameraDenied, path: "/dev/video0", message: "denied"))],
      [.error(FrameSourceError(.cameraGone, path: "/dev/video0", message: "gone"))],
      Pictures.film(1...2) + [.error(FrameSourceError(.cameraGone, path: "/dev/video0", message: "gone"))],
    ])
  func theEndOfThePicturesGivesTheCameraBack(_ steps: [ScriptedSource.Step]) async throws {
    let source = ScriptedSource(steps)
    let controller = Stage().controller(ScriptedReader("120"), source)
    controller.start()
    await source.closed()
    #expect(await source.closings == 1)
    #expect(await controller.result.isCancelled == false)
    await controller.close()
    #expect(await source.closings == 1)
  }

  @Test("listeners end when the controller is let go") func listenersEndWhenTheControllerIsLetGo() async throws {
    let source = ScriptedSource()
    let previews: AsyncStream<OCRPreview>
    let partials: AsyncStream<OCRPartial>
    do {
      let controller = Stage().controller(ScriptedReader("120"), source)
      previews = controller.previews()
      partials = controller.partials()
      controller.start()
      await source.isIdle()
    }
    for await _ in previews {}
    for await _ in partials {}
    await source.closed()
    #expect(await source.isClosed)
  }

  @Test("a controller that was never started gives the camera back") func aControllerThatWasNeverStartedGivesTheCamera()
    async throws
  {
    let source = ScriptedSource()
    do { _ = Stage().controller(ScriptedReader("120"), source) }
    await source.closed()
    #expect(await source.isClosed)
  }

  @Test("a camera that gives nothing exhausts patience") func aCameraThatGivesNothingExhaustsPatience() async throws {
    let (stage, source) = (Stage(), ScriptedSource())
    let controller = stage.controller(ScriptedReader("120"), source)
    controller.start()
    await stage.clock.someoneSleeps()
    stage.clock.advance(by: .seconds(60))
    #expect(await controller.result.noValue?.reason == .noFrames)
  }

  @Test("a look that does not come back exhausts patience") func aLookThatDoesNotComeBackExhaustsPatience() async throws
  {
    let (stage, source) = (Stage(), ScriptedSource([.frame(Pictures.frame(1))]))
    let reader = ScriptedReader("120", isHeldUp: true)
    let controller = stage.controller(reader, source)
    controller.start()
    await reader.looks()
    await stage.clock.someoneSleeps()
    stage.clock.advance(by: .seconds(60))
    #expect(await controller.result.noValue != nil)
    await reader.release()
  }

  @Test("frames of a camera that come during a look are shown and not queued") func framesOfACameraThatComeDuringALook()
    async throws
  {
    let (reader, source) = (ScriptedReader("120", isHeldUp: true), ScriptedSource())
    let controller = Stage().controller(reader, source)
    controller.start()
    await source.put(.frame(Pictures.frame(1, name: nil)))
    await reader.looks()
    for number in 2...9 { await source.put(.frame(Pictures.frame(number, name: nil))) }
    await source.isIdle()
    var previews = controller.previews().makeAsyncIterator()
    #expect(await previews.next()?.number == 9)
    var partials = controller.partials().makeAsyncIterator()
    await reader.release()
    #expect(await partials.next()?.number == 1)
    // The look has ended before its task says so: put frames until one is looked at.
    var number = 9
    while await reader.frames.count < 2 {
      number += 1
      await source.put(.frame(Pictures.frame(number, name: nil)))
      await source.isIdle()
    }
    let numbers = await reader.numbers
    #expect(numbers.count == 2 && (10...number).contains(numbers.last ?? 0))
    await controller.close()
    await reader.release()
  }
}
