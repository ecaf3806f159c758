public import Foundation
import HostPrimitives
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
  /// Whose the receiver may be on this machine, where TLS does not prove it.
  public var receiverUser = ReceiverUser.own
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
    do { return try ReceiverEndpoint(receiver) } catch { throw GatewayError(error) }
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
    settings.receiverUser = receiverUser
    settings.connections = max(settings.connections, concurrency + 2)
    return settings
  }

  /// The setting with full paths and every part checked: address, files, proxy, numbers.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_address`, `tls_file`, `receiver_user`, `proxy` or `upload_limit`, each with
  ///   its cure.
  public func checked() throws(GatewayError) -> ReceiverSetting {
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

extension ReceiverSetting: Codable {
  private enum CodingKeys: String, CodingKey {
    case receiver, format, proxy, concurrency
    case authorityFile = "ca_file"
    case clientCertificateFile = "client_certificate_file"
    case clientKeyFile = "client_key_file"
    case receiverUser = "receiver_user"
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
    receiverUser = try container.decodeIfPresent(ReceiverUser.self, forKey: .receiverUser) ?? receiverUser
    concurrency = try container.decodeIfPresent(Int.self, forKey: .concurrency) ?? concurrency
    requestsPerSecond = try container.decodeIfPresent(Double.self, forKey: .requestsPerSecond)
  }

  /// Writes a setting; what has its default as an earlier version would.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(receiver, forKey: .receiver)
    try container.encode(format, forKey: .format)
    try container.encodeIfPresent(authorityFile, forKey: .authorityFile)
    try container.encodeIfPresent(clientCertificateFile, forKey: .clientCertificateFile)
    try container.encodeIfPresent(clientKeyFile, forKey: .clientKeyFile)
    try container.encodeIfPresent(proxy, forKey: .proxy)
    // Left out, so that a delivery that runs knows an unchanged setting by its bytes.
    if receiverUser != .own { try container.encode(receiverUser, forKey: .receiverUser) }
    try container.encode(concurrency, forKey: .concurrency)
    try container.encodeIfPresent(requestsPerSecond, forKey: .requestsPerSecond)
  }
}

// The setting of the session's own receiver stands in the session's row, so that both change at the same moment.
extension ReceiverSetting {
  /// Where earlier versions kept it.
  private static let file = "receiver.json"

  /// The setting of the session in force; nil without a session, or when it has none.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` when it is damaged; `StoreError`.
  public static func current(in store: MeterStore) throws -> ReceiverSetting? {
    try of(store.currentSession(), in: store.folder)
  }

  /// The setting of a session that was looked up.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting`.
  public static func of(_ session: Session, in folder: URL) throws(GatewayError) -> ReceiverSetting? {
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
