import MeterCore
import Testing

/// This program has the modules of its tests, which are all that there are.
struct HostFeatureTests {
  @Test(arguments: [HostFeature.core, .bluetooth, .ocr])
  func aModuleIsNamedByBeingLinked(_ feature: HostFeature) {
    #expect(hasFeature(feature))
  }

  @Test func whatNoModuleIsForIsMissing() {
    #expect(!hasFeature(.health))
  }
}
