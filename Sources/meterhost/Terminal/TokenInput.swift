import Foundation
import GatewayAPI
import ProgramTerminal

/// Where a token comes from: a file, a pipe, or a person whose typing is not shown.
enum TokenInput {
  static let maximumLength = 4096
  private static let interruptCharacter: UInt8 = 0x03

  static func read(file: String?) throws(GatewayError) -> String {
    let bytes = if let file { try fromFile(file) } else { try fromStandardInput() }
    let token = String(bytes: bytes, encoding: .utf8)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !token.isEmpty, bytes.count <= maximumLength, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw GatewayError(
        .usage, code: "token", "that is no access token: it must be one word of printable ASCII",
        hint: "give it with --token-file, or on standard input")
    }
    return token
  }

  private static func fromFile(_ path: String) throws(GatewayError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, String(cString: strerror(errno))) }
    defer { close(descriptor) }
    PrivateFile.warn(path, on: Terminal())
    do {
      return try DescriptorInput.readAll(descriptor, limit: maximumLength)
    } catch {
      throw unreadable(path, error.message)
    }
  }

  private static func unreadable(_ path: String, _ reason: String) -> GatewayError {
    GatewayError(.usage, code: "token_file", "the token file \(path) cannot be read: \(reason)")
  }

  private static func fromStandardInput() throws(GatewayError) -> [UInt8] {
    guard isatty(STDIN_FILENO) == 1 else { return try DescriptorInput.readAll(STDIN_FILENO, limit: maximumLength) }
    Terminal().error("token (it is not shown; ends with Enter):")
    var settings = termios()
    let isKnown = tcgetattr(STDIN_FILENO, &settings) == 0
    var silent = settings
    // Without signals, and with Ctrl-C as an end of line, no way out leaves the terminal mute.
    silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
    withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interruptCharacter }
    if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) }
    defer { if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) } }
    var line = [UInt8](repeating: 0, count: maximumLength + 1)
    // A terminal hands out one line a read.
    let count = try DescriptorInput.read(STDIN_FILENO, into: &line)
    guard !line[..<count].contains(interruptCharacter) else {
      throw GatewayError(.cancelled, code: "cancelled", "interrupted")
    }
    return Array(line[..<count])
  }
}

/// A file with secrets.
enum PrivateFile {
  /// Warns when other users of the machine can read the file.
  static func warn(_ path: String, on terminal: Terminal) {
    guard let warning = FileExposure.warning(of: path) else { return }
    terminal.error("\(terminal.styled("warning:", .yellow)) \(warning)")
  }
}
