import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import InformSink
@testable import MeterReceiver

/// What the encoders write, the receiver stores: a disagreement would leave a record in the dead letters.
@Suite("Records and the receiver")
struct ReceiverAgreementTests {
  @Test("agree on every type of Inform v2", arguments: MeterCore.RecordType.allCases)
  func inform(type: MeterCore.RecordType) throws {
    var generator = SeededGenerator(seed: 51)
    let validator = RecordValidator(vocabulary: .standard)
    let accepted = try #require(MeterReceiver.RecordType.accepted(at: type.informCollection))
    for _ in 0..<200 {
      let record = try RandomDraft.withDetails(type, named: InformName.orOwn, using: &generator).record()
      guard let body = try? InformV2Encoder().encode(record, mark: .revisionAndHash) else { continue }
      do {
        let valid = try validator.validate(try JSONValue.parse(body), accepting: accepted)
        #expect(valid.logID == record.logID.description)
      } catch let error as FieldErrors {
        Issue.record("\(type): \(error.reasons)")
      }
    }
  }

  @Test("agree on every type of the Legacy API", arguments: LegacyV1Encoder.types)
  func legacy(type: MeterCore.RecordType) throws {
    var generator = SeededGenerator(seed: 52)
    let legacyType = try #require(LegacyType(rawValue: type.rawValue))
    for _ in 0..<200 {
      let record = try RandomDraft.make(type, named: InformName.orOwn, using: &generator).record()
      // The dictionary takes glucose from 0.5 mmol/L on, and the receiver from 10 mg/dL, which is 0.555 mmol/L.
      guard !record.values.contains(where: { $0.ucum == "mmol/L" && $0.number.doubleValue < 0.5551 }) else { continue }
      let json = try LegacyV1Encoder().encode(record, mark: .revisionAndHash)
      guard case .object(let envelope) = try JSONValue.parse(json), let body = envelope[type.rawValue]
      else {
        Issue.record("no envelope")
        continue
      }
      do {
        let valid = try LegacyValidator.validate(body, type: legacyType)
        #expect(valid.logID == record.logID.description)
      } catch {
        Issue.record("\(type): \(error.reasons)")
      }
    }
  }

  @Test("agree on a record of words alone")
  func words() throws {
    let json = try LegacyV1Encoder().encode(Fixture.words().record())
    guard case .object(let envelope) = try JSONValue.parse(json), let body = envelope["biometrics"] else {
      Issue.record("no envelope")
      return
    }
    #expect(throws: Never.self) { try LegacyValidator.validate(body, type: .biometrics) }
  }
}
