"""The view with a scripted desk, as a program beside the test (Tests/Fixtures/ViewStage)."""

import queue
import subprocess
import threading


class Stage:
    """Tells the desk what to do, and waits for what it says."""

    def __init__(self, program, drawing):
        self.process = subprocess.Popen([program, drawing], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.link = self.expect("link ").removeprefix("link ")

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def expect(self, beginning):
        """The next line, which must begin so."""
        line = self.lines.get(timeout=60)
        assert line is not None and line.startswith(beginning), f"the stage says {line!r}, not {beginning!r}"
        return line

    def expect_all(self, *lines):
        """The next lines, in any order."""
        said = {self.expect("") for _ in lines}
        assert said == set(lines), f"the stage says {said}, not {set(lines)}"

    def tell(self, line):
        self.process.stdin.write(line + "\n")

    def end(self):
        """Closes the view; it must end by itself."""
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0, "the stage has failed"
