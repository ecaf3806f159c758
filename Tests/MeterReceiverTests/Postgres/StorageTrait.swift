import Testing

/// What a receiver of a test stores in.
enum Storage: String, CaseIterable, Sendable {
  case sqlite, postgres

  /// The storage that the running test is about, where it says none itself.
  @TaskLocal static var current = Storage.sqlite

  /// The place of a new database.
  func place(in folder: String) async throws -> String {
    switch self {
    case .sqlite: folder + "/receiver.sqlite"
    case .postgres: try await PostgresDatabases.shared.lend()
    }
  }

  /// Runs a test over this storage.
  func provide(_ test: @Sendable () async throws -> Void) async throws {
    try await Self.$current.withValue(self) {
      switch self {
      case .sqlite: try await test()
      case .postgres: try await PostgresDatabases.shared.whileInUse(test)
      }
    }
  }

  static var installed: [Storage] { PostgresServer.isInstalled ? allCases : [.sqlite] }
}

/// Runs every test of a suite once over each storage. Where PostgreSQL is not installed, `PostgresTests` are disabled and
/// say so.
struct EveryStorage: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    for storage in Storage.installed {
      let naming = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("over \(storage.rawValue)")
        return issue
      }
      try await naming.provideScope(for: test, testCase: testCase) {
        try await storage.provide(function)
      }
    }
  }
}

extension Trait where Self == EveryStorage {
  static var everyStorage: Self { EveryStorage() }
}
