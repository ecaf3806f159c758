package import HostPrimitives
package import Testing

extension JumpingClock {
  /// The clock of the running test; tests without ``JumpingTime`` share one.
  @TaskLocal package static var ofTest = JumpingClock()
}

extension HostClock where Self == JumpingClock {
  /// The clock of the running test.
  package static var ofTest: JumpingClock { JumpingClock.ofTest }
}

/// Gives each test case a time of its own.
package struct JumpingTime: TestTrait, SuiteTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await JumpingClock.$ofTest.withValue(JumpingClock(), operation: function)
  }
}

extension Trait where Self == JumpingTime {
  /// Time stands still while anything is at work, and jumps when everything waits: see ``JumpingClock``.
  package static var jumpingTime: JumpingTime { JumpingTime() }
}
