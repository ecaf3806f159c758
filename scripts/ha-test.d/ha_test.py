"""What Home Assistant makes of a gateway's readings: called by scripts/ha-test."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from home import Home, free_port, wait_for  # noqa: E402

# Entity, state, device class and unit.
SENSORS = [
    ("sensor.station_blood_glucose", "112", "blood_glucose_concentration", "mg/dL"),
    ("sensor.station_systolic", "124", "pressure", "mmHg"), ("sensor.station_diastolic", "81", "pressure", "mmHg"),
    ("sensor.station_pulse", "67", None, "bpm"), ("sensor.station_spo2", "97", None, "%"),
    ("sensor.station_body_temperature", "36.6", "temperature", "°C"), ("sensor.station_body_weight", "81.4", "weight", "kg"),
    ("sensor.station_bmi", "24.9", None, "kg/m²"), ("sensor.station_body_fat", "21.5", None, "%"),
    ("sensor.station_blood_ketone", "0.4", None, "mmol/L"), ("sensor.station_battery", "88", "battery", "%"),
    ("sensor.station_measured", "2026-03-01T08:05:00+00:00", "timestamp", None),
]


class Broker:
    def __init__(self, program, folder):
        self.port = free_port()
        configuration = f"{folder}/mosquitto.conf"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f"user root\nlistener {self.port} 127.0.0.1\nallow_anonymous true\n")
        self.process = subprocess.Popen([program, "-c", configuration], stderr=subprocess.DEVNULL)

    def end(self):
        self.process.terminate()
        self.process.wait(10)


class Gateway:
    def __init__(self, program, port):
        setting = {
            "address": f"mqtt://localhost:{port}", "gateway": "gw-1", "home_assistant": "homeassistant", "retain": "on",
            "keep_seconds": 0, "receiver_user": "any",
        }
        self.process = subprocess.Popen(
            [program, json.dumps(setting)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def deliver(self, line):
        self.say(line)
        said = []
        while not said or said[-1] != "done":
            next_line = self.process.stdout.readline()
            if not next_line:
                raise SystemExit("ha-test: the gateway's program has ended")
            said.append(next_line.strip())
        return said[:-1]

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)


def check(condition, what):
    if not condition:
        raise SystemExit(f"ha-test: {what}")
    print(f"ha-test: {what}: ok", flush=True)


def shown(home):
    """What is not shown as it should be."""
    states, wrong = home.states(), []
    for entity, value, device_class, unit in SENSORS:
        state = states.get(entity, {})
        attributes = state.get("attributes", {})
        found = (state.get("state"), attributes.get("device_class"), attributes.get("unit_of_measurement"))
        if found != (value, device_class, unit):
            wrong.append((entity, found))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hass", required=True)
    parser.add_argument("--mosquitto", required=True)
    parser.add_argument("--gateway", required=True)
    parser.add_argument("--screenshot", help="the file of a picture of the meter's page")
    parser.add_argument("--browser", help="a Python with playwright, for it")
    parser.add_argument("--folder", help="where Home Assistant's files are left; a temporary folder without it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ha-test-") as temporary:
        folder = options.folder or temporary
        broker = Broker(options.mosquitto, folder)
        home = Home(options.hass, f"{folder}/home", broker.port)
        gateway = Gateway(options.gateway, broker.port)
        try:
            run(home, gateway, options, broker)
        finally:
            home.end()
            broker.end()


def run(home, gateway, options, broker):
    def connected(value):
        return lambda: home.states().get("binary_sensor.meterhost_gw_1_connected", {}).get("state") == value

    wait_for("the gateway is shown as connected", connected("on"))
    check(True, "the gateway is shown as connected")
    wait_for("its queue is shown", lambda: home.states().get("sensor.meterhost_gw_1_waiting", {}).get("state") == "3")
    # Nobody has subscribed to a meter's events before Home Assistant has been told of it: the first attempt may not be heard.
    def delivered():
        replies = gateway.deliver("deliver")
        return all(reply.startswith("delivered") for reply in replies)
    wait_for("every reading is delivered", delivered)
    check(True, "every reading is delivered, because Home Assistant listens")
    check(all(reply.startswith("delivered") for reply in gateway.deliver("correct")), "a correction is delivered")
    try:
        wait_for("sensors", lambda: not shown(home), 30)
    except SystemExit:
        check(False, f"sensors differ: {shown(home)}")
    check(True, f"{len(SENSORS)} sensors have values, classes and units")
    event = home.states()["event.station_reading"]["attributes"]
    check(event["event_type"] == "correction" and event["blood_glucose"] == 112, "the event tells the correction")
    attributes = home.states()["sensor.station_blood_glucose"]["attributes"]
    check(attributes["qualifier"] == "exact" and len(attributes["log_id"]) == 36, "a sensor names its reading")
    with open(home.folder + "/home.log", encoding="utf-8", errors="replace") as file:
        complaints = [line for line in file if "mqtt" in line.lower() and ("WARNING" in line or "ERROR" in line)]
    check(not complaints, f"Home Assistant has nothing to complain about {complaints[:3]}")
    if options.screenshot:
        home.open_pages()
        picture = os.path.join(os.path.dirname(os.path.abspath(__file__)), "picture.py")
        subprocess.run(
            [options.browser, picture, home.base, options.screenshot], input=json.dumps(home.tokens), text=True, check=True)
    gateway.end()
    wait_for("the gateway is shown as gone", connected("off"))
    check(not shown(home), "its readings stay when it is gone")
    again = Gateway(options.gateway, broker.port)
    wait_for("the gateway is back", connected("on"))
    again.say("forget")
    wait_for("the forgotten meter is gone", lambda: not [name for name in home.states() if ".station_" in name])
    check(True, "a forgotten meter is gone with all of its entities")
    again.end()


main()
