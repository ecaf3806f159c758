import Dispatch
import Glibc
import StrictJSON
import Synchronization

extension RegistryDecoder {
  /// What one thread has made of its run of the array.
  private struct Run<Entry: Sendable>: Sendable {
    let entries: [Located<Entry>]
    let warnings: [RegistryWarning]
  }

  /// Decodes the elements of an array that may be absent, a long one on several cores.
  ///
  /// Entries, warnings and the error are those that ``list(_:_:_:)`` gives: of several broken elements the first is
  /// named.
  mutating func longList<Entry: Sendable>(
    _ value: JSONElement?, _ limit: Int,
    _ decode: @Sendable (inout RegistryDecoder, JSONElement) throws(RegistryError) -> Entry
  ) throws(RegistryError) -> [Located<Entry>] {
    let threads = min(RegistryLimits.threads, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    guard let value, value.count >= RegistryLimits.longList, value.count <= limit, threads > 1 else {
      return try list(value, limit, decode)
    }
    let runs = value.runs(threads)
    let template = RegistryDecoder(sharing: self)
    let results = Mutex<[Result<Run<Entry>, RegistryError>?]>(Array(repeating: nil, count: runs.count))
    DispatchQueue.concurrentPerform(iterations: runs.count) { index in
      var decoder = template
      let result = Result { () throws(RegistryError) in
        var entries: [Located<Entry>] = []
        entries.reserveCapacity(runs[index].count)
        for place in runs[index] { entries.append(Located(entry: try decode(&decoder, place), place: place)) }
        return Run(entries: entries, warnings: decoder.warnings)
      }
      results.withLock { $0[index] = result }
    }
    var entries: [Located<Entry>] = []
    entries.reserveCapacity(value.count)
    for result in results.withLock({ $0 }) {
      guard let run = try result?.get() else { continue }
      entries += run.entries
      warnings += run.warnings.prefix(max(0, RegistryLimits.warnings - warnings.count))
    }
    return entries
  }
}
