"""The receiver of the package, and what its database holds."""

import sqlite3

from machine import Unexpected, wait_for

USER = "meterhost-receiver"
FOLDER = "/etc/meterhost/receiver"
DATABASE = "var/lib/meterhost-receiver/receiver.sqlite"


class Receiving:
    def __init__(self, machine, port):
        (self.machine, self.port) = (machine, port)

    def begin(self, organization, user):
        """Gives it a certificate, an organisation and a user, and starts it.

        Returns the user's token."""
        run = self.machine.run
        run("install", "-d", "-m", "750", "-g", USER, FOLDER)
        # The machine trusts it as a person's would trust an authority.
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
            "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{FOLDER}/server.key", "-out",
            f"{FOLDER}/server.pem")
        run("chgrp", USER, f"{FOLDER}/server.key", f"{FOLDER}/server.pem")
        run("chmod", "640", f"{FOLDER}/server.key", f"{FOLDER}/server.pem")
        run("cp", f"{FOLDER}/server.pem", "/usr/local/share/ca-certificates/receiver.crt")
        run("update-ca-certificates")
        run("systemctl", "stop", USER)
        self.machine.write("/etc/meterhost/receiver.env", f"""METERHOST_RECEIVER_HOST=127.0.0.1
METERHOST_RECEIVER_PORT={self.port}
METERHOST_RECEIVER_TLS_CERTIFICATE={FOLDER}/server.pem
METERHOST_RECEIVER_TLS_KEY={FOLDER}/server.key
""")
        run("meterhost-receiver", "organization", "add", organization, user=USER)
        token = run("meterhost-receiver", "user", "add", organization, user, user=USER).strip()
        if not token or "\n" in token:
            raise Unexpected("the user's token, alone", f"{len(token)} characters in {len(token.splitlines())} lines")
        # One that could not have its first port has tried too often.
        run("systemctl", "reset-failed", USER, may_fail=True)
        run("systemctl", "enable", "--now", USER)
        wait_for("the receiver is active", lambda: self.machine.state_of(USER)["ActiveState"] == "active")
        return token

    def ask(self, sql, *values):
        # Only read: the receiver has it open.
        database = sqlite3.connect(f"file:{self.machine.root / DATABASE}?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(sql, values).fetchone()
        finally:
            database.close()

    def count(self):
        """How many readings it has."""
        return self.ask("SELECT count(*) FROM record")[0]

    def row(self, log_id):
        """The content of a reading; None where it has none."""
        found = self.ask("SELECT content FROM record WHERE log_id = ?", log_id)
        return found and found[0]
