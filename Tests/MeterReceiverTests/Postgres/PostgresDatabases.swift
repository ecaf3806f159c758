@testable import MeterReceiver

/// Databases of the shared server that are used again and again: making one takes longer than most tests.
actor PostgresDatabases {
  static let shared = PostgresDatabases()

  /// What one test has borrowed.
  private actor Loan {
    private(set) var addresses: [String] = []

    func add(_ address: String) { addresses.append(address) }
  }

  @TaskLocal private static var loan: Loan?

  private var idle: [String] = []

  /// Runs a test that may borrow databases until its end.
  func whileInUse(_ test: @Sendable () async throws -> Void) async throws {
    let loan = Loan()
    do {
      try await Self.$loan.withValue(loan) { try await test() }
    } catch {
      await end(loan)
      throw error
    }
    await end(loan)
  }

  private func end(_ loan: Loan) async {
    idle += await loan.addresses
  }

  /// An empty database until the end of the running test.
  func lend() async throws -> String {
    let server = try await PostgresServer.shared.value
    guard let loan = Self.loan else { return try await server.makeDatabase() }
    let address: String
    if let used = idle.popLast() {
      address = used
      let session = PostgresSession(try PostgresAddress(address))
      try session.transaction(.everything) { try $0.run("DROP SCHEMA IF EXISTS meterhost CASCADE") }
      session.close()
    } else {
      address = try await server.makeDatabase()
    }
    await loan.add(address)
    return address
  }
}
