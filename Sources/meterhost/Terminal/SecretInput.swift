import Foundation

/// One line from a person at the terminal; what is secret is not shown while it is typed.
enum SecretInput {
  private static let longest = 4096
  private static let interruptCharacter: UInt8 = 0x03

  /// Whether a person is there to be asked.
  static var isThere: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads one line; waits on a thread of its own.
  ///
  /// - Returns: The line without its end; nil when the person gave up or the input has ended.
  static func line(isSecret: Bool) async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: read(isSecret: isSecret)) }
    }
  }

  /// Reads one line on this thread.
  static func read(isSecret: Bool) -> String? {
    var settings = termios()
    let isTerminal = isThere && tcgetattr(STDIN_FILENO, &settings) == 0
    if isTerminal {
      var quiet = settings
      // Without signals, and with Ctrl-C as an end of line, no way out leaves the terminal mute.
      quiet.c_lflag &= ~tcflag_t(ISIG)
      if isSecret { quiet.c_lflag &= ~tcflag_t(ECHO) }
      withUnsafeMutableBytes(of: &quiet.c_cc) { $0[Int(VEOL)] = interruptCharacter }
      // What was typed before the question is no secret; an answer that is quicker than this line is kept otherwise.
      tcsetattr(STDIN_FILENO, isSecret ? TCSAFLUSH : TCSADRAIN, &quiet)
    }
    defer { if isTerminal { tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) } }
    var line = [UInt8](repeating: 0, count: longest)
    guard let count = try? DescriptorInput.read(STDIN_FILENO, into: &line), count > 0,
      !line[..<count].contains(interruptCharacter)
    else { return nil }
    return String(decoding: line[..<count], as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}
