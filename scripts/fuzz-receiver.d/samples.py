"""One record of each type that the receiver takes, and what of a generated one has to give way to it: which unit and which
values belong to a metric is more than openapi.yaml can say."""

DAY = "2018-09-20"
COLLECTIONS = {
    "measurements": "measurement", "summaries": "summary", "workouts": "workout", "sleep": "sleep",
    "nutrition": "nutrition", "intraday": "intraday", "cgm": "cgm",
}
# What an image begins with.
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
JPEG = bytes.fromhex("ffd8ff")
VALUES = {
    "measurement": ("blood_glucose", "mg/dL", 111), "summary": ("steps", "{count}", 6392),
    "workout": ("active_duration", "s", 2407), "sleep": ("sleep_duration", "s", 15360),
    "nutrition": ("energy_consumed", "kcal", 1963),
}
SERIES = {"intraday": ("steps", "{count}", "data_points", 12), "cgm": ("blood_glucose", "mg/dL", "reading_log", 204)}
LEGACY = {
    "biometrics": {"systolic": 121, "diastolic": 80}, "diabetes": {"blood_glucose": 111}, "weight": {"weight": 70.5},
    "fitness": {"distance": 3638, "duration": 2407}, "routine": {"steps": 6392}, "nutrition": {"calories": 338},
    "sleep": {"total_sleep": 15360},
}


def metrics(kind):
    """The metrics of an Inform v2 record."""
    if kind in SERIES:
        name, unit, key, value = SERIES[kind]
        points = [{"time": f"{DAY}T0{hour}:00:00Z", "value": value + hour} for hour in range(3)]
        return [{"type": name, "origin": "device", "unit": unit, key: points}]
    name, unit, value = VALUES[kind]
    return [{"type": name, "origin": "device", "unit": unit, "value": value}]


def record(kind, log_id):
    """An Inform v2 record."""
    return {
        "log_id": log_id, "type": kind, "version": "1.0", "start_time": f"{DAY}T00:00:00Z",
        "end_time": f"{DAY}T23:59:59Z", "metrics": metrics(kind), "source": {"type": "device"},
    }


def mended(generated, kind, log_id):
    """A generated Inform v2 record with what the receiver insists on, and the rest as it was generated."""
    result = {**generated, **record(kind, log_id)}
    if isinstance(generated.get("source"), dict):
        result["source"] = {**generated["source"], "type": "device"}
    if result.get("utc_offset") is not None:
        result["offset_origin"] = "profile"
    elif result.get("offset_origin") is None:
        result.pop("offset_origin", None)
    else:
        result["utc_offset"] = 3600
    if kind in SERIES or kind == "measurement":
        result.pop("segments", None)
    elif isinstance(result.get("segments"), list):
        result["segments"] = [segment(each, kind) for each in result["segments"]]
    return result


def segment(generated, kind):
    """A generated segment without the metrics and times that contradict each other."""
    if not isinstance(generated, dict):
        return generated
    result = {name: generated[name] for name in generated if name not in ("end_time", "metrics")}
    if isinstance(result.get("food"), list):
        result["food"] = [
            {**food, "metrics": metrics(kind)} if isinstance(food, dict) else food for food in result["food"]
        ]
    if "start_time" in result and isinstance(result["start_time"], str):
        result["start_time"] = f"{DAY}T01:00:00Z"
    return result


def legacy(generated, kind, activity):
    """A generated Legacy record with what the receiver insists on, and the rest as it was generated."""
    # Numbers are measures, and most belong to another type.
    kept = {
        name: value for name, value in generated.items() if type(value) not in (int, float) or name == "revision"
    }
    if isinstance(kept.get("start_time"), str):
        kept["start_time"] = f"{DAY}T07:05:00Z"
    return {**kept, "activity_id": activity, "timestamp": f"{DAY}T07:05:00+02:00", **LEGACY[kind]}
