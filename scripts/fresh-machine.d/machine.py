"""The booted machine, seen from outside: commands in it, and its end."""

import contextlib
import pathlib
import subprocess
import time

# A step that waits for something gives up after this.
PATIENCE_S = 60


class Unexpected(Exception):
    """A step found something else than it expects."""

    def __init__(self, expected, found):
        super().__init__(f"expected: {expected}; there was: {found}")


def wait_for(what, look, patience=PATIENCE_S):
    """The first true thing that `look` returns; what it returned last is told when none comes."""
    end = time.monotonic() + patience
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() >= end:
            raise Unexpected(f"{what} within {patience} s", repr(found))
        time.sleep(0.2)


class Machine:
    """Its programs are started by nsenter(1), as by somebody who has logged in."""

    HOMES = {"meterhost": "/var/lib/meterhost", "meterhost-receiver": "/var/lib/meterhost-receiver"}

    def __init__(self, process, root, console):
        (self.process, self.root, self.console) = (process, pathlib.Path(root), pathlib.Path(console))
        self.leader = None

    def find_leader(self):
        """The machine's first process, which is the child of systemd-nspawn that has become systemd."""
        for task in pathlib.Path(f"/proc/{self.process}/task").glob("*/children"):
            for child in task.read_text().split():
                if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                    self.leader = child
        return self.leader

    def words(self, words, user):
        entered = ["nsenter", "--target", self.leader, "--mount", "--uts", "--ipc", "--pid", "--root", "--wd", "--"]
        # Nothing of this shell's: a fresh login.
        login = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", f"HOME={self.HOMES[user] if user else '/root'}"]
        return entered + (["runuser", "-u", user, "--"] if user else []) + login + list(words)

    def run(self, *words, user=None, text=None, may_fail=False):
        """What a command writes; it has to end with 0."""
        done = subprocess.run(self.words(words, user), capture_output=True, text=True, input=text, timeout=180)
        if done.returncode != 0 and not may_fail:
            raise Unexpected(f"`{' '.join(words)}` ends with 0", f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    @contextlib.contextmanager
    def started(self, *words, user=None):
        """Something that stays, from its first line on to the end of what is done beside it.

        nsenter(1) hands no signal on: the program is told by its number in the machine."""
        shell = ["sh", "-ec", 'echo $$; exec "$@"', "sh", *words]
        with subprocess.Popen(self.words(shell, user), stdout=subprocess.PIPE, text=True) as process:
            number = process.stdout.readline().strip()
            try:
                if not process.stdout.readline():
                    raise Unexpected(f"`{' '.join(words)}` says that it is there", f"it has ended with {process.wait()}")
                yield
            finally:
                # The shell's own: a small Debian has no program of this name.
                self.run("sh", "-c", f"kill -INT {int(number)}", may_fail=True)

    def write(self, path, text, owner="root:root", mode="644"):
        """Writes a file of the machine as root would."""
        self.run("sh", "-ec", 'cat >"$1.new"; chown "$2" "$1.new"; chmod "$3" "$1.new"; mv "$1.new" "$1"', "sh", path, owner,
                 mode, text=text)

    def state_of(self, unit):
        shown = self.run("systemctl", "show", unit, "-p", "ActiveState", "-p", "NRestarts", "-p", "UnitFileState", "-p",
                         "StatusText")
        return dict(line.split("=", 1) for line in shown.splitlines())

    def journal(self):
        """What the machine says of itself, for a step that has failed."""
        if self.leader is None:
            return self.console.read_text(errors="replace")[-4000:]
        return self.run("journalctl", "--no-pager", "-n", "40", "-u", "meterhost", "-u", "meterhost-receiver", may_fail=True)
