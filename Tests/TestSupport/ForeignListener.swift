import Foundation
import Glibc

/// A program of another user that has taken a receiver's place, at a port or a Unix socket. It answers nothing, and counts what comes.
public final class ForeignListener: Sendable {
  /// `nobody`, as most machines have it; the kernel needs no such account.
  public static let user: UInt32 = 65_534
  private static let tools = (user: "/usr/bin/setpriv", language: "/usr/bin/perl")
  /// Whether this process may start one.
  public static let isPossible =
    geteuid() == 0 && [tools.user, tools.language].allSatisfy(FileManager.default.isExecutableFile)

  private let process: ChildProcess
  /// 0 of one at a Unix socket.
  public let port: UInt16

  /// - Parameter socketPath: Where it listens; nil is a free port.
  public init(socketPath: String? = nil) throws {
    process = try ChildProcess(
      URL(filePath: Self.tools.user),
      ["--reuid", "\(Self.user)", "--clear-groups", Self.tools.language, "-e", Self.program]
        + (socketPath.map { [$0] } ?? []), input: .pipe, output: .pipe)
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let next = try process.output().nextBytes()
      guard !next.isEmpty else { throw POSIXError(.EADDRNOTAVAIL) }
      line += next
    }
    guard let port = UInt16(String(decoding: line.dropLast(), as: UTF8.self)) else { throw POSIXError(.EADDRNOTAVAIL) }
    self.port = port
  }

  /// Ends it; for a thread of its own.
  ///
  /// - Returns: How many connections were made, and how many bytes came over them.
  public func end() throws -> (connections: Int, bytes: Int) {
    try process.input().close()
    let numbers = try String(decoding: process.output().bytesToEnd(), as: UTF8.self).split(
      whereSeparator: \.isWhitespace)
    guard numbers.count == 2, let connections = Int(numbers[0]), let bytes = Int(numbers[1]) else {
      throw POSIXError(.EPROTO)
    }
    return (connections, bytes)
  }

  /// The end of its input is looked at last: what has come before is counted.
  private static let program = """
    use IO::Select; use IO::Socket::INET; use IO::Socket::UNIX;
    my $place = @ARGV
      ? IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 4)
      : IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 4, Proto => 'tcp');
    die $! unless $place;
    $| = 1;
    print @ARGV ? 0 : $place->sockport, "\\n";
    my ($all, $met, $came) = (IO::Select->new($place, \\*STDIN), 0, 0);
    while (1) {
      my @ready = $all->can_read;
      my @others = grep { fileno $_ } @ready;
      for my $one (@others ? @others : @ready) {
        if ($one == $place) { $met++; $all->add(scalar $place->accept); next }
        my $count = sysread $one, my $bytes, 65536;
        if ($count) { $came += $count; next }
        if (!fileno $one) { print "$met $came\\n"; exit }
        $all->remove($one);
      }
    }
    """
}
