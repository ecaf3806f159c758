import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// Today's structs begin as every frozen version's did.
@Suite("R2 R3 R4 golden layouts") struct FrozenLayoutTests {
  @Test(arguments: FrozenContract.frozen) func everythingThatWasIsAsItWas(contract: FrozenContract) throws {
    let golden = try JSONDecoder().decode(ContractLayout.self, from: Data(contentsOf: contract.layoutFile))
    #expect("\(golden.major).\(golden.minor)" == contract.name)
    #expect(golden.dictionary?.metrics.isEmpty == false && golden.dictionary?.units.isEmpty == false)
    let today = try ContractLayout.today()
    if golden.major == today.major { #expect(today.violations(of: golden).isEmpty) }
    // The host's own list, from which it decides, says the same.
    let known = ContractVersion.frozen.first { Int($0.major) == golden.major && Int($0.minor) == golden.minor }
    #expect(golden.major != today.major || known.map { "0x" + hash($0) } == golden.layoutHash)
  }

  @Test func everyFrozenVersionOfThisMajorIsInTheTests() {
    let names = Set(FrozenContract.frozen.map(\.name))
    for version in ContractVersion.frozen { #expect(names.contains("\(version.major).\(version.minor)")) }
  }

  /// A version that is out may not stay without its frozen copy.
  @Test func aReleasedMajorIsFrozen() {
    let host = ContractVersion.host
    guard host.major > 0 else { return }
    #expect(ContractVersion.frozen.contains { $0.major == host.major && $0.minor == 0 })
  }

  @Test func whatMayGrowAndWhatMayNot() throws {
    let today = try ContractLayout.today()
    #expect(today.violations(of: today).isEmpty)
    #expect(ContractLayout.arrayElements.isSubset(of: Set(today.structs.map(\.name))))
    for layout in today.structs where ContractLayout.arrayElements.contains(layout.name) { #expect(!layout.grows) }
    // Everything else begins with its size, but for the note, which is as long as its head says.
    let others = today.structs.filter { !ContractLayout.arrayElements.contains($0.name) && !$0.grows }
    #expect(others.map(\.name) == ["mh_note"])
  }

  private func changed(_ name: String, _ change: (inout ContractLayout.Struct) -> Void) throws -> [String] {
    let old = try ContractLayout.today()
    var new = old
    let index = try #require(new.structs.firstIndex { $0.name == name })
    change(&new.structs[index])
    return new.violations(of: old)
  }

  private static func grow(_ layout: inout ContractLayout.Struct) {
    layout.fields.append(.init(name: "more", type: "uint64_t", offset: layout.size))
    layout.size += 8
  }

  @Test func growthAtTheEndIsAllowedWhereThereIsASize() throws {
    for layout in try ContractLayout.today().structs {
      let found = try changed(layout.name, Self.grow)
      #expect(found.isEmpty == layout.grows, "\(layout.name): \(found)")
    }
  }

  @Test func everyOtherChangeOfAStructIsNoticed() throws {
    for layout in try ContractLayout.today().structs {
      for index in layout.fields.indices {
        #expect(try !changed(layout.name) { $0.fields[index].type = "float" }.isEmpty)
        #expect(try !changed(layout.name) { $0.fields[index].offset += 4 }.isEmpty)
        #expect(try !changed(layout.name) { $0.fields[index].name += "_new" }.isEmpty)
        #expect(try !changed(layout.name) { _ = $0.fields.remove(at: index) }.isEmpty)
      }
      #expect(try !changed(layout.name) { $0.size -= 4 }.isEmpty)
      #expect(try !changed(layout.name) { $0.align *= 2 }.isEmpty)
      #expect(try !changed(layout.name) { $0.name = "mh_other" }.isEmpty)
    }
    // A new field inside of what was there is no growth.
    let squeezed = try changed("mh_action") {
      $0.fields.append(.init(name: "more", type: "uint32_t", offset: 8))
      $0.size += 8
    }
    #expect(squeezed == ["mh_action has not grown at its end"])
  }

  @Test func constantsMayBeAddedAndNeverChanged() throws {
    let old = try ContractLayout.today()
    var new = old
    new.constants["MH_EV_NEW"] = 99
    new.constants["MH_ABI_MINOR"] = 77
    #expect(new.violations(of: old).isEmpty)
    for name in old.constants.keys where name != "MH_ABI_MINOR" {
      new = old
      new.constants[name]? += 1
      #expect(new.violations(of: old).count == 1)
      new.constants[name] = nil
      #expect(new.violations(of: old).count == 1)
    }
    new = old
    new.functions[0].signature = "void (void)"
    #expect(new.violations(of: old) == ["mh_driver_entry is another"])
  }

  private func changedCodes(_ change: (inout FrozenCodes) -> Void) throws -> [String] {
    let old = try ContractLayout.today()
    var new = old
    var codes = try #require(old.dictionary)
    change(&codes)
    new.dictionary = codes
    return new.violations(of: old)
  }

  @Test func codesMayBeAddedAndAUnitOrAValueToAMetric() throws {
    let found = try changedCodes { codes in
      codes.units.append(.init(code: 9999, name: "new", ucum: "new"))
      var metric = codes.metrics[0]
      metric.code = 9999
      metric.name = "new"
      codes.metrics.append(metric)
      codes.metrics[0].units.append("new")
      codes.metrics[0].codes["9999"] = "new"
    }
    #expect(found.isEmpty)
  }

  @Test func noCodeEverMeansSomethingElse() throws {
    let today = try #require(try ContractLayout.today().dictionary)
    for index in today.units.indices {
      #expect(try changedCodes { $0.units[index].name += "_new" }.count == 1)
      #expect(try changedCodes { $0.units[index].ucum += "2" }.count == 1)
      #expect(try changedCodes { $0.units[index].code += 1000 }.count == 1)
      #expect(try changedCodes { _ = $0.units.remove(at: index) }.count == 1)
    }
    for (index, metric) in today.metrics.enumerated() {
      #expect(try changedCodes { $0.metrics[index].name += "_new" }.count == 1)
      #expect(try changedCodes { $0.metrics[index].kind += "_new" }.count == 1)
      #expect(try changedCodes { $0.metrics[index].code += 1000 }.count == 1)
      #expect(try changedCodes { _ = $0.metrics.remove(at: index) }.count == 1)
      #expect(try changedCodes { $0.metrics[index].units = [] }.count == metric.units.count)
      #expect(try changedCodes { $0.metrics[index].codes = [:] }.count == metric.codes.count)
    }
    #expect(today.metrics.contains { $0.units.count > 1 } && today.metrics.contains { !$0.codes.isEmpty })
    let swapped = try changedCodes { codes in
      let name = codes.metrics[0].name
      codes.metrics[0].name = codes.metrics[1].name
      codes.metrics[1].name = name
    }
    #expect(swapped.count == 2)
    var without = try ContractLayout.today()
    without.dictionary = nil
    #expect(try without.violations(of: ContractLayout.today()) == ["the dictionary is gone"])
  }

  private func hash(_ version: ContractVersion) -> String {
    let digits = String(version.layoutHash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
