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
    await Gate.shared.enter()
    let result: Result<Void, any Error>
    do {
      result = .success(try await run(test, testCase, function))
    } catch {
      result = .failure(error)
    }
    await Gate.shared.leave()
    try result.get()
  }

  private func run(
    _ test: Test, _ testCase: Test.Case?, _ function: @Sendable () async throws -> Void
  ) async throws {
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

/// Bounds how many receivers run at a time: each has threads, files and connections, and a test process that has more than
/// a thousand files open cannot start programs any more.
private actor Gate {
  static let shared = Gate()

  private var free = 6
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func enter() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
  }

  func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}

extension Trait where Self == EveryStorage {
  static var everyStorage: Self { EveryStorage() }
}
