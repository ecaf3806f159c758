"""A Home Assistant of one test: in a folder of its own, at a port of this machine, with MQTT set up and an owner."""
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

ENTRY = {
    "created_at": "2026-01-01T00:00:00+00:00", "modified_at": "2026-01-01T00:00:00+00:00", "entry_id": "0123456789abcdef0123456789abcdef",
    "domain": "mqtt", "title": "broker", "version": 1, "minor_version": 2, "options": {}, "source": "user", "unique_id": None,
    "disabled_by": None, "pref_disable_new_entities": False, "pref_disable_polling": False, "discovery_keys": {}, "subentries": [],
}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(what, condition, seconds=120):
    """Returns what a condition comes to, as soon as it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    raise SystemExit(f"ha-test: {what}: not within {seconds} s")


class Home:
    def __init__(self, program, folder, broker_port):
        self.folder, self.port, self.token = folder, free_port(), None
        os.makedirs(f"{folder}/.storage")
        with open(f"{folder}/configuration.yaml", "w", encoding="utf-8") as file:
            file.write(f"http:\n  server_host: 127.0.0.1\n  server_port: {self.port}\napi:\nfrontend:\nconfig:\n")
        entry = ENTRY | {"data": {"broker": "127.0.0.1", "port": broker_port, "discovery": True, "discovery_prefix": "homeassistant"}}
        with open(f"{folder}/.storage/core.config_entries", "w", encoding="utf-8") as file:
            json.dump({"version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [entry]}}, file)
        self.log = open(f"{folder}/home.log", "wb")
        # The first start fetches parts of its own from PyPI.
        self.process = subprocess.Popen([program, "-c", folder], stdout=self.log, stderr=self.log)
        wait_for("Home Assistant answers", self.answers, 600)
        self.sign_in()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"

    def answers(self):
        if self.process.poll() is not None:
            raise SystemExit(f"ha-test: Home Assistant has ended; see {self.folder}/home.log")
        try:
            with urllib.request.urlopen(f"{self.base}/api/onboarding", timeout=5):
                return True
        except urllib.error.HTTPError:
            return False
        except OSError:
            return False

    def sign_in(self):
        owner = {"client_id": f"{self.base}/", "name": "t", "username": "t", "password": "tttttttt", "language": "en"}
        code = self.ask("/api/onboarding/users", json.dumps(owner).encode(), "application/json")["auth_code"]
        grant = urllib.parse.urlencode({"grant_type": "authorization_code", "code": code, "client_id": f"{self.base}/"})
        self.tokens = self.ask("/auth/token", grant.encode(), "application/x-www-form-urlencoded")
        self.token = self.tokens["access_token"]

    def open_pages(self):
        # The other steps of the first start, which pages would ask for.
        for step in ("core_config", "analytics"):
            self.ask(f"/api/onboarding/{step}", b"{}", "application/json")
        last = {"client_id": f"{self.base}/", "redirect_uri": f"{self.base}/"}
        self.ask("/api/onboarding/integration", json.dumps(last).encode(), "application/json")

    def ask(self, path, body=None, kind=None):
        headers = {"Content-Type": kind} if kind else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.base + path, data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def states(self):
        return {state["entity_id"]: state for state in self.ask("/api/states")}

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
