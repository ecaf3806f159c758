"""A Prometheus of Debian that scrapes a host and evaluates its rules."""

import json
import pathlib
import subprocess
import time
import urllib.parse
import urllib.request

from gateway import free_port

CONFIGURATION = """\
global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - job_name: meterhost
    static_configs:
      - targets: ["127.0.0.1:{port}"]
"""


class Prometheus:
    def __init__(self, program, rules, port, folder):
        folder = pathlib.Path(folder) / "prometheus"
        folder.mkdir()
        configuration = folder / "prometheus.yml"
        configuration.write_text(CONFIGURATION.format(rules=json.dumps(str(pathlib.Path(rules).resolve())), port=port))
        self.port = free_port()
        self.said = open(folder / "said", "w+")
        self.process = subprocess.Popen(
            [program, f"--config.file={configuration}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=self.said, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        self.process.wait(timeout=60)
        if kind:
            self.said.seek(0)
            print(self.said.read()[-4000:])
        self.said.close()

    def api(self, path, **query):
        address = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return json.load(answer)["data"]

    def values(self, query):
        """The values of a query by their labels."""
        return [(each["metric"], float(each["value"][1])) for each in self.api("query", query=query)["result"]]

    def wait(self, what, condition):
        """It is another program: there is nothing but to ask it again. Returns what the condition found."""
        end = time.monotonic() + 60
        while True:
            assert self.process.poll() is None, "prometheus has ended"
            try:
                found = condition()
            except OSError:
                found = None
            if found:
                return found
            assert time.monotonic() < end, f"a Prometheus does not find {what}"
            time.sleep(0.2)
