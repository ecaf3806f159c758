import Foundation
import Testing

@testable import FHIRBundles

/// The bundles against what the profiles demand, and the check against what it must find.
@Suite("Profiles of FHIR", .timeLimit(.minutes(60)))
struct ProfileTests {
  @Test("every bundle is what its profiles demand", arguments: BundleCase.all)
  func valid(_ golden: BundleCase) throws {
    let faults = ProfileCheck.faults(in: try ReadBundle(golden.bundle()))
    #expect(faults.isEmpty, "\(faults)")
  }

  /// A bundle with one fault in it.
  struct Mutation: Sendable, CustomTestStringConvertible {
    let of: String
    let text: String
    let becomes: String
    let fault: String

    init(_ of: String, _ text: String, _ becomes: String, _ fault: String) {
      (self.of, self.text, self.becomes, self.fault) = (of, text, becomes, fault)
    }

    var testDescription: String { "\(of): \(fault)" }
  }

  static let mutations = [
    Mutation("hba1c", #""type":"transaction""#, #""type":"batch""#, "the bundle is no transaction"),
    Mutation("hba1c", "observation-gatewayDevice", "x", "0 gateways"),
    Mutation("hba1c", #""code":"phd""#, #""code":"x""#, "0 categories of the guide"),
    Mutation("hba1c", #""subject":"#, #""x":"#, "no subject"),
    Mutation("hba1c", "effectiveDateTime", "effectiveInstant", "no time of the two kinds"),
    Mutation(
      "hba1c", #""device":{"reference":"urn:uuid:"#, #""device":{"reference":"urn:uuid:0"#, "the device is no meter"),
    Mutation("hba1c", #""valueQuantity":"#, #""valueString":"#, "the value is no number"),
    Mutation("hba1c", "http://unitsofmeasure.org", "http://x", "no number in a unit of UCUM"),
    Mutation("hba1c", #""modelNumber":"#, #""x":"#, "no maker or model"),
    Mutation("hba1c", #""code":"65573""#, #""code":"1""#, "another type"),
    Mutation("hba1c", #""code":"528401""#, #""code":"1""#, "a kind that is none"),
    Mutation("hba1c", #""code":"531975""#, #""code":"1""#, "a version of another kind"),
    Mutation("hba1c", "0.0.1.2680", "0.0.1.2681", "a SYSID of another system"),
    Mutation("hba1c", #""specialization":"#, #""x":"#, "no kind"),
    Mutation("hba1c", #""identifier":"#, #""x":"#, "no identifier"),
    Mutation("inr", "measurement-status", "x", "an interpretation without the status of a measurement"),
    Mutation("oximeter", #""code":"2708-6""#, #""code":"1""#, "oxygensat: without 2708-6"),
    Mutation("oximeter", #""code":"vital-signs""#, #""code":"x""#, "another category"),
    Mutation("oximeter", #""valueBoolean":true"#, #""valueString":"Y""#, "a part that is no bit"),
    Mutation("blood-pressure", #""code":"8462-4""#, #""code":"1""#, "bp: not one 8462-4"),
    Mutation("blood-pressure", "mm[Hg]", "kPa", "bp: another unit"),
    Mutation("weight-in-pounds", "[lb_av]", "[stone_av]", "bodyweight: another unit"),
    Mutation("glucose-by-a-clock-that-is-ahead", #""valueDateTime":"#, #""x":"#, "no time"),
    Mutation("glucose-by-a-clock-that-is-ahead", #""code":"67975""#, #""code":"1""#, "no kind of clock"),
    Mutation("glucose-with-all-its-context", #""valueCodeableConcept":"#, #""valueString":"#, "the value is no code"),
  ]

  @Test("the check finds a fault", arguments: mutations)
  func finds(_ mutation: Mutation) throws {
    let golden = try #require(BundleCase.all.first { $0.name == mutation.of })
    let text = String(decoding: try golden.bundle().json, as: UTF8.self)
    try #require(text.contains(mutation.text))
    let changed = text.replacing(mutation.text, with: mutation.becomes)
    let faults = ProfileCheck.faults(in: try ReadBundle(Array(changed.utf8)))
    #expect(faults.contains { $0.contains(mutation.fault) }, "\(faults)")
  }
}
