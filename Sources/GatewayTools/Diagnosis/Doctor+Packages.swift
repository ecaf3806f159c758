import GatewayEngine
import Foundation
import MeterDrivers

/// Installed packages, and whom the operator trusts.
extension Doctor {
  func examinePackages() -> [DoctorFinding] { [examineTrust(), examineFolder(), examineInstalled()] }

  private func examineTrust() -> DoctorFinding {
    do throws(PackageError) {
      let list = try TrustList(file: locations.trust)
      let words =
        "\(list.publishers.count) publishers, \(list.floors.count) floors; signatures are "
        + (list.requiresSignatures ? "required" : "optional")
      guard list.allowsUnsigned else { return finding("trust", .passed, words) }
      return finding(
        "trust", .warning, "\(words); packages that nobody has signed may be installed",
        cure: "where no drivers are built: `meterhost driver trust policy --unsigned refused`")
    } catch {
      return finding(
        "trust", .failed, "\(error.message): no driver of a fragment is loaded", cure: error.cure)
    }
  }

  /// Whoever can write the drop-in folder installs what they want.
  private func examineFolder() -> DoctorFinding {
    guard let folder = locations.fragments, FileManager.default.fileExists(atPath: folder) else {
      return finding("drop-in folder", .passed, "\(locations.fragments ?? "") does not exist: there are no fragments")
    }
    for path in [folder, "\(folder)/packages"] {
      let target = URL(filePath: path).resolvingSymlinksInPath().path
      guard let facts = FileFacts(target) else { continue }
      guard facts.owner == 0 || facts.owner == geteuid() else {
        return finding(
          "drop-in folder", .failed, "\(path) belongs to another user (\(facts.owner)): they can install drivers",
          cure: "look at what is there, then run `chown -R root \(path)`")
      }
      guard facts.mode & 0o022 != 0 else { continue }
      return finding(
        "drop-in folder", .failed, "\(path) can be written by other users: they can install drivers",
        cure: "look at what is there, then run `chmod -R go-w \(path)`")
    }
    return finding("drop-in folder", .passed, "\(folder) is written by its owner only")
  }

  private func examineInstalled() -> DoctorFinding {
    do throws(PackageError) {
      let packages = try PackageInstaller.packages(in: locations.registrySources)
      let disabled = packages.filter { !$0.isEnabled }.map(\.id)
      let unsigned = packages.filter(\.signers.isEmpty).map(\.id)
      let words =
        "\(packages.count) packages" + (disabled.isEmpty ? "" : ", disabled: \(disabled.joined(separator: ", "))")
      guard unsigned.isEmpty else {
        return finding(
          "packages", .warning, "\(words); nobody has signed \(unsigned.joined(separator: ", "))",
          cure: "install signed packages of them")
      }
      return finding("packages", .passed, words)
    } catch {
      return finding("packages", .failed, error.message, cure: error.cure)
    }
  }
}
