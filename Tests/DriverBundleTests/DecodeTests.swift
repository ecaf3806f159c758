import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct DecodeTests {
  @Test(arguments: Plugin.all)
  func everyVectorDecodesToItsValues(plugin: Plugin) throws {
    let host = try TestHost(bundle: plugin.bundle)
    let codes = try DriverCodes.load(driver: text(host.driver.id))
    let dictionary = try MetricNames.load(codes)
    #expect(plugin.vectors.count >= 15)
    for vector in plugin.vectors {
      let outcome = host.decode(vector, try codes.opening(vector))
      let expected = vector.records ?? []
      #expect(outcome.status == vector.status, "\(vector)")
      #expect(outcome.records.count == expected.count, "\(vector)")
      for (record, wanted) in zip(outcome.records, expected) {
        #expect(dictionary.values(record) == wanted.values, "\(vector)")
        #expect(timestamp(record) == wanted.timestamp, "\(vector)")
        #expect(record.sequence == wanted.sequence ?? mh_seq_none(), "\(vector)")
        let kinds: [String: UInt32] = ["measurement": 1, "context": 2, "device_info": 3, "diagnostic": 4]
        if let kind = wanted.kind { #expect(record.kind == kinds[kind], "\(vector)") }
        #expect(record.deviceUser == vector.device_user, "\(vector)")
        if let provisional = vector.provisional {
          #expect((record.flags & MH_REC_PROVISIONAL != 0) == provisional, "\(vector)")
        }
      }
    }
  }

  /// The bundles that the repository is known to have: a folder that is lost would be tested as little as one that never
  /// was.
  @Test func noBundleIsMissing() {
    let names = Set(Plugin.all.map(\.folder))
    #expect(names.isSuperset(of: ["BloodPressure", "Glucose", "HeartRate", "MiScale", "Thermometer"]))
  }

  @Test func exactDecimalsKeepTheMetersDigits() throws {
    let host = try TestHost(bundle: "glucose")
    let thermometer = try TestHost(bundle: "thermometer")
    func primary(_ host: TestHost, _ id: String, _ vectors: [Vector]) throws -> TestValue {
      let vector = try #require(vectors.first { $0.id == id })
      return try #require(host.decode([(vector.uuid, vector.bytes)])[0].records.first?.values.first)
    }
    let guide = try primary(host, "gls-guide-15", Vector.glucose)
    #expect(guide.raw == 111 && guide.exponent == 0)
    let mole = try primary(host, "gls-molL-1", Vector.glucose)
    #expect(mole.raw == 59 && mole.exponent == -1)
    let pyle = try primary(thermometer, "hts-pyle-BFMNAP4J", Vector.thermometer)
    #expect(pyle.raw == 3411 && pyle.exponent == -2 && pyle.value == 34.11)
  }

  @Test func flagsAndIdentity() throws {
    let host = try TestHost(bundle: "glucose")
    func record(_ id: String, _ opening: TestOpening = TestOpening()) throws -> TestRecord {
      let vector = try #require(Vector.glucose.first { $0.id == id })
      return try #require(host.decode([(vector.uuid, vector.bytes)], opening)[0].records.first)
    }
    #expect(try record("gls-spec-control-type").flags == MH_REC_CONTROL)
    #expect(try record("gls-spec-control-location").flags == MH_REC_CONTROL)
    #expect(try record("gls-spec-unset-clock").flags == MH_REC_CLOCK_SUSPECT)
    let contour = try record("gls-contour-30")
    #expect(contour.flags == 0 && contour.identityClass == UInt16(MH_IDENT_STORED))
    #expect(contour.identity == [0x1e, 0, 0xe2, 0x07, 9, 0x14, 5, 0x1b, 7, 0x6f, 0xb0, 0])
    let clockless = try record("gls-contour-30", TestOpening(parameters: [MH_PARAM_NO_CLOCK: 1]))
    #expect(clockless.timeKind == UInt16(MH_TIME_NONE) && clockless.flags == MH_REC_CLOCK_SUSPECT)
    #expect(clockless.identity == [0x1e, 0, 0, 0, 0, 0, 0, 0, 0, 0x6f, 0xb0, 0])
    let thermometer = try TestHost(bundle: "thermometer")
    let stored = try #require(
      thermometer.decode([(0x2a1c, [6, 0x68, 1, 0, 0xff, 0xe2, 7, 3, 10, 21, 52, 0, 2])])[0].records.first)
    #expect(stored.identityClass == UInt16(MH_IDENT_STORED))
    #expect(stored.identity == [0xe2, 7, 3, 10, 21, 52, 0, 0x68, 1, 0, 0xff])
    let live = try #require(thermometer.decode([(0x2a1c, [4, 0x53, 0x0d, 0, 0xfe, 9])])[0].records.first)
    #expect(live.identityClass == UInt16(MH_IDENT_LIVE) && live.identity.isEmpty && live.flags == 0)
    let provisional = try #require(thermometer.decode([(0x2a1e, [0, 0x6c, 1, 0, 0xff])])[0].records.first)
    #expect(provisional.flags == MH_REC_PROVISIONAL)
  }

  /// Alone, the packet of a CareSens does not say whether it is glucose or ketone (rule R26).
  @Test func aPacketWhoseContextDecidesIsNoReadingAlone() throws {
    let host = try TestHost(bundle: "glucose")
    let vector = try #require(Vector.glucose.first { $0.id == "gls-contour-30" })
    let opening = TestOpening(parameters: [MH_PARAM_CONTEXT_DECIDES: 1])
    #expect(host.decode([(vector.uuid, vector.bytes)], opening) == [TestOutcome(status: MH_E_NO_VALUE, records: [])])
  }

  /// A number goes through the field that carries it unscaled: HbA1c for SFLOAT, a temperature for FLOAT.
  @Test(arguments: (Vector.glucose + Vector.thermometer).filter(\.isPrimitive))
  func primitive(vector: Vector) throws {
    let isShort = vector.characteristic == "SFLOAT"
    let host = try TestHost(bundle: isShort ? "glucose" : "thermometer")
    let outcome = host.decode([isShort ? (0x2a34, [0x40, 1, 0] + vector.bytes) : (0x2a1c, [0] + vector.bytes)])[0]
    let values = outcome.records.flatMap(\.values)
    switch vector.value {
    case .number(let number) where !isShort || number >= 0: #expect(values.map(\.value) == [number])
    // What a thermometer has no number for is beyond its scale.
    case .special("+INF") where !isShort: #expect(values.map { UInt32($0.qualifier) } == [MH_QUAL_ABOVE])
    // An HbA1c below zero cannot be.
    case .number, .special: #expect(values.isEmpty)
    case nil: Issue.record("no expectation")
    }
  }

  @Test(arguments: Plugin.all)
  func truncatedVectorsYieldNothingNew(plugin: Plugin) throws {
    let host = try TestHost(bundle: plugin.bundle)
    let codes = try DriverCodes.load(driver: text(host.driver.id))
    // A value that is refused for what is too much of it may be one without that.
    for vector in plugin.vectors where vector.error == nil {
      let opening = try codes.opening(vector)
      let full = Set(host.decode(vector, opening).records.flatMap(\.values))
      for length in 0..<vector.bytes.count {
        let cut = vector.cut(to: length)
        let outcome = host.decode(cut, opening)
        // Shorter counts are counts of another width: meters send one, two and four bytes.
        if vector.bytes[0] == 5, vector.uuid == 0x2a52 { continue }
        #expect(Set(outcome.records.flatMap(\.values)).isSubset(of: full), "\(vector) cut to \(length)")
        #expect(outcome.records.isEmpty || outcome.status == MH_OK)
      }
    }
  }

  @Test(arguments: Plugin.all)
  func randomAndMutatedBytesNeverBreakTheContract(plugin: Plugin) throws {
    let host = try TestHost(bundle: plugin.bundle)
    let codes = try DriverCodes.load(driver: text(host.driver.id))
    let vectors = plugin.vectors
    let flags = vectors.contains { $0.service_data == true } ? UInt16(MH_SLICE_SERVICE_DATA) : 0
    var generator = SeededGenerator(seed: 20_240_131)
    for _ in 0..<200 {
      let model = try #require(vectors.randomElement(using: &generator))
      let batch = (0..<64).map { index in
        let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        guard index % 2 == 0, let vector = vectors.randomElement(using: &generator) else {
          return (index % 16 == 1 ? 0 : model.uuid, bytes)
        }
        var mutated = vector.bytes
        for byte in bytes.prefix(2) where !mutated.isEmpty {
          mutated[Int.random(in: 0..<mutated.count, using: &generator)] = byte
        }
        return (vector.uuid, mutated)
      }
      let opening = try codes.opening(model)
      let outcomes = host.decode(batch, opening, flags: flags)
      #expect(outcomes == host.decode(batch, opening, .tiny, flags: flags))
      for outcome in outcomes {
        #expect([MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL, MH_E_UNSUPPORTED].contains(outcome.status))
        #expect(outcome.records.isEmpty == (outcome.status != MH_OK))
        // Of what is measured only a temperature can be below zero.
        for value in outcome.records.flatMap(\.values)
        where value.metric < 100 && value.metric != UInt16(MH_METRIC_BODY_TEMPERATURE) { #expect(value.raw >= 0) }
      }
    }
  }
}
