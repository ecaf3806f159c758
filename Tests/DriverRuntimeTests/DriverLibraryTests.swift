import DriverContract
import DriverRuntime
import Foundation
import TestSupport
import Testing

@Suite("R1 R3 R4 loading a bundle") struct DriverLibraryTests {
  @Test func listsDrivers() throws {
    let library = try FixtureLibrary.shared.get()
    #expect(library.drivers.count == 14)
    #expect(library.drivers[0].id == "good")
    #expect(library.drivers[0].capabilities == [.connect, .decode])
    #expect(library.drivers[0].version == "1.0.0")
  }

  @Test(arguments: ["OTHER_MAJOR", "OTHER_LAYOUT"])
  func otherContractIsRefusedNamingBoth(define: String) throws {
    let fault = try #require(throws: DriverFault.self) { try FixtureLibrary.load(defines: [define]) }
    #expect(fault.rule == "R4")
    #expect(fault.message.contains(ContractVersion.host.description))
    if define == "OTHER_MAJOR" { #expect(fault.message.contains("contract 7.")) }
  }

  @Test func aLaterMinorIsServedAsFarAsThisHostKnowsIt() throws {
    #expect(try FixtureLibrary.load(defines: ["OTHER_MINOR", "OTHER_LAYOUT"]).drivers.count > 1)
  }

  @Test(arguments: ["SMALL_DRIVER", "SMALL_TABLE"])
  func tableThatLacksFieldsIsRefused(define: String) throws {
    let fault = try #require(throws: DriverFault.self) { try FixtureLibrary.load(defines: [define]) }
    #expect(fault.rule == "R3" && fault.message.contains("bytes"))
  }

  @Test func tableThatHasGrownAtItsEndIsReadAsFarAsItIsKnown() throws {
    #expect(try FixtureLibrary.load(defines: ["GROWN_TABLES"]).drivers.count > 1)
  }

  @Test func entryMayRefuseWithAReason() throws {
    let fault = try #require(throws: DriverFault.self) { try FixtureLibrary.load(defines: ["REFUSES"]) }
    #expect(fault.code == .refused)
    #expect(fault.cause == "not on a Monday")
  }

  @Test func emptyBundleIsRefused() throws {
    let fault = try #require(throws: DriverFault.self) { try FixtureLibrary.load(defines: ["NO_DRIVER"]) }
    #expect(fault.rule == "R1")
  }

  @Test func symbolOfADependencyIsRefused() throws {
    let dependency = try CompiledBundle.make(["drivers.c"], defines: ["UNLIKE_OTHERS"])
    let fault = try #require(throws: DriverFault.self) {
      try FixtureLibrary.load(["hollow.c"], extra: ["-Wl,--no-as-needed", dependency.path])
    }
    #expect(fault.code == .loadFailed)
    #expect(fault.message.contains("comes from a library that the bundle needs"))
    #expect(fault.message.contains(dependency.lastPathComponent))
  }

  @Test func missingSymbolAndNonsenseAreRefused() throws {
    #expect(try #require(throws: DriverFault.self) { try FixtureLibrary.load(["hollow.c"]) }.rule == "R1")
    let text = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
    #expect(
      try #require(throws: DriverFault.self) { try DriverLibrary(descriptor: text, name: "text") }.code == .loadFailed)
  }

  @Test func unknownDriverIsNamed() throws {
    let fault = try #require(throws: DriverFault.self) { try FixtureLibrary.session("nobody") }
    #expect(fault.code == .unknownDriver)
    #expect(fault.message.contains("good"))
  }
}
