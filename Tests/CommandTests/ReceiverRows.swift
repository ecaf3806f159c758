import Foundation
import TestSupport
import Testing

/// What a receiver of ``Program/startReceiver(in:options:)`` has in its database.
enum ReceiverRows {
  /// Name, revision and checksum of each record, in the order of names.
  static func stored(in sandbox: Sandbox) throws -> [String] {
    let script =
      "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); "
      + "print('\\n'.join(' '.join(map(str, row)) for row in "
      + "db.execute('SELECT log_id, revision, checksum FROM record ORDER BY log_id')))"
    let done = try ChildProcess.run(tool: "python3", ["-c", script, sandbox.path("r.sqlite")])
    try #require(done.status == 0, "\(done.err)")
    return done.lines.filter { !$0.isEmpty }
  }
}
