"""The command itself behind the page: a drawn meter, the shipped driver, a state folder of its own."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile


class Host:
    """`meterhost snap view` with a drawn meter whose rows show these texts."""

    def __init__(self, program, *texts):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.environment = {**os.environ, "METERHOST_STATE": str(pathlib.Path(self.folder.name) / "state")}
        self.view = subprocess.Popen([program, "snap", "view", "--demo", "\\n".join(texts), "--trust-clock", "--json"],
                                     env=self.environment, stdout=subprocess.PIPE, text=True)
        line = self.view.stdout.readline()
        assert line, "meterhost snap view has ended"
        self.link = json.loads(line)["link"]

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.view.send_signal(signal.SIGINT)
        status = self.view.wait(timeout=60)
        self.folder.cleanup()
        assert kind is not None or status == 0, f"meterhost snap view ends with {status}"

    def queue(self):
        """What waits in the queue."""
        done = subprocess.run([self.program, "queue", "list", "--json"], env=self.environment, capture_output=True,
                              text=True, timeout=60, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]
