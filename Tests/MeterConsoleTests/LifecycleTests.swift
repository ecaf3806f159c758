import ConsoleSupport
import MeterConsole
import TestSupport
import Testing

@Suite struct LifecycleTests {
  private let denied = DeskError(
    .cameraDenied, code: "camera_denied", message: "This user may not use the camera; add the user to the group video.")

  @Test func cancelEndsTheReading() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      let events = try visitor.listen(path + "/events")
      try await events.read(until: ": listening")
      #expect(try await visitor.post(path + "/cancel").status == 204)
      guard case .cancelled = await reading.outcome() else { return #expect(Bool(false), "not cancelled") }
      #expect(try await events.readToEnd().contains(#"data: {"outcome":"cancelled"}"#))
      // Again does no harm.
      #expect(try await visitor.post(path + "/cancel").status == 204)
      var closings = console.closings.makeAsyncIterator()
      #expect(await closings.next() == .cancelled)
      _ = try await visitor.start()
    }
  }

  @Test func aClientThatGoesAwayGivesTheCameraBack() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      let (first, second) = (try visitor.listen(path + "/events"), try visitor.listen(path + "/events"))
      try await first.read(until: ": listening")
      try await second.read(until: ": listening")
      first.close()
      // The other one still listens.
      reading.tell(reading.partial(["5.4"]))
      try await second.read(until: "event: partial")
      second.close()
      guard case .cancelled = await reading.outcome() else { return #expect(Bool(false), "not cancelled") }
      _ = try await visitor.start()
    }
  }

  @Test func aReadingThatNobodyListensToEnds() async throws {
    try await withConsole(patience: .milliseconds(1)) { console in
      let visitor = try await console.visit()
      let (_, reading) = try await visitor.start()
      guard case .cancelled = await reading.outcome() else { return #expect(Bool(false), "not cancelled") }
    }
  }

  @Test func aDeniedCameraIsToldWithItsCure() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      console.desk.refuse(denied)
      let atOnce = try await visitor.post("/api/readings", #"{"meter": 1}"#)
      #expect(atOnce.status == 503)
      #expect(atOnce.body.contains(#""error":"denied""#) && atOnce.body.contains("the group video"))
      let (path, reading) = try await visitor.start()
      // It may end before the page listens.
      reading.end(.failed(denied))
      let events = try await visitor.get(path + "/events").body
      #expect(events.contains(#""outcome":"denied""#) && events.contains("the group video"))
      var closings = console.closings.makeAsyncIterator()
      #expect(await closings.next() == .denied)
      _ = try await visitor.start()
    }
  }

  @Test func anotherFailureIsToldToo() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      reading.end(.failed(DeskError(.failed, code: "camera_gone", message: "The camera was unplugged.")))
      let events = try await visitor.get(path + "/events").body
      #expect(events.contains(#"{"code":"camera_gone","message":"The camera was unplugged.","outcome":"failed"}"#))
      #expect(try await visitor.post(path + "/submit", #"{"rows": ["1"]}"#).status == 409)
    }
  }

  @Test func stoppingTheViewEndsTheReadingAndItsStreams() async throws {
    let (reading, events) = try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      let events = try visitor.listen(path + "/events")
      try await events.read(until: ": listening")
      return (reading, events)
    }
    guard case .cancelled = await reading.outcome() else { return #expect(Bool(false), "not cancelled") }
    #expect(try await events.readToEnd().contains(": listening"))
  }

  @Test func watchersHaveSeats() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      var watching: [OpenConnection] = []
      for _ in 0..<4 {
        let one = try visitor.listen(path + "/preview")
        try await one.read(until: "--picture")
        watching.append(one)
      }
      #expect(try await visitor.get(path + "/preview").status == 429)
      reading.end(.cancelled)
      for one in watching { _ = try await one.readToEnd() }
    }
  }

  @Test func aPortInUseIsATypedError() async throws {
    try await withConsole { console in
      let other = ReadingConsole(
        desk: ScriptedDesk(), configuration: ReadingConsoleConfiguration(port: console.port))
      let error = await #expect(throws: ConsoleError.self) { try await other.run { _ in } }
      #expect(error?.code == .cannotListen)
    }
  }
}
