package import MeterReceiver

/// The files of configuration for a fleet's message server.
package enum ServerConfiguration {
  /// What the server's own file includes: every key, and what it may do. It is read anew on SIGHUP, and drops no connection.
  package static func users(_ keys: [FleetKey]) -> String {
    var text = """
      # Made by `meterhost-receiver fleet config`; what is changed here is lost with the next one.
      authorization {
        timeout: 5
        users: [

      """
    for key in keys {
      let permissions =
        if let organization = key.organization {
          FleetPermissions.gateway(organization: organization, name: key.name)
        } else {
          FleetPermissions.receiver(name: key.name)
        }
      text += """
            { nkey: "\(key.publicKey)", permissions: {
              publish: { allow: \(list(permissions.publish)) }
              subscribe: { allow: \(list(permissions.subscribe)) } } }

        """
    }
    return text + "  ]\n}\n"
  }

  /// A file for a server to begin with, which its operator edits.
  ///
  /// - Parameters:
  ///   - name: The server's name in its cluster.
  ///   - folder: Where its certificate, its key and its stream lie. A server takes a path that is not whole from where it was started.
  ///   - others: The addresses of the other servers of the cluster, `HOST:PORT`; none where it is alone.
  package static func server(name: String, folder: String, others: [String]) -> String {
    let cluster = others.isEmpty ? alone : clustered(others)
    return """
      # Made once by `meterhost-receiver fleet config`, which leaves it alone from then on. nats-server 2.10 or later.
      server_name: \(name)
      listen: "0.0.0.0:4222"
      # The largest record, and what stands before it.
      max_payload: 2MB

      # TLS from the first byte: gateways know no other.
      tls {
        cert_file: "\(folder)/server.pem"
        key_file: "\(folder)/server.key"
        handshake_first: true
      }

      jetstream {
        store_dir: "\(folder)/jetstream"
        # Each message is on disk before it is acknowledged. A fleet is far from the speed that this costs.
        sync_interval: always
      }

      \(cluster)
      include "users.conf"

      """
  }

  private static let alone = """
    # Alone: what its disk loses, gateways send again. With `fleet config --route` it is one of a cluster.

    """

  private static func clustered(_ others: [String]) -> String {
    """
    # The servers of a cluster trust each other by a network of their own, or by a `tls` block here.
    cluster {
      name: "fleet"
      listen: "0.0.0.0:6222"
      routes: \(list(others.map { "nats://\($0)" }))
    }

    """
  }

  private static func list(_ texts: [String]) -> String {
    "[" + texts.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }
}
