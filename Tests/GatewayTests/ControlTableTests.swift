import Foundation
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

@Suite("What the control socket understands", .timeLimit(.minutes(60))) struct ControlTableTests {
  /// The types that the sources declare as such, by their names.
  private func types(declaredAs name: String) throws -> Set<String> {
    let folder = CompiledBundle.root.appending(path: "Sources/GatewayAPI").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    var types: Set<String> = []
    for file in files {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      for match in text.matches(of: /\bstruct (\w+): ([\w, ]+) \{/)
      where match.2.split(separator: ", ").contains(Substring(name)) {
        types.insert(String(match.1))
      }
    }
    return types
  }

  @Test("a feature declares every request and every conversation")
  func everyRequestIsDeclared() throws {
    let requests = try types(declaredAs: "ControlRequest")
    let conversations = try types(declaredAs: "ControlConversation")
    #expect(!requests.isEmpty && !conversations.isEmpty)
    #expect(Set(ControlTable.requests.map { "\($0)" }) == requests)
    #expect(Set(ControlTable.conversations.map { "\($0)" }) == conversations)
  }

  @Test("each has a name of its own")
  func namesAreTheirOwn() {
    let names = ControlTable.requests.map { $0.name } + ControlTable.conversations.map { $0.name }
    #expect(Set(names).count == names.count)
  }
}
