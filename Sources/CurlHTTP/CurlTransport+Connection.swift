import CCurl
import HostPrimitives

extension CurlTransport.Settings {
  /// Sets on a handle what every connection has: time to connect, TLS that is verified, the proxy. The results of libcurl.
  func connectionOptions(_ handle: UnsafeMutableRawPointer, isEncrypted: Bool) -> [CURLcode] {
    var results = [
      mh_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
      mh_curl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1),
      mh_curl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2),
      mh_curl_set_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      mh_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, connectTimeout.milliseconds),
      mh_curl_set_long(handle, CURLOPT_TCP_KEEPALIVE, 1),
    ]
    let strings = [
      (CURLOPT_CAINFO, authorityFile), (CURLOPT_SSLCERT, clientCertificateFile), (CURLOPT_SSLKEY, clientKeyFile),
      // Without TLS a proxy, which the environment may name, would see everything.
      (CURLOPT_PROXY, isEncrypted ? proxy : ""),
    ]
    for (option, value) in strings {
      if let value { results.append(mh_curl_set_string(handle, option, value)) }
    }
    return results
  }
}
