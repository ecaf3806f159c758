"""What others read in the metrics of a running host. Each step says what it has found; the first that fails ends it."""

import argparse
import json
import tempfile

from prometheus_client.openmetrics.parser import text_string_to_metric_families as strictly
from prometheus_client.parser import text_string_to_metric_families as plainly

from gateway import ORGANIZATION, TOKEN, USER, Gateway, free_port
from scraper import Prometheus

OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PLAIN = "text/plain; version=0.0.4; charset=utf-8"
# As Prometheus 2.42 asks.
WISH = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
        "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
METER, PERIPHERAL = "SDK/meters/contour-next-one.json", "1000"

# What a host has from the beginning, or after one meter was read and its readings were delivered.
FAMILIES = {
    "meterhost_build": "info", "meterhost_readings": "counter", "meterhost_reads": "counter",
    "meterhost_read_seconds": "histogram", "meterhost_advertisements": "counter",
    "meterhost_delivery_attempts": "counter", "meterhost_delivery_seconds": "histogram",
    "meterhost_delivery_delay_seconds": "histogram", "meterhost_queue_records": "gauge",
    "meterhost_queue_bytes": "gauge", "meterhost_session_valid": "gauge", "meterhost_clock_synchronized": "gauge",
    "meterhost_commits": "counter", "meterhost_commit_seconds": "histogram", "meterhost_worker_starts": "counter",
    "meterhost_quarantined_drivers": "gauge", "meterhost_adapter_up": "gauge",
    "meterhost_adapter_connections": "gauge", "meterhost_meter_last_read_timestamp_seconds": "gauge",
    "meterhost_state_folder_free_bytes": "gauge", "process_cpu_seconds": "counter",
    "process_resident_memory_bytes": "gauge", "process_start_time_seconds": "gauge", "process_open_fds": "gauge",
}


def parsed(text, parser=strictly):
    """The families of a text by name; the strict parser throws at whatever OpenMetrics does not allow."""
    return {family.name: family for family in parser(text)}


def total(families, name, sample=None, **labels):
    """The sum of a family's samples with these labels."""
    return sum(each.value for each in families[name].samples
               if each.name == (sample or name) and labels.items() <= each.labels.items())


def check_forms(gateway, port):
    for place in (port, None):
        name = "port" if place else "control socket"
        status, kind, text = gateway.get(WISH, place)
        assert (status, kind) == (200, OPEN), f"{name}: {status} {kind}"
        assert text.endswith("# EOF\n")
        strict = parsed(text)
        for wish in (None, "text/plain", "application/json, */*;q=0.1"):
            status, kind, text = gateway.get(wish, place)
            assert (status, kind) == (200, PLAIN), f"{name}: {status} {kind}"
            assert "# EOF" not in text
        plain = parsed(text, plainly)
        assert plain["meterhost_commits"].type == "counter" and plain["meterhost_build_info"].type == "gauge"
        print(f"metrics-test: {name}: {len(strict)} families in OpenMetrics 1.0, {len(plain)} in 0.0.4")


def check_command(gateway):
    done = gateway.run("metrics")
    assert done.returncode == 0, done.stderr
    strict = parsed(done.stdout)
    families = gateway.ask("metrics")
    assert set(strict) == {family["name"] for family in families}
    print(f"metrics-test: meterhost metrics: {len(strict)} families")


def check_numbers(gateway, port, read):
    families = parsed(gateway.get(WISH, port)[2])
    for name, kind in FAMILIES.items():
        assert name in families, f"there is no {name}"
        assert families[name].type == kind, f"{name} is {families[name].type}"
    filed = total(families, "meterhost_readings", "meterhost_readings_total")
    delivered = total(families, "meterhost_delivery_attempts", "meterhost_delivery_attempts_total", outcome="delivered")
    assert filed == read["new"] > 0, f"{filed} filed, {read['new']} read"
    pending = total(families, "meterhost_readings", "meterhost_readings_total", state="pending")
    assert delivered == pending > 0, f"{delivered} delivered of {pending}"
    assert total(families, "meterhost_reads", "meterhost_reads_total", peripheral=PERIPHERAL, outcome="completed") == 1
    assert total(families, "meterhost_session_valid", sink="inform") == 1
    assert total(families, "meterhost_queue_records", state="pending") == 0
    assert total(families, "meterhost_delivery_delay_seconds", "meterhost_delivery_delay_seconds_count") == delivered
    assert total(families, "meterhost_adapter_up", adapter="virtual") == 1
    print(f"metrics-test: {int(filed)} readings were filed and {int(delivered)} delivered, as the metrics have it")
    return filed


def check_secrets(gateway, port, names):
    said = "".join(gateway.get(wish, place)[2] for wish in (WISH, None) for place in (port, None))
    for word in [USER, ORGANIZATION, TOKEN, *names]:
        assert word not in said, "a user, a token or a reading's name is in the metrics"
    print(f"metrics-test: {len(names)} names of readings were looked for, the user's and the token, and none found")


def check_scrape(arguments, port, folder, filed):
    with Prometheus(f"{arguments.prometheus}/prometheus", arguments.rules, port, folder) as prometheus:
        prometheus.wait("the host", lambda: [1.0] == [value for _, value in prometheus.values('up{job="meterhost"}')])
        [target] = prometheus.api("targets")["activeTargets"]
        assert target["health"] == "up" and not target["lastError"], target["lastError"]
        prometheus.wait("the readings", lambda: prometheus.values("sum(meterhost_readings_total)") and
                        prometheus.values("sum(meterhost_readings_total)")[0][1] == filed)

        def rules():
            found = [rule for group in prometheus.api("rules")["groups"] for rule in group["rules"]]
            return found if all(rule["health"] == "ok" for rule in found) else None

        found = prometheus.wait("healthy rules", rules)
        assert len(found) > 10
        firing = [rule["name"] for rule in found if rule["state"] == "firing"]
        assert not firing, f"{firing} on a host that works"
        print(f"metrics-test: a Prometheus scrapes the host, and finds {len(found)} rules healthy")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--rules", required=True)
    parser.add_argument("--prometheus")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Gateway(arguments.program, folder) as gateway:
        done = gateway.run("metrics", "--json")
        assert done.returncode == 69 and json.loads(done.stderr)["error"]["code"] == "no_running_host", done.stderr
        gateway.receive()
        port = free_port()
        host, _ = gateway.start("run", "--metrics", str(port))
        gateway.await_port(port)
        gateway.start("meter", "run", METER)
        events = gateway.ask("read", PERIPHERAL, "--history", "--trust-clock")
        [read] = [event for event in events if event["event"] == "completed"]
        names = [reading["log_id"] for event in events for reading in event.get("readings", [])]
        check_forms(gateway, port)
        check_command(gateway)
        filed = check_numbers(gateway, port, read)
        check_secrets(gateway, port, names)
        if arguments.prometheus:
            check_scrape(arguments, port, folder, filed)
        gateway.end(host)
        gateway.start("run", "--metrics", str(port), "--metrics-per-meter")
        gateway.await_port(port)
        families = parsed(gateway.get(WISH, port)[2])
        assert "meterhost_readings" not in families, "counters do not begin at 0"
        meters = [each.labels["meter"] for each in families["meterhost_meter_last_read_timestamp_seconds"].samples]
        assert meters == [meter["uuid"] for meter in gateway.ask("meters", "list")]
        print("metrics-test: a new start counts from 0, and tells meters apart where it is asked to")


main()
