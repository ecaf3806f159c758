import CurlHTTP

extension FHIRSinkSetting: Codable {
  /// The names of its members.
  enum Member: String, CodingKey {
    case address, patient, auth, scopes, proxy
    case patientIdentifier = "patient_identifier"
    case confirmedPatient = "confirmed_patient"
    case tokenEndpoint = "token_endpoint"
    case clientID = "client_id"
    case keyFile = "key_file"
    case keyID = "key_id"
    case ids = "fhir_ids"
    case authorityFile = "ca_file"
    case clientCertificateFile = "client_certificate_file"
    case clientKeyFile = "client_key_file"
    case receiverUser = "receiver_user"
    case requestsPerSecond = "requests_per_second"
  }

  /// Reads a setting; a member that is left out has its default.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    self.init(address: try members.decode(String.self, forKey: .address))
    patient = try members.decodeIfPresent(String.self, forKey: .patient)
    patientIdentifier = try members.decodeIfPresent(String.self, forKey: .patientIdentifier)
    confirmedPatient = try members.decodeIfPresent(String.self, forKey: .confirmedPatient)
    authorization = try members.decodeIfPresent(Authorization.self, forKey: .auth) ?? authorization
    tokenEndpoint = try members.decodeIfPresent(String.self, forKey: .tokenEndpoint)
    clientID = try members.decodeIfPresent(String.self, forKey: .clientID)
    keyFile = try members.decodeIfPresent(String.self, forKey: .keyFile)
    keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
    scopes = try members.decodeIfPresent(String.self, forKey: .scopes)
    ids = try members.decodeIfPresent(IDs.self, forKey: .ids) ?? ids
    authorityFile = try members.decodeIfPresent(String.self, forKey: .authorityFile)
    clientCertificateFile = try members.decodeIfPresent(String.self, forKey: .clientCertificateFile)
    clientKeyFile = try members.decodeIfPresent(String.self, forKey: .clientKeyFile)
    proxy = try members.decodeIfPresent(String.self, forKey: .proxy)
    receiverUser = try members.decodeIfPresent(ReceiverUser.self, forKey: .receiverUser) ?? receiverUser
    requestsPerSecond = try members.decodeIfPresent(Double.self, forKey: .requestsPerSecond)
  }

  /// Writes a setting; what has its default is left out, but for the way in which this host proves who it is.
  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(address, forKey: .address)
    try members.encodeIfPresent(patient, forKey: .patient)
    try members.encodeIfPresent(patientIdentifier, forKey: .patientIdentifier)
    try members.encodeIfPresent(confirmedPatient, forKey: .confirmedPatient)
    try members.encode(authorization, forKey: .auth)
    try members.encodeIfPresent(tokenEndpoint, forKey: .tokenEndpoint)
    try members.encodeIfPresent(clientID, forKey: .clientID)
    try members.encodeIfPresent(keyFile, forKey: .keyFile)
    try members.encodeIfPresent(keyID, forKey: .keyID)
    try members.encodeIfPresent(scopes, forKey: .scopes)
    if ids != .server { try members.encode(ids, forKey: .ids) }
    try members.encodeIfPresent(authorityFile, forKey: .authorityFile)
    try members.encodeIfPresent(clientCertificateFile, forKey: .clientCertificateFile)
    try members.encodeIfPresent(clientKeyFile, forKey: .clientKeyFile)
    try members.encodeIfPresent(proxy, forKey: .proxy)
    if receiverUser != .own { try members.encode(receiverUser, forKey: .receiverUser) }
    try members.encodeIfPresent(requestsPerSecond, forKey: .requestsPerSecond)
  }
}
