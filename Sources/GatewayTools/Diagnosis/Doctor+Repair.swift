import HostErrors
import GatewayEngine
import Foundation
import MeterCore

/// Mends what a person has been told is damaged.
extension Doctor {
  /// Repairs the state database where it is damaged, and says what was kept and lost.
  package func repair() -> DoctorFinding {
    let folder = URL(fileURLWithPath: locations.state)
    guard FileManager.default.fileExists(atPath: locations.state) else {
      return finding("repair", .passed, "\(locations.state) does not exist: there is nothing to repair")
    }
    do throws(StoreError) {
      guard try Self.isDamaged(folder) else {
        let losses = try MeterStore(folder: folder).acknowledgeLosses()
        guard !losses.isEmpty else { return finding("repair", .passed, "the state database is whole") }
        return finding(
          "repair", .warning,
          "the state database is whole; \(Self.words(losses)): this is noted, and not told any more",
          cure: Self.lossCure)
      }
      let repair = try MeterStore.repair(folder: folder, sinkKinds: .gateway)
      // Goes on where a crash of the damaged one's owner has stopped, and shows that it opens.
      let losses = try MeterStore(folder: folder).acknowledgeLosses()
      return finding(repair, losses)
    } catch {
      return finding("repair", .failed, error.fullMessage)
    }
  }

  private static func isDamaged(_ folder: URL) throws(StoreError) -> Bool {
    do {
      return try !MeterStore(folder: folder).damage().isEmpty
    } catch {
      guard error.code == .corrupt || error.code == .foreignLog else { throw error }
      return true
    }
  }

  private func finding(_ repair: StoreRepair, _ losses: [StoreLoss]) -> DoctorFinding {
    let readings = "\(repair.kept["record"] ?? 0) readings of the queue kept"
    var parts = [
      repair.foreignLog.map { "\(Self.words($0)); the state database is new: \(readings)" }
        ?? "the state database was damaged and is new: \(readings)"
    ]
    if !repair.lost.isEmpty {
      parts.append("\(repair.lost.count) lost: \(repair.lost.joined(separator: ", "))")
    }
    if !repair.held.isEmpty {
      parts.append("\(repair.held.count) wait for a person: \(repair.held.joined(separator: ", "))")
    }
    if repair.unreadableRows > 0 { parts.append("\(repair.unreadableRows) rows unreadable") }
    if !repair.unreadablePages.isEmpty {
      parts.append("pages unreadable: \(repair.unreadablePages.map(String.init).joined(separator: ", "))")
    }
    if repair.lostSession { parts.append("the session is lost") }
    if !losses.isEmpty { parts.append(Self.words(losses)) }
    let isWhole =
      repair.foreignLog == nil && losses.isEmpty && repair.lost.isEmpty && repair.held.isEmpty && !repair.lostSession
    let cure = [
      "the damaged files are in \(repair.damaged); keep them until the readings are known to be there",
      "read the meters again: what they still have comes again and nothing twice",
      repair.held.isEmpty ? nil : "look at the held ones with `meterhost queue list`",
      repair.lostSession ? "start the session again" : nil,
    ]
    return finding(
      "repair", isWhole ? .passed : .warning, parts.joined(separator: "; "),
      cure: cure.compactMap(\.self).joined(separator: "; "))
  }
}
