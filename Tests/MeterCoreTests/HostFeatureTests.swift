import MeterCore
import Testing

/// This program has the modules of its tests, which are all that there are.
struct HostFeatureTests {
  @Test(arguments: HostFeature.allCases)
  func aModuleIsNamedByBeingLinked(_ feature: HostFeature) {
    #expect(hasFeature(feature))
  }
}
