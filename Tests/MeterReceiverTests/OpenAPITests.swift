import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

/// The description of the calls, `docs/reference/openapi.yaml`, as far as a test needs it.
struct OpenAPIDescription {
  struct Operation: Hashable, CustomTestStringConvertible {
    var method: String
    var path: String
    var statuses: Set<Int>

    /// Method and path, whatever the parameters are called.
    var key: String { "\(method) \(path.replacing(/\{[^}]*\}/, with: "{}"))" }
    var testDescription: String { "\(method) \(path)" }
  }

  let lines: [Substring]

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let data = try Data(contentsOf: root.appendingPathComponent("docs/reference/openapi.yaml"))
    lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
  }

  /// Paths stand two blanks deep, methods four, statuses eight.
  var operations: [Operation] {
    var operations: [Operation] = []
    var path = ""
    for line in lines.drop(while: { $0 != "paths:" }).dropFirst().prefix(while: { $0.first == " " }) {
      if let match = line.wholeMatch(of: /\ \ (\/.*):/) {
        path = String(match.1)
      } else if let match = line.wholeMatch(of: /\ \ \ \ (get|put|post|delete|patch|head|options|trace):/) {
        operations.append(Operation(method: match.1.uppercased(), path: path, statuses: []))
      } else if let match = line.prefixMatch(of: /\ {8}"(\d{3})":/), let status = Int(match.1) {
        operations[operations.count - 1].statuses.insert(status)
      }
    }
    return operations
  }

  /// The lines of a schema.
  func body(of schema: String) -> [Substring] {
    let schemas = lines.drop { $0 != "  schemas:" }
    return Array(schemas.drop { $0 != "    \(schema):" }.dropFirst().prefix { $0.hasPrefix("     ") })
  }

  /// The words of a schema's enumeration.
  func words(of schema: String) -> Set<String> {
    let text = body(of: schema).joined(separator: " ").drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }
    return Set(text.split { " ,".contains($0) }.map(String.init))
  }
}

@Suite struct OpenAPITests {
  @Test func everyRouteIsDescribedAndEveryDescriptionIsARoute() async throws {
    try await withReceiver { server async throws in
      let routes = server.receiver.routes
      let described = try OpenAPIDescription().operations.map(\.key)
      #expect(Set(routes).subtracting(described) == [], "routes without a description")
      #expect(Set(described).subtracting(routes) == [], "descriptions without a route")
      #expect(described.count == Set(described).count)
      #expect(routes.count > 30)
    }
  }

  /// Without a token nothing is answered but what the description says, and never with success.
  @Test func callsWithoutATokenAreAnsweredAsDescribed() async throws {
    try await withReceiver { server async throws in
      for operation in try OpenAPIDescription().operations {
        let path = operation.path.replacing("{type}", with: operation.path.hasPrefix("/v1") ? "weight" : "sleep")
          .replacing(/\{[^}]*\}/, with: "x")
        let reply = try await server.send(operation.method, path)
        #expect(operation.statuses.contains(reply.status), "\(operation) \(reply.status)")
        #expect((reply.status < 400) == (path == "/healthz"), "\(operation) \(reply.status)")
      }
    }
  }

  @Test func describedWordsAreTheReceiversWords() throws {
    let description = try OpenAPIDescription()
    #expect(description.words(of: "MetricType") == Set(MeasurementVocabulary.standard.metrics.keys))
    #expect(description.words(of: "RecordType") == Set(RecordType.allCases.map(\.rawValue)))
    #expect(description.words(of: "LegacyType") == Set(LegacyType.allCases.map(\.rawValue)))
  }

  @Test(arguments: LegacyType.allCases)
  func legacyMembersAreDescribed(type: LegacyType) throws {
    let body = try OpenAPIDescription().body(of: "LegacyRecord")
    for name in Array(type.measures.keys) + type.texts {
      #expect(body.contains { $0.hasPrefix("        \(name): ") }, "\(name)")
    }
  }
}
