"""From a booted machine to a reading that was confirmed in a browser; see scripts/fresh-machine."""

import argparse
import json
import pathlib
import socket
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "page-test.d"))

from playwright.sync_api import sync_playwright  # noqa: E402

from browsing import Browsing  # noqa: E402
from machine import Machine, Unexpected, wait_for  # noqa: E402
from receiving import Receiving  # noqa: E402

HOST = "meterhost"
AIR = "/var/lib/meterhost/air"
TOKEN = "/var/lib/meterhost/patient-1.token"
METERS = "/usr/share/meterhost/meters"
# What setup is to read, and what is held: catalogue entry and virtual meter.
FIRST = ("1", "pyle-thermometer.json")
HELD = ("3000", "blood-pressure-memory.json")


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Person:
    """What a person does, step by step, each of which returns what it has found."""

    def __init__(self, machine, browsing):
        (self.machine, self.browsing) = (machine, browsing)
        (self.console, self.receiver) = (free_port(), free_port())
        self.receiving = Receiving(machine, self.receiver)
        self.starts = "0"

    def boot(self):
        wait_for("the machine has a first process", self.machine.find_leader)
        state = wait_for("the machine is up", lambda: self.is_up(), 120)
        return f"systemd says {state}"

    def is_up(self):
        state = self.machine.run("systemctl", "is-system-running", may_fail=True).strip()
        return state if state in ("running", "degraded") else ""

    def receiver_user(self):
        token = self.receiving.begin("clinic", "patient-1")
        self.machine.write(TOKEN, token + "\n", f"{HOST}:{HOST}", "600")
        return f"serves https://127.0.0.1:{self.receiver}; clinic and patient-1 were made by command"

    def configure(self):
        self.machine.run("install", "-d", "-o", HOST, "-g", HOST, AIR)
        self.machine.write("/etc/meterhost/meterhost.toml",
                           f'[radio]\nair = "{AIR}"\n\n[run]\nconsole = "127.0.0.1:{self.console}"\n')
        self.host("config", "check")
        # A control group that the kernel has not let go of makes a start fail, and systemd tries again.
        self.machine.run("systemctl", "restart", HOST, may_fail=True)
        wait_for("the service is active", lambda: self.machine.state_of(HOST)["ActiveState"] == "active")
        self.starts = self.machine.state_of(HOST)["NRestarts"]
        return "virtual meters and the console are in meterhost.toml"

    def host(self, *words, **options):
        return self.machine.run("meterhost", *words, user=HOST, **options)

    def objects(self, *words):
        return [json.loads(line) for line in self.host(*words, "--json").splitlines()]

    def meter(self, file):
        """A virtual meter, for as long as something is done beside it."""
        return self.machine.started("meterhost", "meter", "run", f"{METERS}/{file}", "--air", AIR, user=HOST)

    def setup(self):
        (entry, file) = FIRST
        self.machine.write("/run/answers.toml", f"""[session]
user = "patient-1"
organization = "clinic"
destination = "receiver"
receiver = "https://127.0.0.1:{self.receiver}"
token_file = "{TOKEN}"

[meter]
read = true
peripheral = "{entry}"

[passive]
on = true
""")
        words = ("setup", "--answers", "/run/answers.toml", "--yes", "--timeout", "5")
        with self.meter(file):
            told = self.objects(*words)
        steps = told[-1].get("steps", []) if told else []
        for wanted in ("a session of patient-1 has begun", " was read"):
            if not any(step.endswith(wanted) for step in steps):
                raise Unexpected(f"setup says at its end that {wanted.strip()}", repr(steps or told))
        arrived = wait_for("the first reading is at the receiver, or held for a clock that nobody sets", self.arrived)
        return f"{'; '.join(steps)}; {arrived}"

    def arrived(self):
        """A machine in a folder has the kernel of this one, whose clock may be set by nobody: readings without a time of their own are
        held then, as they are to be."""
        if count := self.receiving.count():
            return f"{count} readings are at the receiver"
        reasons = {row["reason"] for row in self.objects("queue", "held")}
        return "held, for nobody sets this kernel's clock" if reasons == {"host_clock_unsynchronized"} else ""

    def service(self):
        state = self.machine.state_of(HOST)
        wanted = {"ActiveState": "active", "UnitFileState": "enabled", "NRestarts": self.starts}
        if {name: state.get(name) for name in wanted} != wanted:
            raise Unexpected(f"the service is {wanted}", repr(state))
        return f"active, enabled, not started again since: {state['StatusText']}"

    def held(self):
        (entry, file) = HELD
        words = ("read", entry, "--history", "--confirm-first", "--trust-clock", "--timeout", "60")
        with self.meter(file):
            self.host(*words)
        held = self.held_readings()
        if not any(row["reason"] == "awaiting_confirmation" for row in held.values()):
            raise Unexpected("readings that wait for a person", repr(held))
        there = [one for one in held if self.receiving.row(one)]
        if there:
            raise Unexpected("no reading that waits for a person is at the receiver", repr(there))
        return f"{len(held)} readings wait for a person, and none of them is at the receiver"

    def held_readings(self):
        return {row["log_id"]: row for row in self.objects("queue", "held")}

    def confirm(self):
        before = self.held_readings()
        link = self.objects("console")[0]["link"]
        self.browsing.confirm(link)
        confirmed = before.keys() - self.held_readings().keys()
        if len(confirmed) != 1:
            raise Unexpected("one reading was confirmed", repr(confirmed))
        self.confirmed = before[confirmed.pop()]
        return f"{self.confirmed['log_id']}, by the keys Tab and Enter"

    def stored(self):
        log_id = self.confirmed["log_id"]
        row = wait_for("the confirmed reading is at the receiver", lambda: self.receiving.row(log_id))
        others = [one for one in self.held_readings() if self.receiving.row(one)]
        if others:
            raise Unexpected("what is held is not at the receiver", repr(others))
        wanted = self.confirmed["reading"]["values"][0]
        metrics = json.loads(row)["metrics"]
        if wanted["value"] not in [metric["value"] for metric in metrics]:
            raise Unexpected(f"{wanted['metric']} of {wanted['value']} {wanted['unit']} in it", repr(metrics))
        self.browsing.after()
        return f"its row is in the receiver's database, with {wanted['metric']} of {wanted['value']} {wanted['unit']}"

    def end(self):
        self.machine.run("systemctl", "stop", HOST, "meterhost-receiver")
        for unit in (HOST, "meterhost-receiver"):
            state = self.machine.state_of(unit)["ActiveState"]
            if state != "inactive":
                raise Unexpected(f"{unit} ends as it is told", state)
        self.machine.run("systemctl", "poweroff", "--no-block", may_fail=True)
        return "both services end as they are told, and the machine goes off"


def main():
    parser = argparse.ArgumentParser()
    for name in ("process", "root", "console", "browser", "pictures"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    machine = Machine(arguments.process, arguments.root, arguments.console)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
        browsing = Browsing(browser, arguments.pictures)
        person = Person(machine, browsing)
        steps = {"boot": person.boot, "receiver": person.receiver_user, "configure": person.configure, "setup": person.setup,
                 "service": person.service, "held": person.held, "confirm": person.confirm, "stored": person.stored,
                 "end": person.end}
        for name, step in steps.items():
            begins = time.monotonic()
            try:
                found = step()
            except Exception as error:
                print(f"FAILED  {name:<10} {time.monotonic() - begins:6.1f} s  {error}", flush=True)
                if not isinstance(error, Unexpected):
                    traceback.print_exc()
                browsing.picture("failed")
                print(machine.journal(), file=sys.stderr)
                sys.exit(1)
            print(f"passed  {name:<10} {time.monotonic() - begins:6.1f} s  {found}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
