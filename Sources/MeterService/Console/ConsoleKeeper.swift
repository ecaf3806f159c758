import Foundation
import GatewayAPI
import GatewayConsole
import GatewayEngine
import HTTPEncryption
import HTTPServing
import HostPrimitives
import Logging
import MeterConsole
import MeterCore

/// Serves the console as long as the host runs. A place that is taken is told of once, and tried again: readings go on meanwhile.
struct ConsoleKeeper: Sendable {
  /// How often an address that cannot be used is tried again.
  static let retryInterval = Duration.seconds(30)
  /// How often it looks whether the certificate was written anew, in seconds.
  static let certificateInterval: Int64 = 60

  let owner: GatewayOwner
  let settings: ConsoleSettings
  let clock: any HostClock
  let logger: Logger

  /// Whether the console may be served like this.
  ///
  /// - Throws: ``GatewayError`` with code `console_password`, `console_certificate` (it names nobody), or a code of `TLSFileError`.
  static func check(_ settings: ConsoleSettings, of owner: GatewayOwner) throws(GatewayError) {
    _ = try certificate(of: settings)
    guard settings.isForOthers, !ConsolePassword(stateFolder: owner.store.folder).isSet else { return }
    throw GatewayError(
      .usage, code: "console_password", "a console that others in the network can reach needs a password",
      hint: "set one with `meterhost console password`, and start the host again")
  }

  /// With what the console speaks TLS; nil: it does not.
  private static func certificate(of settings: ConsoleSettings) throws(GatewayError) -> CurrentTLS? {
    guard let files = settings.certificate else { return nil }
    let tls: CurrentTLS
    do throws(TLSFileError) { tls = try CurrentTLS(TLSFiles(certificate: files.file, key: files.key)) } catch {
      throw GatewayError(error)
    }
    guard tls.names.all.isEmpty else { return tls }
    throw GatewayError(
      .usage, code: "console_certificate",
      "the certificate \(files.file) is for no name and no address, and browsers refuse it",
      hint: "get one with the name that people type as its subject alternative name")
  }

  /// Serves until the task is cancelled.
  func follow() async {
    // What was uploaded to a host that has ended meanwhile is nobody's any more.
    try? FileManager.default.removeItem(atPath: RunningHost(owner: owner).uploadFolder)
    var told: String?
    while !Task.isCancelled {
      do {
        try await serve()
      } catch {
        let words = (error as? ServingError).map(self.words) ?? GatewayError(describing: error)?.message ?? "\(error)"
        if words != told { logger.error("\(words)") }
        told = words
        owner.console.closed(words)
      }
      guard !Task.isCancelled, await clock.elapsed(Self.retryInterval) else { break }
    }
    owner.console.closed()
  }

  private func serve() async throws {
    let (door, logger, settings) = (owner.console, logger, settings)
    let tls = try Self.certificate(of: settings)
    let renewing = tls.map { tls in Task { await renew(tls) } }
    defer { renewing?.cancel() }
    try await GatewayConsole(
      host: RunningHost(owner: owner), settings: settings,
      encryption: tls.map { ConsoleEncryption($0.encryption, names: $0.names) },
      view: EmbeddedView(desk: CameraDesk(HostDisplays(owner: owner)), base: "/displays", logger: logger), clock: clock,
      logger: logger
    ).run { reach in
      door.opened(reach.makeLink, closeVisits: reach.closeVisits)
      // Never a link: a log is read by others.
      logger.notice("the console is served", metadata: ["address": "\(settings.address)"])
    }
  }

  /// Reads a certificate that was written anew, until the task is cancelled. Under which names the console answers stays as it was.
  private func renew(_ tls: CurrentTLS) async {
    tell(tls)
    while await clock.ticks(every: Self.certificateInterval) {
      do throws(TLSFileError) {
        if try tls.reloadIfChanged() { tell(tls) }
      } catch {
        logger.error(
          "\(error.message); the console's certificate of before goes on", metadata: ["code": "\(error.code)"])
      }
    }
  }

  private func tell(_ tls: CurrentTLS) {
    if tls.isOver(at: clock) {
      logger.error("the console's certificate is over, and browsers refuse it", metadata: ["until": "\(tls.end)"])
    } else {
      logger.notice("the console's certificate holds", metadata: ["until": "\(tls.end)"])
    }
    let rights = try? FileManager.default.attributesOfItem(atPath: tls.files.key)[.posixPermissions] as? Int
    if let rights, rights & 0o004 != 0 { logger.warning("other users can read the key of the console's certificate") }
  }

  private func words(_ error: ServingError) -> String {
    switch error {
    case .cannotListen(let cause):
      "the console cannot listen at \(settings.address), which is in use or not this user's (\(cause))"
    case .stopped(let cause): "the console is not served at \(settings.address) at the moment (\(cause))"
    }
  }
}
