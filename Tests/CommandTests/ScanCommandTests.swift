import Foundation
import TestSupport
import Testing

/// `meterhost scan` beside meters that are processes of their own.
@Suite(.timeLimit(.minutes(60))) struct ScanCommandTests {
  private func meter(_ file: String, _ sandbox: Sandbox) async throws -> Program {
    let program = try Program(["meter", "run", file], in: sandbox)
    try await program.line(with: "advertising")
    return program
  }

  private func shipped(_ name: String, _ sandbox: Sandbox) async throws -> Program {
    try await meter(try Installation.shared().meters.appending(path: name).path, sandbox)
  }

  /// A device with these bytes as its name and this 16-bit service.
  private func device(
    _ name: [UInt8], service: UInt16 = 0x1809, address: String = "C0:00:00:00:00:07", _ sandbox: Sandbox
  ) async throws -> Program {
    let services = [3, 3, UInt8(service & 0xFF), UInt8(service >> 8)]
    let raw = (services + [UInt8(name.count + 1), 9] + name).map { String(format: "%02x", $0) }.joined()
    let file = try sandbox.file(
      "device-\(UUID().uuidString.prefix(8)).json",
      #"{"name": "device", "manufacturer": "tests", "address": "\#(address)", "address_kind": "random","#
        + #" "advertisement": {"raw": "\#(raw)", "rssi": -71}, "services": []}"#)
    return try await meter(file, sandbox)
  }

  private func end(_ programs: Program...) async {
    for program in programs {
      program.interrupt()
      #expect(await program.outcome().status == 0)
    }
  }

  @Test func metersAreToldOnceWithTheirEntries() async throws {
    try await Sandbox.with { sandbox in
      let contour = try await shipped("contour-next-one.json", sandbox)
      let stranger = try await device(Array("Headset".utf8), service: 0x1844, sandbox)
      let scan = try Program(["scan", "--watch", "--json"], in: sandbox)
      try await scan.line(with: "Contour")
      let thermometer = try await device(Array("PHTM60BT".utf8), address: "C0:00:00:00:00:08", sandbox)
      let line = try Outcome.object(try await scan.line(with: "PHTM60BT"))
      #expect(line["address"] as? String == "C0:00:00:00:00:08" && line["address_kind"] as? String == "random")
      #expect(line["rssi"] as? Int == -71 && line["services"] as? [String] == ["1809"])
      #expect(line["paired"] as? Bool == false && (line["company_ids"] as? [Int])?.isEmpty == true)
      let entries = try #require(line["entries"] as? [[String: Any]])
      #expect(entries.map { $0["id"] as? Int } == [1, 10354, 4000])
      #expect(entries.map { $0["reason"] as? String } == ["chosen", "may_be", "fits"])
      #expect(entries.map { $0["type"] as? String } == Array(repeating: "thermometer", count: 3))
      scan.interrupt()
      let done = await scan.outcome()
      #expect(done.status == 0 && done.err.isEmpty, "\(done.err)")
      // Each advertises many times a second.
      #expect(try done.objects().count == 2 && !done.out.contains("Headset"), "\(done.out)")
      await end(contour, stranger, thermometer)
    }
  }

  @Test func theTableHasTheStrongestFirst() async throws {
    try await Sandbox.with { sandbox in
      let contour = try await shipped("contour-next-one.json", sandbox)
      let weak = try await device(Array("Weak".utf8), sandbox)
      let stranger = try await device(
        Array("Headset".utf8), service: 0x1844, address: "C0:00:00:00:00:09", sandbox)
      var timeout = 0.5
      var scan: Outcome
      repeat {
        // A busy machine takes longer until all were heard.
        timeout *= 2
        scan = try await Program.run(["scan", "--timeout", "\(timeout)"], in: sandbox)
      } while !["Contour", "Weak"].allSatisfy(scan.out.contains) || !scan.err.contains("other device")
      #expect(scan.status == 0)
      #expect(scan.lines.count == 3 && scan.lines[0].hasPrefix("ADDRESS"), "\(scan.out)")
      #expect(scan.lines[1].contains("Contour") && scan.lines[2].contains("Weak"), "\(scan.out)")
      #expect(scan.err.contains("1 other device in the air"), "\(scan.err)")
      let all = try await Program.run(["scan", "--all", "--timeout", "\(timeout)"], in: sandbox)
      #expect(all.status == 0 && all.lines.first?.hasPrefix("ADDRESS") == true && !all.err.contains("other device"))
      await end(contour, weak, stranger)
    }
  }

  @Test func aScanThatIsInterruptedBeforeItsTimeSaysSo() async throws {
    try await Sandbox.with { sandbox in
      let scan = try Program(["scan", "--timeout", "3600"], in: sandbox)
      try await scan.line(with: "listening", on: .err)
      scan.interrupt()
      let done = await scan.outcome()
      #expect(done.status == 130 && !done.isSignalled && done.err.contains("interrupted"), "\(done.err)")
    }
  }

  @Test func namesFromTheAirDoNotReachTheTerminalAsTheyAre() async throws {
    try await Sandbox.with { sandbox in
      // ESC, a line feed, C1's CSI, DEL, an override of the reading direction, and what nobody sees.
      let name = Array("A\u{1B}[31m\nB\u{9B}2J\u{7F}\u{202E}\u{200B}\u{FEFF}Z".utf8) + [0xFF]
      let hostile = try await device(name, sandbox)
      for options in [["--json"], []] {
        let scan = try Program(["scan", "--watch"] + options, in: sandbox)
        let line = try await scan.line(with: "C0:00:00:00:00:07")
        #expect(line.contains("A") && line.contains("Z"), "\(line)")
        scan.interrupt()
        let done = await scan.outcome()
        #expect(done.lines.count == 1, "\(done.out)")
        let unseen = done.out.unicodeScalars.filter {
          [.control, .format].contains($0.properties.generalCategory) && $0 != "\n"
        }
        #expect(unseen.isEmpty, "\(done.out.debugDescription)")
      }
      await end(hostile)
    }
  }

  @Test func aMeterThatSaysSomethingElseIsToldAgain() async throws {
    try await Sandbox.with { sandbox in
      let scan = try Program(["scan", "--watch", "--json"], in: sandbox)
      for name in ["First", "Second"] {
        let meter = try await device(Array(name.utf8), sandbox)
        try await scan.line(with: name)
        await end(meter)
      }
      scan.interrupt()
      #expect(try await scan.outcome().objects().compactMap { $0["name"] as? String } == ["First", "Second"])
    }
  }

  @Test func filtersChooseByWhatAMeterMayBe() async throws {
    try await Sandbox.with { sandbox in
      let contour = try await shipped("contour-next-one.json", sandbox)
      let thermometer = try await device(Array("PHTM60BT".utf8), sandbox)
      let cases = [
        (["--peripheral", "1000"], "Contour", "PHTM60BT"), (["--type", "thermometer"], "PHTM60BT", "Contour"),
        (["--peripheral", "4000", "--type", "thermometer"], "PHTM60BT", "Contour"),
      ]
      for (options, wanted, other) in cases {
        let scan = try Program(["scan", "--watch", "--json"] + options, in: sandbox)
        try await scan.line(with: wanted)
        scan.interrupt()
        let done = await scan.outcome()
        #expect(done.lines.count == 1 && !done.out.contains(other), "\(done.out)")
      }
      await end(contour, thermometer)
      for (id, status, code) in [("4711", 64, "unknown_peripheral"), ("33", 69, "driver_unavailable")] {
        let refused = try await Program.run(["scan", "--peripheral", id, "--json"], in: sandbox)
        #expect(refused.status == status)
        #expect(try refused.jsonError()["code"] as? String == code)
      }
    }
  }

  @Test func aMeterThatNothingReadsIsNamed() async throws {
    try await Sandbox.with { sandbox in
      let kinsa = try await device(Array("Kinsa QuickCare".utf8), service: 0x180A, sandbox)
      let scan = try Program(["scan", "--watch", "--peripheral", "10600"], in: sandbox)
      #expect(
        try await scan.line(with: "Kinsa QuickCare").contains("Kinsa smart thermometer (10600), which is not read"))
      await end(scan, kinsa)
    }
  }

  @Test func nothingHeardIsStatus75WithAHint() async throws {
    try await Sandbox.with { sandbox in
      let silent = try await Program.run(["scan", "--timeout", "0.2", "--json"], in: sandbox)
      #expect(silent.status == 75 && silent.out.isEmpty)
      let error = try silent.jsonError()
      #expect(error["code"] as? String == "no_meter_heard")
      #expect((error["hint"] as? String)?.contains("wake the meter up") == true)
      let text = try await Program.run(["scan", "--timeout", "0.2", "--peripheral", "1000"], in: sandbox)
      #expect(text.status == 75 && text.out.isEmpty && text.err.contains("hint: "), "\(text.err)")
    }
  }

  @Test func aScanGoesThroughTheServiceBesideARead() async throws {
    try await Sandbox.with { sandbox in
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      let read = try Program(["read", "4000", "--timeout", "3600", "--json"], in: sandbox)
      try await read.line(with: "started")
      let contour = try await shipped("contour-next-one.json", sandbox)
      let scan = try Program(["scan", "--watch", "--json"], in: sandbox)
      try await scan.line(with: "Contour")
      await end(scan)
      let waiting = try Program(["scan", "--timeout", "3600", "--type", "heart_rate"], in: sandbox)
      try await waiting.line(with: "listening", on: .err)
      waiting.interrupt()
      #expect(await waiting.outcome().status == 130)
      read.interrupt()
      #expect(await read.outcome().status == 130)
      await end(contour, service)
    }
  }
}
