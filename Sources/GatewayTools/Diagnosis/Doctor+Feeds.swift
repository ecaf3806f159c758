import Foundation
import GatewayAPI
import GatewayEngine
import MeterCore

/// How exports of health stores come.
extension Doctor {
  func examineIngest() -> DoctorFinding {
    guard HostFeature.health.isBuiltIn else {
      return finding("ingest", .passed, "this version imports no exports of health stores: no folder is needed")
    }
    guard FileManager.default.fileExists(atPath: locations.state) else {
      return finding("ingest", .passed, Self.byHand)
    }
    do throws(StoreError) {
      let store = try MeterStore.look(at: URL(fileURLWithPath: locations.state), sinkKinds: .gateway)
      return examineIngest(try HealthFeedDesk.folders(in: store), try HealthFeedDesk.address(in: store))
    } catch {
      // What is wrong with the state folder is said of the state; a running host has it, mostly.
      return finding(
        "ingest", .passed, "`meterhost health watch` and `meterhost health ingest` show what the host that runs takes")
    }
  }

  private func examineIngest(_ folders: [String], _ address: IngestAddress?) -> DoctorFinding {
    let closed = folders.filter { access($0, R_OK | X_OK) != 0 || FileFacts(following: $0)?.isRegular == true }
    guard closed.isEmpty else {
      return finding(
        "ingest", .failed, "watched, and no folder that this user can read: \(closed.joined(separator: ", "))",
        cure: "make it, give the gateway's user the right to read it, or `meterhost health watch remove` it")
    }
    let feeds = folders + (address.map { ["http://\($0)"] } ?? [])
    guard let address, !address.isLoopback else {
      return finding("ingest", .passed, feeds.isEmpty ? Self.byHand : feeds.joined(separator: ", "))
    }
    return finding(
      "ingest", .warning, "\(feeds.joined(separator: ", ")): in plain HTTP, which others in the network can read along",
      cure: "put a proxy with TLS in front, and `meterhost health ingest listen 127.0.0.1:\(address.port)`")
  }

  private static let byHand = "no folder is watched, and nobody may post: exports of health stores are given by hand"
}
