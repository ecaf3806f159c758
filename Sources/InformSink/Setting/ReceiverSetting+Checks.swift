public import CurlHTTP
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
  public var transportSettings: CurlTransport.Settings { reach.transportSettings(concurrency: concurrency) }

  /// What of it every receiver over HTTP is told.
  var reach: HTTPReach {
    var reach = HTTPReach(receiver)
    reach.authorityFile = authorityFile
    reach.clientCertificateFile = clientCertificateFile
    reach.clientKeyFile = clientKeyFile
    reach.proxy = proxy
    reach.receiverUser = receiverUser
    return reach
  }

  /// The setting with full paths and every part checked: address, files, proxy, numbers.
  ///
  /// - Throws: ``ReceiverSettingError`` with code `receiver_address`, `tls_file`, `receiver_user`, `proxy` or `upload_limit`, each with
  ///   its cure.
  public func checked() throws(ReceiverSettingError) -> ReceiverSetting {
    var setting = self
    let checked: HTTPReach
    do { checked = try reach.checked() } catch { throw ReceiverSettingError(error) }
    setting.authorityFile = checked.authorityFile
    setting.clientCertificateFile = checked.clientCertificateFile
    setting.clientKeyFile = checked.clientKeyFile
    if let problem = deliverySettings.problem { throw ReceiverSettingError(.uploadLimit, problem) }
    return setting
  }
}

extension ReceiverSettingError {
  /// The problem by the codes of this type.
  init(_ problem: HTTPReachError) {
    let code: Code =
      switch problem.code {
      case .address: .address
      case .tlsFile: .tlsFile
      case .receiverUser: .receiverUser
      case .proxy: .proxy
      }
    self.init(code, problem.message, hint: problem.hint)
  }
}
