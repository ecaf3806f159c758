import BluetoothWire
package import GatewayEngine
import Logging
package import MeterCore
package import MeterDrivers

/// Tries a version out that has just come into use: its self-test, and the recorded sessions of this gateway's own meters.
///
/// An own meter is one that a person has paired here or has set something for. That it is assigned to somebody is not enough: each
/// session assigns its meter, a stranger's that passive reading has heard, too. What other devices have said, whatever they call
/// themselves, is not looked at, unless a person keeps the recording.
package struct UpdateTryout: Sendable {
  private let gateway: Gateway
  private let store: MeterStore

  /// Most recordings that are run for one package, the newest: each may take seconds on a small machine.
  static let mostRecordings = 20

  /// - Parameter gateway: With the new version in its registry.
  package init(gateway: Gateway, store: MeterStore) { (self.gateway, self.store) = (gateway, store) }

  /// Tries out the version of a package that is in use.
  ///
  /// - Throws: `PackageError` when the versions cannot be read, `StoreError` when nobody can say which meters are own ones.
  package func prove(_ id: String) async throws -> UpdateProof {
    let installer = try PackageInstaller(sources: gateway.locations.registrySources, host: gateway.drivers)
    let kept = try installer.kept(id)
    let new = try kept.current.bundle()
    let drivers = kept.current.manifest.drivers
    let entries = drivers.compactMap { gateway.registry.driver(id: $0) }
    let selfTest = await gateway.drivers.selfTest(new, entries: entries)
    guard selfTest == nil, let before = try kept.previous?.bundle() else { return UpdateProof(selfTest: selfTest) }
    let reader = RecordingReader(state: gateway.locations.state)
    let own = try ownMeters()
    let recordings = reader.folder.files.map { RecordingEntry($0) }
      .filter { entry in
        guard let head = entry.head else { return false }
        return head.origin == .session && drivers.contains(head.driver)
          && (entry.file.isKept || own.contains(head.meterTag))
      }
      .sorted { $0.order() > $1.order() }.prefix(Self.mostRecordings)
    var proof = UpdateProof()
    for entry in recordings {
      if let evidence = await evidence(entry, reader, before: before, new: new) { proof.evidence.append(evidence) }
    }
    return proof
  }

  /// What one recording tells; nil for one that does not open, or is of neither version.
  private func evidence(
    _ entry: RecordingEntry, _ reader: RecordingReader, before: VerifiedBundle, new: VerifiedBundle
  ) async -> UpdateProof.Evidence? {
    guard let head = entry.head else { return nil }
    let isSound = head.bundleHash == before.hash && head.end == .orderly && !head.isTruncated
    let isFault = head.bundleHash == new.hash && head.end == .fault
    guard isSound || isFault else { return nil }
    let replay = RecordingReplay(host: gateway.drivers)
    do throws(RecordingError) {
      let recording = try reader.open(RecordingReader.sealed(path: entry.file.path))
      let old = try await replay.run(
        recording, bundle: before, allowingOther: true, scope: isSound ? .everything : .recordsAndActions)
      let now = try await replay.run(
        recording, bundle: new, allowingOther: true, scope: isSound ? .recordsAndActions : .everything)
      return isSound
        ? .sound(name: entry.file.name, before: old, new: now) : .fault(name: entry.file.name, before: old, new: now)
    } catch {
      // What cannot be run on this machine now says nothing about the version.
      LogArea.drivers.logger.info("the recording \(entry.file.name) says nothing about an update: \(error.message)")
      return nil
    }
  }

  /// The tags of own meters, as recordings have them.
  private func ownMeters() throws(StoreError) -> Set<[UInt8]> {
    var tags: Set<[UInt8]> = []
    for meter in try store.meters() where meter.pairing != nil || meter.settings != MeterSettings() {
      guard let address = meter.address.flatMap({ BluetoothAddress($0) }) else { continue }
      tags.insert(try store.recordingTag(ofMeter: address.bigEndianBytes))
    }
    return tags
  }
}
