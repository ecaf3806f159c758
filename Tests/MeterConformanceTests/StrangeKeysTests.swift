import DriverContract
import HostPrimitives
import Testing

@testable import MeterConformance

@Suite("Strange keys for a driver")
struct StrangeKeysTests {
  @Test("are put in the place of every key that it has written, also of two that look the same")
  func all() {
    let names = ["user/jos\u{E9}", "user/jose\u{301}", "meter/n"]
    let written = zip(names, UInt8(1)...3).map { DriverStorageWrite(key: $0, value: [$1]) }
    var seed = Seed(1)
    let contents = Check.strangeContents(written, &seed)
    #expect(contents.count > 3)
    for keys in contents { #expect(Set(keys.keys) == Set(names.map(ExactText.init))) }
    #expect(contents.first?[ExactText(names[1])] == [2])
  }
}
