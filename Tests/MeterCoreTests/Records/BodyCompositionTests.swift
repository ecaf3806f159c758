import DriverContract
import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("Body composition from impedance", .timeLimit(.minutes(60)))
struct BodyCompositionTests {
  private static func day(_ text: String) throws -> CivilDate { try #require(CivilDate(text: text.utf8)) }

  private static func profile(
    _ height: Double = 172, _ sex: BodyProfile.Sex = .female, _ born: String = "1985-06-15"
  ) throws -> BodyProfile {
    try #require(BodyProfile(heightCentimetres: height, sex: sex, born: born))
  }

  /// By hand: 13.055 + 0.204 * 63.8 + 0.394 * 172^2 / 503 - 0.136 * 38 = 44.076; men have 8.125 kg more.
  @Test("is the formula's, to a tenth", arguments: [(BodyProfile.Sex.female, 441, 309), (.male, 522, 182)])
  func formula(sex: BodyProfile.Sex, mass: Int64, fat: Int64) throws {
    let found = BodyComposition(
      kilograms: 63.8, ohm: 503, profile: try Self.profile(172, sex), day: try Self.day("2024-02-14"))
    #expect(found?.fatFreeMass == mass && found?.bodyFat == fat)
  }

  @Test(
    "is computed for whom the formula was made only",
    arguments: [
      // Too young on the day, of age a day later.
      (63.8, 503, "2008-02-15", false), (63.8, 503, "2008-02-14", true), (63.8, 503, "1948-02-15", true),
      (63.8, 503, "1948-02-14", false),
      (46.7, 503, "1985-06-15", false), (127.6, 503, "1985-06-15", false), (63.8, 199, "1985-06-15", false),
      (63.8, 1001, "1985-06-15", false), (63.8, 503, "2030-01-01", false),
    ] as [(Double, Double, String, Bool)])
  func bounds(kilograms: Double, ohm: Double, born: String, isComputed: Bool) throws {
    let found = BodyComposition(
      kilograms: kilograms, ohm: ohm, profile: try Self.profile(172, .female, born), day: try Self.day("2024-02-14"))
    #expect((found != nil) == isComputed)
  }

  @Test(
    "what nobody is, is no profile",
    arguments: [
      (99.0, "1985-06-15"), (231, "1985-06-15"), (172, "1985-02-29"), (172, "1899-12-31"), (172, "x"),
      (.nan, "1985-06-15"),
    ])
  func profiles(height: Double, born: String) {
    #expect(BodyProfile(heightCentimetres: height, sex: .male, born: born) == nil)
  }

  private static func value(_ metric: UInt16, _ unit: UInt16, _ raw: Int64, _ exponent: Int8) -> DriverValue {
    let number = ReportedNumber(mantissa: raw, exponent: exponent).doubleValue
    return DriverValue(metric: metric, unit: unit, exponent: exponent, qualifier: .exact, value: number, raw: raw)
  }

  /// Kilograms and Ohm of a scale with a clock.
  private static func weighing(_ more: [DriverValue] = [], user: UInt16? = nil) -> DriverRecord {
    DriverRecord(
      kind: .measurement, deviceUser: user, timeKind: .utc, startMicroseconds: Fixture.morning, identity: [1, 2, 3],
      identityClass: .stored, values: [value(40, 10, 638, -1), value(49, 21, 503, 0)] + more)
  }

  private static func admit(
    _ record: DriverRecord, _ body: BodyProfile?, driver: String = "org.meterhost.mi-scale"
  ) throws -> CommitRecord {
    let source = RecordSource(
      peripheralID: 10_211, manufacturer: nil, model: nil, deviceID: "scale", driverID: driver, driverVersion: "1")
    var admission = RecordAdmission(
      context: AdmissionContext(
        meter: Fixture.meter, source: source, gatewayZone: .gmt,
        assignment: MeterAssignment(slot: nil, sinceMicroseconds: nil), body: body))
    let clock = HostClockReading(utcMicroseconds: Fixture.morning, isSynchronized: true)
    guard case .commit(let found)? = admission.admit([record], clock: clock).first else {
      throw NothingCommitted()
    }
    return found
  }

  private struct NothingCommitted: Error {}

  @Test("nothing is computed before a person has said what their body is like")
  func off() throws {
    let found = try Self.admit(Self.weighing(), nil)
    #expect(found.record.values.map(\.metricName) == ["body_weight", "body_impedance"])
  }

  @Test("what is computed stands beside the reading, and makes it no other reading")
  func beside() throws {
    let plain = try Self.admit(Self.weighing(), nil).record
    let found = try Self.admit(Self.weighing(), Self.profile()).record
    #expect(found.values.prefix(2) == plain.values[...])
    #expect(
      found.values.dropFirst(2).map { "\($0.metricName) \($0.number.doubleValue) \($0.ucum)" }
        == ["derived_fat_free_mass 43.8 kg", "derived_body_fat 31.3 %", "derivation_formula 1.0 1"])
    #expect(found.primaryHash == plain.primaryHash && found.logID == plain.logID && found.type == .weight)
  }

  @Test("a scale that tells fat, another user's weighing and one without an impedance are left alone")
  func leftAlone() throws {
    let body = try Self.profile()
    let told = try Self.admit(Self.weighing([Self.value(43, 9, 250, -1)]), body).record
    #expect(told.values.count == 3)
    let others = try Self.admit(Self.weighing(user: 2), body)
    #expect(others.disposition == .held(.unknownOwner) && others.record.values.count == 2)
    var bare = Self.weighing()
    bare.values.removeLast()
    #expect(try Self.admit(bare, body).record.values.count == 1)
    // Whose impedance nobody knows the frequency of.
    let strange = try Self.admit(Self.weighing(), body, driver: "org.meterhost.mibeacon").record
    #expect(strange.values.count == 2)
  }

  @Test("a body is the session's, and goes with it")
  func store() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let session = try store.startSession(Fixture.user, token: AccessToken("t")).session
    let body = try Self.profile(172.5, .male)
    try store.setBody(body, of: session.generation)
    #expect(try store.currentSession().body == body)
    let again = try store.startSession(Fixture.user, token: AccessToken("u")).session
    #expect(again.body == body, "the same user keeps it")
    try store.setBody(nil, of: again.generation)
    #expect(try store.currentSession().body == nil)
    try store.setBody(body, of: again.generation)
    _ = try store.startSession(SessionUser(userID: "other", organizationID: "o"), token: AccessToken("t"))
    #expect(try store.currentSession().body == nil)
  }
}
