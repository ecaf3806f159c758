import Foundation

/// Programs that tests write.
public enum WrittenProgram {
  /// The shell could not write it.
  public struct Failure: Error {
    /// What it said.
    public let reason: String
  }

  /// Writes a script that its owner may run.
  ///
  /// Another process writes it: a file that somebody has open for writing cannot be run, and a child that another test starts
  /// while this process writes holds it open until it runs its own program.
  public static func write(_ text: String, to file: String) throws {
    let written = try ChildProcess.run(
      URL(filePath: "/bin/sh"), ["-c", #"umask 077; cat > "$1" && chmod 700 "$1""#, "sh", file], input: text)
    guard written.status == 0 else { throw Failure(reason: written.err) }
  }
}
