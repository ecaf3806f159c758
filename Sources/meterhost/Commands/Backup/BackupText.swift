import GatewayAPI

/// Backups in words.
enum BackupText {
  static func lines(of backup: BackupDescription) -> [(name: String, value: String)] {
    [
      ("backup", backup.file), ("of", backup.gateway), ("as of", backup.made), ("size", size(backup.bytes)),
      ("parts", "\(backup.parts)"), ("key", backup.hasKey ? "in it" : "not in it"),
      ("made by", "meterhost \(backup.program)"),
      ("records", backup.records.map { "\($0)" } ?? ""),
    ]
  }

  private static func size(_ bytes: Int64) -> String {
    bytes < 1_000_000 ? "\((bytes + 999) / 1000) kB" : "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
  }

  static func lines(of restored: RestoreDescription) -> [(name: String, value: String)] {
    [
      ("restored", restored.state), ("as of", restored.made),
      ("gateway", "\(restored.gateway) (\(restored.isSameMachine ? "the same machine" : "a new machine"))"),
      ("records", "\(restored.records)"),
    ]
  }

  /// What a person has to do, one sentence a line.
  static func advice(on restored: RestoreDescription) -> [String] {
    var advice: [String] = []
    let secrets = restored.secrets
    if !restored.hasKey {
      if secrets.tokens > 0 {
        advice.append(
          "\(secrets.tokens) access tokens are gone: start the session again with its token (`meterhost session start`), and add further "
            + "receivers again (`meterhost sink add`); until then nothing is delivered")
      }
      if secrets.keys > 0 {
        advice.append("\(secrets.keys) keys and licences are gone: enter them again (`meterhost key set`)")
      }
      if secrets.bonds > 0 {
        advice.append("\(secrets.bonds) bonds are gone: pair these meters again (`meterhost pair`)")
      }
    } else if secrets.bonds > 0, !restored.isSameMachine {
      advice.append(
        "\(secrets.bonds) bonds belong to the old machine's Bluetooth adapter: with another adapter pair these meters again "
          + "(`meterhost pair`)")
    }
    if let sealed = restored.sealedKey {
      advice.append(
        "systemd hands the key \(sealed) over to a host that it starts, which takes it before the one of the backup: unless they are the "
          + "same, move it away, or seal the backup's in its place (`systemd-creds encrypt --name=meterhost.key "
          + "\(restored.state)/vault/key \(sealed)`)")
    }
    if !restored.damaged.isEmpty {
      advice.append(
        "\(restored.damaged.count) records were damaged before the backup was made: `meterhost doctor --repair`")
    }
    if let machine = restored.machine {
      advice.append(
        "packages of drivers and whom the old machine trusts are in \(machine): look at them, and copy them as root "
          + "(`sudo cp -r \(machine)/. /etc/meterhost/`), for others to read (`sudo chmod -R go=rX /etc/meterhost/registry.d`)"
      )
    }
    advice.append(
      (restored.isSameMachine ? "let no other machine run out of this backup" : "leave the old machine off")
        + ": both would read and deliver the same meters. Nothing would be there twice at the receiver, and which of the two has a "
        + "meter's newest readings would be chance")
    return advice
  }
}
