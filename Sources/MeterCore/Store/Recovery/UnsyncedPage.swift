package import Foundation

/// A part of what a session's end has left undelivered, out of its recovery file.
///
/// ```swift
/// var page = try UnsyncedPage(of: file, limit: 100)
/// while !page.entries.isEmpty {
///   for entry in page.entries { show(entry.record) }
///   page = try UnsyncedPage(of: file, after: page.next, limit: 100)
/// }
/// ```
package struct UnsyncedPage: Sendable, Hashable {
  /// Whose readings they are.
  package let user: SessionUser
  /// The deliveries that were open, in the order of the queue; `position` is their place in the file, from 1.
  package let entries: [QueueEntry]
  /// Where the next page starts.
  package let next: Int64

  /// Reads a page.
  ///
  /// - Parameters:
  ///   - file: The recovery file.
  ///   - position: Only what stands behind this entry; from the front without it.
  ///   - limit: At most so many.
  /// - Throws: ``StoreError/Code/recoveryFile`` for a file that is none, of another version, or was changed.
  package init(of file: URL, after position: Int64 = 0, limit: Int = 1_000) throws(StoreError) {
    let reader = try RecoveryReader(file)
    var (number, found): (Int64, [QueueEntry]) = (0, [])
    do {
      try reader.forEachEntry { entry in
        number += 1
        if number > position, found.count < limit { found.append(QueueEntry(entry, position: number)) }
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw RecoveryReader.changed(file)
    }
    (user, entries, next) = (reader.user, found, found.last?.position ?? position)
  }
}
