import Foundation
import TestSupport

/// A PostgreSQL server of Debian's package for the tests: in a folder of its own, on a Unix socket only, with its durable
/// settings, and run by nobody where the tests run as root, whom the server refuses to serve.
final class PostgresServer: Sendable {
  /// The folder with `initdb` and `postgres`, nil where the package is not installed.
  static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).sorted {
      $0.compare($1, options: .numeric) == .orderedAscending
    }
    return versions.map { "\(root)/\($0)/bin" }.last { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") }
  }()

  static var isInstalled: Bool { programs != nil }

  /// The server that all tests share, each with a database of its own. It ends with the process.
  static let shared = Task { try await PostgresServer() }

  struct Failure: Error {
    let reason: String
  }

  let folder: String
  private let supervisor: Supervisor

  /// Ends the server and removes its folder when the process that holds the other end of its input is gone, however it
  /// went.
  private static let supervision = #"""
    set -u
    programs=$1 folder=$2
    # Replaces the shell, so that signals reach the program itself.
    as_owner() {
      [ "$(id -u)" != 0 ] || exec setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
      exec "$@"
    }
    finish() { rm -rf "$folder"; }
    trap finish EXIT
    [ "$(id -u)" != 0 ] || chown nobody:nogroup "$folder"
    export TZ=UTC LC_ALL=C
    (as_owner "$programs/initdb" -D "$folder/data" -U tester --auth-local=trust --auth-host=scram-sha-256 \
      --encoding=UTF8 --no-locale -N) >"$folder/initdb.log" 2>&1 || { echo "failed: initdb"; exit 1; }
    cat >>"$folder/data/postgresql.conf" <<CONF
    listen_addresses = ''
    unix_socket_directories = '$folder'
    max_connections = 400
    shared_buffers = 32MB
    CONF
    serve() {
      (as_owner "$programs/postgres" -D "$folder/data") >>"$folder/server.log" 2>&1 </dev/null &
      server=$!
      for _ in $(seq 600); do
        "$programs/pg_isready" -q -h "$folder" && { echo ready; return; }
        kill -0 $server 2>/dev/null || break
        sleep 0.05
      done
      echo "failed: $(tail -n 1 "$folder/server.log")"
    }
    # Each is a process of its own, in a group of its own.
    sessions() { cat "/proc/$server/task/$server/children"; }
    server=
    serve
    while read -r order; do
      case $order in
      stop) kill -INT $server; wait $server; echo stopped ;;
      crash) kill -QUIT $server; wait $server; echo stopped ;;
      start) serve ;;
      freeze) kill -STOP $server $(sessions); echo frozen ;;
      thaw) kill -CONT $(sessions) $server; echo thawed ;;
      esac
    done
    kill -CONT $(sessions) $server 2>/dev/null
    kill -QUIT $server 2>/dev/null
    wait $server
    """#

  init() async throws {
    guard let programs = Self.programs else { throw Failure(reason: "the package postgresql is not installed") }
    folder = "/tmp/meterhost-postgres-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    supervisor = try Supervisor(script: Self.supervision, arguments: [programs, folder])
    try await expect("ready")
  }

  /// Ends the server at once, as a power cut would; its clients lose their connections.
  func crash() async throws { try await order("crash", "stopped") }
  /// Ends the server, which first ends its clients' sessions.
  func stop() async throws { try await order("stop", "stopped") }
  func start() async throws { try await order("start", "ready") }
  /// Lets the server and its sessions stand still: their connections stay, and say nothing.
  func freeze() async throws { try await order("freeze", "frozen") }
  func thaw() async throws { try await order("thaw", "thawed") }

  private func order(_ word: String, _ answer: String) async throws {
    try supervisor.send(word)
    try await expect(answer)
  }

  private func expect(_ answer: String) async throws {
    let line = try await supervisor.nextLine()
    guard line == answer else { throw Failure(reason: line) }
  }

  /// The address of a new database.
  func makeDatabase(encoding: String = "UTF8") async throws -> String {
    let name = "t_" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    try await run("CREATE DATABASE \(name) TEMPLATE template0 ENCODING '\(encoding)' LC_COLLATE 'C' LC_CTYPE 'C'")
    return address(name)
  }

  func address(_ database: String) -> String { "postgres://tester@/\(database)?host=\(folder)" }

  /// Runs a statement with the package's own client and gives its rows, unaligned.
  @discardableResult
  func run(_ sql: String, in database: String = "postgres") async throws -> String {
    let (folder, programs) = (folder, Self.programs ?? "")
    return try await onOwnThread {
      let done = try ChildProcess.run(
        URL(filePath: programs + "/psql"),
        ["-h", folder, "-U", "tester", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, database])
      guard done.status == 0 else { throw Failure(reason: done.err) }
      return done.out.trimmingCharacters(in: .newlines)
    }
  }
}

/// A shell that does what it is told by lines and answers in lines.
private final class Supervisor: @unchecked Sendable {
  private let process: ChildProcess
  /// Only one order is under way at a time.
  private var rest = Data()

  init(script: String, arguments: [String]) throws {
    process = try ChildProcess(
      URL(filePath: "/bin/bash"), ["-c", script, "postgres-server"] + arguments, input: .pipe, output: .pipe)
  }

  /// The shell ends the server when nobody can give orders any more; it would leave it behind if it were killed.
  deinit {
    try? process.input().close()
    process.waitForEnd()
  }

  func send(_ line: String) throws { try process.input().write(contentsOf: Data("\(line)\n".utf8)) }

  func nextLine() async throws -> String { try await onOwnThread { try self.readLine() } }

  private func readLine() throws -> String {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest = Data(rest[(end + 1)...])
        return line
      }
      let next = try process.output().nextBytes()
      guard !next.isEmpty else { throw PostgresServer.Failure(reason: "the server's shell has ended") }
      rest += next
    }
  }
}
