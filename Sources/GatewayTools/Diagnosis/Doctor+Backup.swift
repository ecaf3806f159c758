import Foundation
import GatewayAPI
import GatewayEngine
import HostPrimitives
import MeterCore

/// When a backup was made last, and what a restored folder is to be careful about.
extension Doctor {
  func examineBackup() -> DoctorFinding {
    guard FileManager.default.fileExists(atPath: locations.state) else {
      return finding("backup", .passed, "there is nothing to back up yet")
    }
    do throws(StoreError) {
      let store = try MeterStore.look(at: URL(fileURLWithPath: locations.state), sinkKinds: .gateway)
      return finding(try BackupState(store))
    } catch {
      // What is wrong with the state folder is said of the state; a running host has it, mostly.
      return finding("backup", .passed, "`meterhost backup show` says when the last one was made")
    }
  }

  private func finding(_ state: BackupState) -> DoctorFinding {
    let last = state.last.map { "the last backup is of \($0)" } ?? "no backup was made yet: `meterhost backup --help`"
    guard let from = state.restoredFrom, let restored = state.restored else { return finding("backup", .passed, last) }
    return finding(
      "backup", .passed,
      "\(last); this folder was restored at \(restored) from a backup of \(from)"
        + (state.isSameMachine == true ? ", as the same machine" : ", as a new machine"),
      cure:
        "if the machine that the backup was made on is still on, switch its host off: two machines out of one backup read and deliver the "
        + "same meters. Their readings have the same names, so that the receiver has each once")
  }
}
