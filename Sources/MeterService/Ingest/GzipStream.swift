import CInflate

/// Inflates a body in gzip as it comes (RFC 1952), through one buffer: a bomb costs the time until it is refused, and no memory.
///
/// Used by one task at a time.
final class GzipStream {
  /// Why a body cannot be inflated.
  enum Failure: Error, Sendable, Hashable {
    /// It is no gzip, or damaged.
    case damaged
    /// There is no memory.
    case broken
  }

  private let stream: OpaquePointer
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  /// Whether the content may end here: behind a member, and not in one.
  private(set) var isWhole = false

  /// - Throws: ``Failure/broken``.
  init() throws(Failure) {
    guard let stream = cinflate_new() else { throw .broken }
    self.stream = stream
  }

  deinit { cinflate_free(stream) }

  /// Inflates a piece.
  ///
  /// - Parameter take: Gets parts of the content; false ends it.
  /// - Returns: Whether all of the piece was taken.
  /// - Throws: ``Failure``, and what `take` throws.
  func inflate(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) throws -> Bool) throws -> Bool {
    let input = bytes.bindMemory(to: UInt8.self)
    var at = 0
    while true {
      var (used, made) = (0, 0)
      let status = buffer.withUnsafeMutableBufferPointer { room in
        cinflate_step(
          stream, input.baseAddress.map { $0 + at }, input.count - at, room.baseAddress, room.count, &used, &made)
      }
      switch status {
      case CINFLATE_MORE, CINFLATE_END: break
      case CINFLATE_DAMAGED: throw Failure.damaged
      default: throw Failure.broken
      }
      if used > 0 || made > 0 { isWhole = status == CINFLATE_END }
      at += used
      if made > 0, try !buffer.withUnsafeBytes({ try take(UnsafeRawBufferPointer(rebasing: $0[..<made])) }) {
        return false
      }
      // A full buffer may have left more behind.
      if at == input.count, made < buffer.count { return true }
      guard used > 0 || made > 0 else { throw Failure.damaged }
    }
  }
}
