import ConsoleSupport
import MeterConsole
import TestSupport
import Testing

@Suite struct ReadingTests {
  @Test func whatIsSeenComesAsEventsAndTheOutcomeLast() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start(unit: "mmol/L")
      #expect(reading.unit == "mmol/L")
      let events = try visitor.listen(path + "/events")
      try await events.read(until: ": listening\n\n")
      reading.tell(
        reading.partial(["5."], advice: .glare, glare: [RelativeBox(x: 0.5, y: 0.25, width: 0.125, height: 0.5)]))
      let seen = try await events.read(until: "event: partial\n")
      #expect(seen.contains("Content-Type: text/event-stream"))
      let all = try await events.read(until: "\"text\":\"5.\"")
      #expect(all.contains(#""advice":"glare""#))
      #expect(all.contains(#""hint":"Light is reflected by the display."#))
      #expect(all.contains(#""glare":[{"height":0.5,"width":0.125,"x":0.5,"y":0.25}]"#))
      #expect(all.contains(#""overlay":{"#))
      reading.end(.completed(reading.result(["5.4"], crop: [1])))
      let whole = try await events.readToEnd()
      #expect(whole.contains(#"event: ended"#))
      #expect(whole.contains(#""outcome":"completed""#))
      #expect(whole.contains(#""values":[{"name":"Value","text":"5.4","unit":"mmol/L"}]"#))
    }
  }

  @Test func picturesAreFramedAndEndWithTheReading() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      let preview = try visitor.listen(path + "/preview")
      let opening = "--picture\r\nContent-Type: image/jpeg\r\n\r\n"
      let head = try await preview.read(until: opening)
      #expect(head.contains("Content-Type: multipart/x-mixed-replace; boundary=picture\r\n"))
      for text in ["first", "second", "third"] {
        reading.show(Array(text.utf8))
        // The beginning of the next part comes with the picture: it is what makes a browser show it.
        try await preview.read(until: text + "\r\n" + opening)
      }
      // Whoever comes later begins with the latest.
      try await visitor.listen(path + "/preview").read(until: "third\r\n" + opening)
      reading.end(.cancelled)
      #expect(try await preview.readToEnd().contains("\r\n--picture--\r\n\r\n0\r\n\r\n"))
    }
  }

  @Test func aReadingIsSubmittedWithItsCorrections() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start(meter: 3, unit: "mmHg")
      let early = try await visitor.post(path + "/submit", #"{"rows": ["1", "2", "3"]}"#)
      #expect(early.status == 409)
      reading.end(.completed(reading.result(["120", "80", "66"], crop: Array("jpeg".utf8))))
      _ = try await visitor.get(path + "/events")
      let crop = try await visitor.get(path + "/crop")
      #expect(crop.headers["content-type"] == "image/jpeg" && crop.body == "jpeg")
      let bad = try await visitor.post(path + "/submit", #"{"rows": ["121", "8O", ""]}"#)
      #expect(bad.status == 422)
      #expect(bad.body.contains(#""row":1"#) && bad.body.contains(#""row":2"#) && !bad.body.contains(#""row":0"#))
      let crossed = try await visitor.post(path + "/submit", #"{"rows": ["80", "121", "66"]}"#)
      #expect(crossed.status == 422)
      reading.refuse(DeskError(.failed, code: "no_session", message: "There is no session."))
      let refused = try await visitor.post(path + "/submit", #"{"rows": ["121", "80", "66"]}"#)
      #expect(refused.status == 503 && refused.body.contains("There is no session."))
      let good = try await visitor.post(path + "/submit", #"{"rows": ["121", "80", "66"]}"#)
      #expect(good.status == 200)
      #expect(good.body.contains(#"{"name":"Systolic","text":"121","unit":"mmHg"}"#))
      var submissions = reading.submissions.makeAsyncIterator()
      #expect(await submissions.next() == ["121", "80", "66"])
      // Once: whoever has lost the answer gets it again, and nobody else another reading's.
      let again = try await visitor.post(path + "/submit", #"{"rows": ["131", "80", "66"]}"#)
      #expect(again.status == 200 && again.body == good.body)
      #expect(try await visitor.post("/api/readings/another/submit", #"{"rows": ["1", "2", "3"]}"#).status == 404)
      #expect(try await visitor.get(path + "/crop").status == 404)
      var closings = console.closings.makeAsyncIterator()
      #expect(await closings.next() == .completed)
      #expect(await closings.next() == .submitted)
    }
  }

  @Test(arguments: [
    #"{"rows": []}"#, #"{"rows": ["1", "2"]}"#, #"{"rows": [1]}"#, #"{"rows": "1"}"#, "{}", #"{"rows": [null]}"#,
  ])
  func aSubmissionHasTheRowsOfTheDisplay(body: String) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      reading.end(.completed(reading.result(["5.4"], crop: [])))
      _ = try await visitor.get(path + "/events")
      #expect(try await visitor.post(path + "/submit", body).status == 400)
      #expect(try await visitor.post(path + "/submit", #"{"rows": ["5.4"]}"#).status == 200)
    }
  }

  @Test func aDiscardedReadingIsGone() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      reading.end(.completed(reading.result(["5.4"], crop: [])))
      _ = try await visitor.get(path + "/events")
      #expect(try await visitor.post(path + "/discard").status == 204)
      #expect(try await visitor.post(path + "/submit", #"{"rows": ["5.4"]}"#).status == 404)
    }
  }

  @Test func thereIsOneReadingAtATime() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, first) = try await visitor.start()
      let busy = try await visitor.post("/api/readings", #"{"meter": 2}"#)
      #expect(busy.status == 409 && busy.body.contains(#""error":"busy""#))
      first.end(.completed(first.result(["5.4"], crop: [])))
      _ = try await visitor.get(path + "/events")
      // A result that nobody wants holds nothing up.
      let (next, _) = try await visitor.start(meter: 2)
      #expect(next != path)
      #expect(try await visitor.get(path + "/crop").status == 404)
    }
  }

  @Test func otherReadingsAreNotThere() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let (path, reading) = try await visitor.start()
      for call in ["/events", "/preview", "/crop"] {
        #expect(try await visitor.get("/api/readings/0" + call).status == 404)
      }
      #expect(try await visitor.post("/api/readings/0/cancel").status == 404)
      reading.end(.cancelled)
      #expect(try await visitor.get(path + "/events").body.contains(#""outcome":"cancelled""#))
    }
  }

  @Test func anUnknownMeterIsRefused() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let reply = try await visitor.post("/api/readings", #"{"meter": 99}"#)
      #expect(reply.status == 404 && reply.body.contains("unknown_meter"))
      _ = try await visitor.start()
    }
  }
}
