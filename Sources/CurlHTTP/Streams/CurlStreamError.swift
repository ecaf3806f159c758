import CCurl
internal import HostErrors

/// What libcurl's results mean for a connection.
enum CurlStreamError {
  /// Why there is no connection.
  static func connecting(_ code: CURLcode, _ words: String) -> ByteConnectionError {
    let text = words.isEmpty ? String(cString: mh_curl_error(code)) : words
    return switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
      ByteConnectionError(.unreachable, "the server cannot be reached (\(text)); check network and address.")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
      ByteConnectionError(
        .certificate,
        "the server's certificate is not trusted (\(text)); check its name, its authority and this machine's clock.")
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM:
      ByteConnectionError(
        .certificate, "the files of authority or client certificate cannot be used (\(text)); check them.")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER:
      ByteConnectionError(.tls, "TLS was refused (\(text)); check that the port speaks TLS, and the certificates.")
    case CURLE_OPERATION_TIMEDOUT:
      ByteConnectionError(.timedOut, "the server did not answer in time; check network and address.")
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
      ByteConnectionError(.invalidAddress, "libcurl refuses the address (\(text)); check it.")
    default: lost(text)
    }
  }

  /// Why a connection that stood is of no more use. libcurl has one result for all of it; an alert of TLS, which is how a server refuses
  /// a client certificate after the handshake, stands in its words only.
  static func using(_ words: String) -> ByteConnectionError {
    if words.contains("alert") && words.contains("certificate") || words.contains("alert unknown ca") {
      return ByteConnectionError(
        .certificate, "the server refuses this client's certificate (\(words)); check which one it wants.")
    }
    if words.contains("alert") { return ByteConnectionError(.tls, "the server has ended TLS (\(words)).") }
    if words.contains("timed out") {
      return ByteConnectionError(.timedOut, "the server takes nothing more (\(words)); check it and the network.")
    }
    return lost(words)
  }

  static func lost(_ words: String) -> ByteConnectionError {
    ByteConnectionError(.closed, "the connection to the server broke off\((words.isEmpty ? nil : words).inBrackets).")
  }
}
