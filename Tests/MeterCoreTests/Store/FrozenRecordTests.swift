import Foundation
import RecordSupport
import Testing

@testable import MeterCore

/// Records as versions that were published have written them: every later one reads them, to the last digit.
///
/// A row of the database and a line of a recovery file hold this form. What stands here never changes; a new form gets a
/// line of its own.
@Suite("Records of earlier versions")
struct FrozenRecordTests {
  enum Kind: String, CaseIterable { case reading, meal, series }

  static let frozen: [Kind: String] = [
    .reading: #"""
    {"contentHash":[30,210,224,207,166,127,181,203,4,128,203,48,234,217,2,203,78,220,153,214,102,110,110\#
    ,217,82,232,122,34,219,98,145,128],"deviceSequence":7,"flags":0,"identityClass":"stored","logID":"81\#
    a832e9-a759-8535-a067-5fd28f4cd5e0","notes":[],"origin":"device","revision":1,"source":{"deviceID":"\#
    GM-0042","driverID":"glucose","driverVersion":"1.0.0","manufacturer":"Acme","model":"Gluco","periphe\#
    ralID":1000},"time":{"civilMicroseconds":1772352000000000,"endMicroseconds":1772348400000000,"kind":\#
    "civil","startMicroseconds":1772348400000000,"utcOffsetSeconds":3600,"zoneSource":"gateway"},"type":\#
    "diabetes","values":[{"isRounded":false,"metric":1,"number":{"exponent":-2,"mantissa":620},"qualifie\#
    r":"exact","unit":3},{"isRounded":false,"metric":100,"number":{"exponent":0,"mantissa":1},"qualifier\#
    ":"exact","unit":1}]}
    """#,
    .meal: #"""
    {"contentHash":[229,184,154,105,132,163,245,138,161,235,17,93,41,238,34,74,180,132,39,99,212,110,110\#
    ,98,248,63,74,148,101,117,179,77],"details":{"extras":[],"segments":[{"foods":[{"brand":"La Cena","n\#
    ame":"Toast","servingAmount":{"exponent":0,"mantissa":2},"servingUnit":"piece","values":[{"isRounded\#
    ":false,"metric":29696,"number":{"exponent":0,"mantissa":70},"qualifier":"exact","unit":28674},{"isR\#
    ounded":false,"metric":29703,"number":{"exponent":-2,"mantissa":40577},"qualifier":"exact","unit":24\#
    }]}],"name":"Breakfast","values":[{"isRounded":false,"metric":29696,"number":{"exponent":0,"mantissa\#
    ":338},"qualifier":"exact","unit":28674}]}],"tags":[]},"flags":0,"identityClass":"live","logID":"bbe\#
    3a587-a9b8-8c2d-ba39-e9cd933b0033","notes":[{"field":32515,"text":"Breakfast"},{"field":32516,"text"\#
    :"meal"}],"origin":"manual","revision":1,"source":{"deviceID":"","driverID":"manual","driverVersion"\#
    :"1","peripheralID":0},"time":{"endMicroseconds":1772352000000000,"kind":"utc","startMicroseconds":1\#
    772352000000000,"utcOffsetSeconds":3600,"zoneSource":"user"},"type":"nutrition","values":[{"isRounde\#
    d":false,"metric":29696,"number":{"exponent":0,"mantissa":338},"qualifier":"exact","unit":28674},{"i\#
    sRounded":false,"metric":29697,"number":{"exponent":-2,"mantissa":50},"qualifier":"exact","unit":15}\#
    ]}
    """#,
    .series: #"""
    {"contentHash":[95,49,95,80,212,223,48,169,255,231,72,15,67,123,3,243,221,231,171,33,245,127,186,193\#
    ,230,116,123,138,13,94,78,236],"details":{"extras":[],"segments":[],"series":{"channels":[{"metric":\#
    1,"points":[{"number":{"exponent":0,"mantissa":112},"qualifier":"exact","timeMicroseconds":177235200\#
    0000000},{"isScheduled":true,"number":{"exponent":0,"mantissa":118},"qualifier":"exact","timeMicrose\#
    conds":1772352300000000},{"number":{"exponent":0,"mantissa":400},"qualifier":"above","timeMicrosecon\#
    ds":1772352600000000}],"unit":2}],"granularity":{"interval":5,"unit":"min"}},"tags":[]},"flags":0,"i\#
    dentityClass":"live","logID":"bbe3a587-a9b8-8c2d-ba39-e9cd933b0033","notes":[],"origin":"manual","re\#
    vision":1,"source":{"deviceID":"","driverID":"manual","driverVersion":"1","peripheralID":0},"time":{\#
    "endMicroseconds":1772438399000000,"kind":"utc","startMicroseconds":1772352000000000,"utcOffsetSecon\#
    ds":3600,"zoneSource":"user"},"type":"intraday","values":[]}
    """#,
  ]

  func record(_ kind: Kind) throws -> Record {
    let name = RecordName.given(Fixture.glucose(1).logID)
    switch kind {
    case .reading: return Fixture.glucose(7, mantissa: 620, exponent: -2, unit: 3, context: [Fixture.beforeMeal])
    case .meal: return try Fixture.meal().record(named: name)
    case .series: return try Fixture.glucoseSeries(.intraday).record(named: name)
    }
  }

  @Test("are read as they were", arguments: Kind.allCases)
  func read(kind: Kind) throws {
    let text = try #require(Self.frozen[kind])
    #expect(try RecordCoding.decode(Data(text.utf8)) == record(kind))
  }

  @Test("are written as they were, so that nothing of them has been renamed", arguments: Kind.allCases)
  func written(kind: Kind) throws {
    let text = String(decoding: try RecordCoding.encode(record(kind)), as: UTF8.self)
    #expect(text == Self.frozen[kind])
  }
}
