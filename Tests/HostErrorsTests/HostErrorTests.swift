import HostErrors
import Testing

@Suite("Errors of the host") struct HostErrorTests {
  private struct Plain: HostError {
    enum Code: String, Sendable { case notThere = "not_there" }

    let code = Code.notThere
    let message = "it is gone"
    var kind: HostErrorKind { .unavailable }
  }

  private struct Told: HostError {
    let code = "refused"
    let message = "it said no"
    let cause: String?
    let kind = HostErrorKind.temporary
    var hint: String? { "ask again" }
  }

  private struct Wrapped: HostError {
    let code = "wrapped"
    let message = "it failed"
    let kind = HostErrorKind.failed
    let cause: (any Error)?
  }

  @Test("a type that states kind, code and message says all the rest, too") func defaults() throws {
    let error: any Error = Plain()
    let known = try #require(error as? any HostError)
    #expect(known.codeText == "not_there")
    #expect(known.kind.exitStatus == 69)
    #expect(known.hint == nil && known.cause == nil)
    #expect("\(known)" == "it is gone")
  }

  @Test("words beneath an error follow its message, and an error beneath is not repeated") func causes() {
    #expect(Told(cause: "EPERM").fullMessage == "it said no (EPERM)")
    #expect(Told(cause: nil).fullMessage == "it said no")
    #expect("\(Told(cause: "EPERM"))" == "it said no (EPERM)")
    let error: any HostError = Wrapped(cause: Plain())
    #expect(error.fullMessage == "it failed")
    #expect(error.cause is Plain)
  }

  @Test("place, rule and cause stand around the message") func places() {
    let error = Plain()
    #expect(error.fullMessage(at: "a.so", rule: "R7", cause: "ELF") == "a.so: it is gone [rule R7] (ELF)")
    #expect(error.fullMessage(at: "a.so", cause: nil) == "a.so: it is gone")
  }

  @Test("each kind has the exit status of the command line") func statuses() {
    let statuses = HostErrorKind.allCases.map { "\($0.rawValue) \($0.exitStatus)" }
    #expect(statuses == ["failed 1", "usage 64", "unavailable 69", "temporary 75", "cancelled 130"])
  }
}
