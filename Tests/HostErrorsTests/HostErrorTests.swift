import Testing

@testable import HostErrors

@Suite("Errors of the host")
struct HostErrorTests {
  private struct Example: HostError { let message: String }

  @Test("an error says what happened")
  func message() { #expect(Example(message: "gone").message == "gone") }
}
