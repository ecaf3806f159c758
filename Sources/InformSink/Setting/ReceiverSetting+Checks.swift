public import CurlHTTP
import Foundation
import HostPrimitives
public import MeterCore

extension ReceiverSetting {
  /// The address, if it is one that may be used.
  ///
  /// - Throws: ``ReceiverSettingError`` with code `receiver_address`.
  public func endpoint() throws(ReceiverSettingError) -> ReceiverEndpoint {
    do { return try ReceiverEndpoint(receiver) } catch {
      throw ReceiverSettingError(.address, error.message, hint: error.hint)
    }
  }

  /// The setting as the delivery engine takes it.
  public var deliverySettings: DeliverySettings {
    var settings = DeliverySettings()
    settings.concurrency = concurrency
    settings.requestsPerSecond = requestsPerSecond
    return settings
  }

  /// The setting as a transport takes it.
  public var transportSettings: CurlTransport.Settings {
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
  /// - Throws: ``ReceiverSettingError`` with code `receiver_address`, `tls_file`, `receiver_user`, `proxy` or `upload_limit`, each with
  ///   its cure.
  public func checked() throws(ReceiverSettingError) -> ReceiverSetting {
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
      throw ReceiverSettingError(
        .tlsFile, "\(receiver) is plain http, which has no certificates",
        hint: "give an https address, or leave the certificate options out")
    }
    guard isPlain || receiverUser == .own else {
      throw ReceiverSettingError(
        .receiverUser, "whose the receiver is, its certificate says with https",
        hint: "leave --receiver-user out; it is for plain http and Unix sockets on this machine")
    }
    if let proxy { try Self.checkProxy(proxy, isPlain: isPlain) }
    guard DeliverySettings.concurrencyRange.contains(concurrency) else {
      throw ReceiverSettingError(
        .uploadLimit,
        "requests at a time must be \(DeliverySettings.concurrencyRange.lowerBound) to "
          + "\(DeliverySettings.concurrencyRange.upperBound), not \(concurrency)")
    }
    if let rate = requestsPerSecond, !DeliverySettings.rateRange.contains(rate) {
      throw ReceiverSettingError(
        .uploadLimit,
        "requests a second must be \(DeliverySettings.rateRange.lowerBound) to \(DeliverySettings.rateRange.upperBound)"
      )
    }
    return setting
  }

  private static func fullPath(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  private static func checkProxy(_ proxy: String, isPlain: Bool) throws(ReceiverSettingError) {
    guard !isPlain else {
      throw ReceiverSettingError(
        .proxy, "a proxy would see token and readings of a plain http receiver",
        hint: "leave --proxy out for a receiver on this machine")
    }
    let parts: WebAddress
    do { parts = try WebAddress(proxy) } catch {
      throw ReceiverSettingError(.proxy, "the proxy's address \(error.problem)", hint: error.cure)
    }
    guard ["http", "https", "socks5", "socks5h"].contains(parts.scheme), parts.path.isEmpty || parts.path == "/" else {
      throw ReceiverSettingError(
        .proxy, "the proxy's address must be like http://HOST:PORT",
        hint: "http, https, socks5 and socks5h are known")
    }
  }
}
