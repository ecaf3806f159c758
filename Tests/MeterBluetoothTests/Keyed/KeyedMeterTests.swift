import Foundation
import MeterDrivers
import Testing
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterCore
import TestSupport

/// A meter with pairing, a key of its own, a licence and encrypted readings, from the first question to the last record.
@Suite("The keyed test meter", .jumpingTime, .timeLimit(.minutes(60)))
struct KeyedMeterTests {

  private func with(_ bench: KeyedBench, _ body: (KeyedBench) async throws -> Void) async throws {
    let result: Result<Void, any Error>
    do { result = .success(try await body(bench)) } catch { result = .failure(error) }
    await bench.end()
    try result.get()
  }

  @Test(arguments: [DriverHostConfiguration.Isolation.worker, .inProcess])
  func pairsAsksForTheKeyAndReads(_ isolation: DriverHostConfiguration.Isolation) async throws {
    try await with(try KeyedBench(isolation: isolation)) { bench in
      let (paired, questions) = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
      #expect(
        paired.words == ["started", "question", "connected", "question", "paired", "completed"],
        "\(paired.words) \(paired.error?.message ?? "")")
      #expect(questions.map(\.kind) == [.passkey, .hexKey] && questions.map(\.isSecret) == [false, true])
      #expect(questions.last?.lengths == 32...32)
      let meters = try bench.bench.controller.pairedMeters()
      #expect(meters.map(\.name) == ["KT-0001"] && meters.map(\.peripheral) == [KeyedBench.peripheral])
      #expect(try bench.keysOfMeters.map(\.scope) == meters.map { .meter($0.uuid) })

      let (first, asked) = try await bench.read()
      #expect(first.end == "completed", "\(first.words) \(first.error?.message ?? "")")
      #expect(asked.isEmpty)
      // Three readings for the user; the control solution is kept and never delivered, the failed strip is no record.
      #expect(try bench.bench.readings.filter { $0.state == .pending }.map(\.value) == [2.4, 3.1, 2.8])
      #expect(try bench.bench.readings.count == 4)
      let (second, _) = try await bench.read()
      #expect(second.end == "completed" && second.summary.records.isEmpty && second.summary.duplicates == 0)

      try await bench.bench.controller.forgetMeter(try #require(meters.first).uuid)
      #expect(try bench.keysOfMeters.isEmpty && bench.bench.controller.pairedMeters().isEmpty)
      let (third, _) = try await bench.read()
      #expect(third.error?.code == .notPaired, "\(third.words)")
    }
  }

  @Test func aShortTagServesAsWell() async throws {
    let bench = try KeyedBench { $0.replacing(#""tag_length": 8"#, with: #""tag_length": 4"#) }
    try await with(bench) { bench in
      _ = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
      let (result, _) = try await bench.read()
      #expect(result.summary.records.count == 4, "\(result.words) \(result.error?.message ?? "")")
    }
  }

  @Test func anUnpairedMeterIsRefusedUnlessPairingIsAskedFor() async throws {
    try await with(try KeyedBench()) { bench in
      try bench.storeKey()
      let (refused, questions) = try await bench.read()
      #expect(refused.error?.code == .notPaired && questions.isEmpty, "\(refused.words)")
      let (read, asked) = try await bench.read(
        [KeyedBench.passkey],
        options: .with {
          $0.answersQuestions = true
          $0.pairs = true
        })
      #expect(read.end == "completed" && asked.map(\.kind) == [.passkey], "\(read.error?.message ?? "")")
      #expect(read.summary.records.count == 4 && read.words.contains("paired"), "\(read.words)")
      // What a read has paired is listed and forgotten as any other.
      let meters = try bench.bench.controller.pairedMeters()
      #expect(meters.map(\.name) == ["KT-0001"])
      try await bench.bench.controller.forgetMeter(try #require(meters.first).uuid)
      let (again, _) = try await bench.read()
      #expect(again.error?.code == .notPaired, "\(again.words)")
    }
  }

  @Test func aBadAnswerIsAskedAgainWithTheReason() async throws {
    try await with(try KeyedBench()) { bench in
      let answers = [
        "12345", "12345x", KeyedBench.passkey, "8f1d", "not hex at all, and just as long!!",
        String(KeyedBench.key.dropLast()),
        KeyedBench.key.uppercased(),
      ]
      let (result, questions) = try await bench.pair(answers)
      #expect(result.end == "completed", "\(result.words) \(result.error?.message ?? "")")
      let problems = questions.map { $0.problem ?? "" }
      #expect(
        problems[0] == "" && problems[1].contains("5 digits; 6 are wanted") && problems[2].contains("not a number"))
      #expect(problems[3] == "" && problems[4].contains("4 digits; 32") && problems[5].contains("no key"))
      #expect(Set(questions.map(\.id)).count == questions.count)
      #expect(!problems.joined().contains("8f1d"))
    }
  }

  @Test func aWrongPasskeyFailsAndLeavesNoBond() async throws {
    try await with(try KeyedBench()) { bench in
      let (result, _) = try await bench.pair(["000000"])
      #expect(result.error?.code == .pairingFailure, "\(result.words)")
      let (again, _) = try await bench.read()
      #expect(again.error?.code == .notPaired || again.error?.code == .keyMissing)
      #expect(try bench.bench.controller.pairedMeters().isEmpty)
    }
  }

  @Test func aMeterOutsideItsPairingModeIsNamed() async throws {
    try await with(try KeyedBench()) { bench in
      bench.meter.setPairingMode(false)
      let (result, questions) = try await bench.pair([])
      #expect(result.error?.code == .pairingFailure && questions.isEmpty)
      #expect(result.error?.message.contains("pairing mode") == true)
      bench.meter.setPairingMode(true)
      let (second, _) = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
      #expect(second.end == "completed", "\(second.error?.message ?? "")")
    }
  }

  @Test func aMeterThatLostItsBondIsPairedAgain() async throws {
    try await with(try KeyedBench()) { bench in
      _ = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
      bench.meter.forgetBonds()
      let (refused, _) = try await bench.read()
      #expect(refused.error?.code == .notPaired, "\(refused.words)")
      let (paired, _) = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
      #expect(paired.end == "completed", "\(paired.error?.message ?? "")")
      let (read, _) = try await bench.read()
      #expect(read.end == "completed" && read.summary.records.count == 4)
    }
  }

  @Test func aRefusedOrCancelledPairingIsAFailedOne() async throws {
    try await with(try KeyedBench()) { bench in
      let (refused, _) = try await bench.pair([nil])
      #expect(refused.error?.code == .cancelled, "\(refused.words)")
      let (noKey, _) = try await bench.pair([KeyedBench.passkey, nil])
      #expect(noKey.error?.code == .cancelled, "\(noKey.words)")
      // Paired by now; the question for the key is open when the person gives up.
      let (cancelled, _) = try await bench.pair([])
      #expect(cancelled.error?.code == .cancelled, "\(cancelled.words)")
      #expect(try bench.keysOfMeters.isEmpty)
    }
  }

  @Test func withNobodyToAskTheDriverHearsSo() async throws {
    try await with(try KeyedBench()) { bench in
      let (unpaired, questions) = try await bench.pair([], options: .vouched)
      #expect(unpaired.error?.code == .answerNeeded && questions.isEmpty, "\(unpaired.words)")
      _ = try await bench.pair([KeyedBench.passkey, nil])
      let (result, asked) = try await bench.pair([], options: .vouched)
      #expect(result.error?.code == .keyMissing && asked.isEmpty, "\(result.words)")
    }
  }

  @Test func aWrongKeyIsNotKeptAndTheOldOneStays() async throws {
    try await with(try KeyedBench()) { bench in
      let wrong = String(KeyedBench.key.reversed())
      let (first, _) = try await bench.pair([KeyedBench.passkey, wrong])
      #expect(first.error?.code == .keyWrong, "\(first.words)")
      #expect(try bench.keysOfMeters.isEmpty)
      _ = try await bench.pair([KeyedBench.key])
      let (second, _) = try await bench.pair([wrong])
      #expect(second.error?.code == .keyWrong)
      let (read, _) = try await bench.read()
      #expect(read.end == "completed" && read.summary.records.count == 4, "\(read.error?.message ?? "")")
    }
  }

  @Test func aPairingThatBreaksOffLeavesTheKeyThatWorks() async throws {
    let wrong = String(KeyedBench.key.reversed())
    var brokeOff = 0
    for count in 2...11 {
      let bench = try KeyedBench { script in
        script.replacing(
          #""mtu": 64"#,
          with: #""mtu": 64, "faults": [{"kind": "disconnect-after-pdu", "count": \#(count), "only_connection": 2}]"#)
      }
      try await with(bench) { bench in
        _ = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
        let (broken, _) = try await bench.pair([wrong])
        #expect(broken.error != nil, "\(count): \(broken.words)")
        if broken.error?.code != .keyWrong { brokeOff += 1 }
        let (read, _) = try await bench.read()
        #expect(read.end == "completed" && read.summary.records.count == 4, "\(count): \(read.error?.message ?? "")")
      }
    }
    #expect(brokeOff > 3, "the link never broke while the key was in question")
  }

  @Test func aMissingKeyIsNamedBeforeTheDriverRuns() async throws {
    try await with(try KeyedBench()) { bench in
      _ = try await bench.pair([KeyedBench.passkey, nil])
      let (result, _) = try await bench.read()
      #expect(result.error?.code == .keyMissing, "\(result.words)")
      #expect(result.error?.message.contains("meterhost key set 10500 meter-key --meter") == true)
    }
  }

  @Test func aMissingLicenceIsNamedBeforeTheRadioIsTouched() async throws {
    try await with(try KeyedBench(licence: nil)) { bench in
      let error = #expect(throws: BluetoothError.self) {
        try bench.bench.controller.read(peripheral: KeyedBench.peripheral)
      }
      #expect(error?.code == .licenceMissing)
      #expect(error?.message.contains("meterhost key set 10500 keyed-meter.license") == true)
      #expect(bench.meter.counters.connections == 0)
    }
  }

  static let licences: [(name: String, bytes: [UInt8], words: String)] = {
    var damaged = Licence().bytes
    damaged[50] ^= 1
    return [
      ("expired", Licence(expires: "2020-02-29").bytes, "expired"),
      ("of another product", Licence(product: "org.example.other").bytes, "another product"),
      ("damaged", damaged, "damaged"), ("cut off", Array(Licence().bytes.dropLast()), "damaged"),
      ("without an expiry", Licence(expires: "never").bytes, "damaged"),
      ("longer than any", Licence().bytes + [UInt8](repeating: 10, count: 60_000), "damaged"),
      ("a forgery", Array("meterhost-licence 1\nmac: \n".utf8), "damaged"),
    ]
  }()

  @Test(arguments: licences.indices)
  func aLicenceThatIsNotGoodIsRefused(_ index: Int) async throws {
    let licence = Self.licences[index]
    try await with(try KeyedBench(licence: licence.bytes)) { bench in
      _ = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
      let (result, _) = try await bench.read()
      #expect(result.error?.code == .licenceMissing, "\(licence.name): \(result.words)")
      #expect(result.error?.message.contains(licence.words) == true, "\(result.error?.message ?? "")")
      #expect(try bench.bench.readings.isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func aLinkThatDropsAtAnyPDULosesAndDoublesNothing(_ isDeletedOnAcknowledgement: Bool) async throws {
    for count in 1...20 {
      let bench = try KeyedBench { script in
        script.replacing(
          #""mtu": 64"#,
          with: #""mtu": 64, "faults": [{"kind": "disconnect-after-pdu", "count": \#(count), "only_connection": 2}]"#
        ).replacing(
          #""tag_length": 8"#, with: #""tag_length": 8, "delete_on_acknowledgement": \#(isDeletedOnAcknowledgement)"#)
      }
      try await with(bench) { bench in
        let (paired, _) = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
        #expect(paired.end == "completed", "\(count): \(paired.words) \(paired.error?.message ?? "")")
        let (first, _) = try await bench.read()
        let (second, _) = try await bench.read()
        #expect(second.end == "completed", "\(count): \(first.words) \(second.error?.message ?? "")")
        let values = try bench.bench.readings.map(\.value).sorted()
        #expect(values == [1.2, 2.4, 2.8, 3.1], "\(count): \(values)")
      }
    }
  }

  @Test func theKeyIsNeverOutsideTheHost() async throws {
    // The meter takes its time, which stands still while the worker is looked at: it is still there.
    let bench = try KeyedBench { script in
      script.replacing(
        #""mtu": 64"#, with: #""mtu": 64, "faults": [{"kind": "delay", "milliseconds": 500, "on": "notification"}]"#)
    }
    try await with(bench) { bench in
      _ = try await bench.pair([KeyedBench.passkey, KeyedBench.key])
      var scanned = 0
      var dumped = ""
      let events = try bench.bench.controller.read(peripheral: KeyedBench.peripheral, options: .asking)
      for await event in events {
        dump(event, to: &dumped)
        guard case .shouldSubmit = event else { continue }
        for worker in ProcessMemory.workers() {
          guard let memory = ProcessMemory.contents(of: worker) else { continue }
          scanned += 1
          #expect(memory.allSatisfy { !$0.holds(KeyedBench.keyBytes) }, "the key is in the worker's memory")
          #expect(memory.allSatisfy { !$0.holds(Array(KeyedBench.key.utf8)) })
        }
      }
      #expect(scanned > 0, "no worker was looked at")
      #expect(!dumped.contains(KeyedBench.key))
      let state = bench.store.folder
      let files = FileManager.default.enumerator(at: state, includingPropertiesForKeys: nil)?.allObjects ?? []
      for case let file as URL in files
      where (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true {
        let content = Array(try Data(contentsOf: file))
        #expect(!content.holds(KeyedBench.keyBytes), "\(file.lastPathComponent)")
        #expect(!content.holds(Array(KeyedBench.key.utf8)), "\(file.lastPathComponent)")
      }
    }
  }
}

/// The memory of this process's workers.
enum ProcessMemory {
  static func workers() -> [Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(Int.init).filter { pid in
      guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
      let fields = status.split(separator: " ")
      return status.contains("(meterhost-worke") && fields.count > 3 && Int(fields[3]) == Int(getpid())
    }
  }

  /// The writable memory of a process; nil when it has gone.
  static func contents(of pid: Int) -> [[UInt8]]? {
    guard let maps = try? String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8),
      let file = FileHandle(forReadingAtPath: "/proc/\(pid)/mem")
    else { return nil }
    defer { try? file.close() }
    var parts: [[UInt8]] = []
    for line in maps.split(separator: "\n") where line.contains(" rw") {
      let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard range.count == 2, range[1] - range[0] <= 256 << 20, (try? file.seek(toOffset: range[0])) != nil,
        let data = try? file.read(upToCount: Int(range[1] - range[0]))
      else { continue }
      parts.append(Array(data))
    }
    return parts.isEmpty ? nil : parts
  }
}

extension [UInt8] {
  func holds(_ needle: [UInt8]) -> Bool { Data(self).range(of: Data(needle)) != nil }
}
