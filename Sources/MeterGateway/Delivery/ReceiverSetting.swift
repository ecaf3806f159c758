public import Foundation
public import MeterCore

/// How a receiver is reached. It holds no secret: the token is in the state database, encrypted, and keys stay in their
/// files.
public struct ReceiverSetting: Sendable, Hashable {
  /// The receiver's address.
  public var receiver: String
  /// The form in which records go out.
  public var format = WireFormat.informV2
  /// A PEM file of certificate authorities instead of the system's.
  public var authorityFile: String?
  /// A PEM file with the certificate that this host shows the receiver.
  public var clientCertificateFile: String?
  /// A PEM file with the private key of that certificate.
  public var clientKeyFile: String?
  /// The proxy towards the receiver; nil leaves it to the environment.
  public var proxy: String?
  /// Requests at a time.
  public var concurrency: Int
  /// Requests a second at most; nil for as many as the receiver answers.
  public var requestsPerSecond: Double?

  /// A setting for a receiver's address, with defaults for all else.
  public init(receiver: String) {
    self.receiver = receiver
    concurrency = UploadSettings().concurrency
  }

  /// The address, if it is one that may be used.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_address`.
  public func endpoint() throws(GatewayError) -> ReceiverEndpoint {
    do {
      return try ReceiverEndpoint(receiver)
    } catch {
      throw GatewayError(.usage, code: "receiver_address", error.message, cause: error)
    }
  }

  /// The setting as an uploader takes it.
  public var uploadSettings: UploadSettings {
    var settings = UploadSettings()
    settings.format = format
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
    settings.connections = max(settings.connections, concurrency + 2)
    return settings
  }

  /// The setting with full paths and every part checked: address, files, proxy, numbers.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_address`, `tls_file`, `proxy` or `upload_limit`, each with its cure.
  public func checked() throws(GatewayError) -> ReceiverSetting {
    var setting = self
    let endpoint = try endpoint()
    setting.authorityFile = authorityFile.map(Self.fullPath)
    setting.clientCertificateFile = clientCertificateFile.map(Self.fullPath)
    setting.clientKeyFile = clientKeyFile.map(Self.fullPath)
    try TLSFiles(
      authority: setting.authorityFile, certificate: setting.clientCertificateFile, key: setting.clientKeyFile
    ).check()
    let isPlain = endpoint.base.lowercased().hasPrefix("http://")
    if isPlain, authorityFile != nil || clientCertificateFile != nil || clientKeyFile != nil {
      throw GatewayError(
        .usage, code: "tls_file", "\(receiver) is plain http, which has no certificates",
        hint: "give an https address, or leave the certificate options out")
    }
    if let proxy { try Self.checkProxy(proxy, isPlain: isPlain) }
    guard UploadSettings.concurrencyRange.contains(concurrency) else {
      throw GatewayError(
        .usage, code: "upload_limit",
        "requests at a time must be \(UploadSettings.concurrencyRange.lowerBound) to "
          + "\(UploadSettings.concurrencyRange.upperBound), not \(concurrency)")
    }
    if let rate = requestsPerSecond, !UploadSettings.rateRange.contains(rate) {
      throw GatewayError(
        .usage, code: "upload_limit",
        "requests a second must be \(UploadSettings.rateRange.lowerBound) to \(UploadSettings.rateRange.upperBound)")
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
    guard let parts = URLComponents(string: proxy), let host = parts.host, !host.isEmpty,
      ["http", "https", "socks5", "socks5h"].contains(parts.scheme?.lowercased() ?? ""),
      parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil
    else {
      throw GatewayError(
        .usage, code: "proxy", "the proxy's address must be like http://HOST:PORT",
        hint: "http, https, socks5 and socks5h are known")
    }
    guard parts.user == nil, parts.password == nil else {
      throw GatewayError(
        .usage, code: "proxy", "a proxy's password is not taken: it would be shown and stored plain",
        hint: "let this machine through the proxy by its address or certificate")
    }
  }
}

extension ReceiverSetting: Codable {
  private enum CodingKeys: String, CodingKey {
    case receiver, format, proxy, concurrency
    case authorityFile = "ca_file"
    case clientCertificateFile = "client_certificate_file"
    case clientKeyFile = "client_key_file"
    case requestsPerSecond = "requests_per_second"
  }

  /// Reads a setting; what earlier versions did not write has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(receiver: try container.decode(String.self, forKey: .receiver))
    format = try container.decodeIfPresent(WireFormat.self, forKey: .format) ?? format
    authorityFile = try container.decodeIfPresent(String.self, forKey: .authorityFile)
    clientCertificateFile = try container.decodeIfPresent(String.self, forKey: .clientCertificateFile)
    clientKeyFile = try container.decodeIfPresent(String.self, forKey: .clientKeyFile)
    proxy = try container.decodeIfPresent(String.self, forKey: .proxy)
    concurrency = try container.decodeIfPresent(Int.self, forKey: .concurrency) ?? concurrency
    requestsPerSecond = try container.decodeIfPresent(Double.self, forKey: .requestsPerSecond)
  }
}

// The setting of the session's own receiver stands beside the database in the state folder.
extension ReceiverSetting {
  private static let file = "receiver.json"

  /// The setting in a state folder; nil when none was made.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` when the file is damaged.
  public static func load(from folder: URL) throws(GatewayError) -> ReceiverSetting? {
    let path = folder.appendingPathComponent(file)
    guard FileManager.default.fileExists(atPath: path.path) else { return nil }
    do {
      return try JSONDecoder().decode(ReceiverSetting.self, from: Data(contentsOf: path))
    } catch {
      throw GatewayError(
        .failed, code: "receiver_setting", "\(path.path) is damaged",
        hint: "start the session again: `meterhost session start --receiver URL ...`", cause: error)
    }
  }

  /// Forgets the setting; harmless where there is none.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` when it stays.
  public static func remove(from folder: URL) throws(GatewayError) {
    let path = folder.appendingPathComponent(file)
    guard FileManager.default.fileExists(atPath: path.path) else { return }
    do {
      try FileManager.default.removeItem(at: path)
    } catch {
      throw GatewayError(
        .failed, code: "receiver_setting", "\(path.path) cannot be removed: \(error.localizedDescription)", cause: error
      )
    }
  }

  /// Writes the setting.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` when it cannot be written.
  public func save(to folder: URL) throws(GatewayError) {
    do {
      let data = try JSONEncoder().encode(self)
      try data.write(to: folder.appendingPathComponent(Self.file), options: .atomic)
    } catch {
      throw GatewayError(
        .failed, code: "receiver_setting",
        "the receiver's address cannot be written to \(folder.path): \(error.localizedDescription)", cause: error)
    }
  }
}
