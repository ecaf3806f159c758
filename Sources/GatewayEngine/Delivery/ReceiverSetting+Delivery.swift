package import GatewayAPI
import DriverContract
package import Foundation
import HostPrimitives
package import MeterCore
package import CurlHTTP
package import InformSink

extension ReceiverSetting {
  /// The address, if it is one that may be used.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_address`.
  package func endpoint() throws(GatewayError) -> ReceiverEndpoint {
    do { return try ReceiverEndpoint(receiver) } catch { throw GatewayError(error) }
  }

  /// The setting as the delivery engine takes it.
  package var deliverySettings: DeliverySettings {
    var settings = DeliverySettings()
    settings.concurrency = concurrency
    settings.requestsPerSecond = requestsPerSecond
    return settings
  }

  /// The setting as a transport takes it.
  package var transportSettings: CurlTransport.Settings {
    var settings = CurlTransport.Settings()
    settings.authorityFile = authorityFile
    settings.clientCertificateFile = clientCertificateFile
    settings.clientKeyFile = clientKeyFile
    settings.proxy = proxy
    settings.receiverUser = receiverUser
    settings.connections = max(settings.connections, concurrency + 2)
    return settings
  }

  /// The setting with full paths and every part checked: address, files, proxy, numbers.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_address`, `tls_file`, `receiver_user`, `proxy` or `upload_limit`, each with
  ///   its cure.
  package func checked() throws(GatewayError) -> ReceiverSetting {
    var setting = self
    let endpoint = try endpoint()
    setting.authorityFile = authorityFile.map(Self.fullPath)
    setting.clientCertificateFile = clientCertificateFile.map(Self.fullPath)
    setting.clientKeyFile = clientKeyFile.map(Self.fullPath)
    try TLSFiles(
      authority: setting.authorityFile, certificate: setting.clientCertificateFile, key: setting.clientKeyFile
    ).check()
    // A Unix socket is as plain as http on this machine.
    let isPlain = !endpoint.base.lowercased().hasPrefix("https://")
    if isPlain, authorityFile != nil || clientCertificateFile != nil || clientKeyFile != nil {
      throw GatewayError(
        .usage, code: "tls_file", "\(receiver) is plain http, which has no certificates",
        hint: "give an https address, or leave the certificate options out")
    }
    guard isPlain || receiverUser == .own else {
      throw GatewayError(
        .usage, code: "receiver_user", "whose the receiver is, its certificate says with https",
        hint: "leave --receiver-user out; it is for plain http and Unix sockets on this machine")
    }
    if let proxy { try Self.checkProxy(proxy, isPlain: isPlain) }
    guard DeliverySettings.concurrencyRange.contains(concurrency) else {
      throw GatewayError(
        .usage, code: "upload_limit",
        "requests at a time must be \(DeliverySettings.concurrencyRange.lowerBound) to "
          + "\(DeliverySettings.concurrencyRange.upperBound), not \(concurrency)")
    }
    if let rate = requestsPerSecond, !DeliverySettings.rateRange.contains(rate) {
      throw GatewayError(
        .usage, code: "upload_limit",
        "requests a second must be \(DeliverySettings.rateRange.lowerBound) to \(DeliverySettings.rateRange.upperBound)"
      )
    }
    return setting
  }

  private static func fullPath(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  private static func checkProxy(_ proxy: String, isPlain: Bool) throws(GatewayError) {
    guard !isPlain else {
      throw GatewayError(
        .usage, code: "proxy", "a proxy would see token and readings of a plain http receiver",
        hint: "leave --proxy out for a receiver on this machine")
    }
    let parts: WebAddress
    do { parts = try WebAddress(proxy) } catch {
      throw GatewayError(.usage, code: "proxy", "the proxy's address \(error.problem)", hint: error.cure)
    }
    guard ["http", "https", "socks5", "socks5h"].contains(parts.scheme), parts.path.isEmpty || parts.path == "/" else {
      throw GatewayError(
        .usage, code: "proxy", "the proxy's address must be like http://HOST:PORT",
        hint: "http, https, socks5 and socks5h are known")
    }
  }
}

// The setting of the session's own receiver stands in the session's row, so that both change at the same moment.
extension ReceiverSetting {
  /// Where earlier versions kept it.
  private static let file = "receiver.json"

  /// The setting of the session in force; nil without a session, or when it has none.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` when it is damaged; `StoreError`.
  package static func current(in store: MeterStore) throws -> ReceiverSetting? {
    try of(store.currentSession(), in: store.folder)
  }

  /// The setting of a session that was looked up.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting`.
  package static func of(_ session: Session, in folder: URL) throws(GatewayError) -> ReceiverSetting? {
    guard session.user != nil else { return nil }
    if let bytes = session.options.receiver { return try read(Data(bytes), from: "the session's receiver") }
    let path = folder.appendingPathComponent(file).path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try read(FileManager.default.contents(atPath: path) ?? Data(), from: path)
  }

  private static func read(_ data: Data, from place: String) throws(GatewayError) -> ReceiverSetting {
    do {
      return try JSONDecoder().decode(ReceiverSetting.self, from: data)
    } catch {
      throw GatewayError(
        .failed, code: "receiver_setting", "\(place) is damaged",
        hint: "start the session again: `meterhost session start --receiver URL ...`", cause: error)
    }
  }

  /// The setting as the session's row keeps it.
  func stored() throws(GatewayError) -> [UInt8] {
    let encoder = JSONEncoder()
    // Equal settings are equal bytes, by which a running delivery knows that it is still the right one.
    encoder.outputFormatting = .sortedKeys
    do { return Array(try encoder.encode(self)) } catch {
      throw GatewayError(.failed, code: "receiver_setting", "the receiver's setting cannot be written", cause: error)
    }
  }

  /// Removes what an earlier version has left; without it or with it the session's row is what counts.
  static func removeFile(of folder: URL) {
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(file))
  }
}
