"""Writes a small export of Samsung Health with every oddity that readers have met: `samsung.py FOLDER`."""

import io
import sys
import zipfile
from pathlib import Path

STAMP = "20250302120000"


def table(name, header, rows, *, separator=",", encoding="utf-8", trailing=True, dotted=""):
    head = separator.join(dotted + column for column in header)
    tail = separator if trailing else ""
    lines = [f"{name},6040004,2", head] + [separator.join(row) + tail for row in rows]
    return ("\r\n".join(lines) + "\r\n").encode(encoding)


def tables():
    shealth, health = "com.samsung.shealth.", "com.samsung.health."
    yield shealth + "step_daily_trend", table(
        shealth + "step_daily_trend", ["day_time", "count", "distance", "calorie", "source_type", "deviceuuid", "binning_data"],
        [["1740787200000", "8123", "5600.5", "300.1", "-2", "x", '"[{""a"":1,\n""b"":2}]"'],
         ["1740787200000", "5000", "4000", "200", "0", "phone", ""],
         ["1740787200000", "4100", "4100", "200", "1", "watch", ""],
         ["2025-03-02 00:00:00.000", "900", "700", "1", "0", "phone", ""],
         ["2025-03-02 00:00:00.000", "1100", "650", "1", "1", "watch", ""],
         ["0", "17", "1", "1", "-2", "x", ""]])
    yield shealth + "tracker.pedometer_day_summary", table(
        shealth + "tracker.pedometer_day_summary", ["day_time", "step_count", "distance", "active_time"],
        [["1740700800000", "3000", "2100", "60000"], ["1740787200000", "1", "1", "1"]])
    yield shealth + "activity.day_summary", table(
        shealth + "activity.day_summary", ["day_time", "step_count", "active_time", "exercise_time", "calorie", "distance", "floor_count"],
        [["1740787200000", "8000", "3600000", "0", "412.25", "5500", "12"]])
    yield shealth + "tracker.heart_rate", table(
        shealth + "tracker.heart_rate", ["start_time", "end_time", "time_offset", "heart_rate", "min", "max", "datauuid"],
        [["2026-03-28 22:10:00.000", "2026-03-28 22:10:59.000", "UTC+0900", "61.0", "55.0", "70.0", "u-1"],
         ["2025-03-01 05:00:00.000", "2025-03-01 05:00:00.000", "UTC-0400", "0.0", "0", "0", "u-2"]],
        dotted="com.samsung.health.heart_rate.", encoding="utf-8-sig")
    yield shealth + "sleep", table(
        shealth + "sleep", ["original", "com.samsung.health.sleep.start_time", "com.samsung.health.sleep.end_time",
                            "com.samsung.health.sleep.time_offset", "com.samsung.health.sleep.datauuid", "efficiency"],
        [["", "2025-03-01 22:00:00.000", "2025-03-02 05:00:00.000", "UTC+0100", "s-1", "91.5"],
         ["goal", "2025-03-01 22:00:00.000", "", "UTC+0100", "", ""]], separator=";")
    yield health + "sleep_stage", table(
        health + "sleep_stage", ["start_time", "sleep_id", "stage", "end_time", "time_offset", "datauuid"],
        [["2025-03-01 22:00:00.000", "s-1", "40002", "2025-03-01 23:00:00.000", "UTC+0100", "g-1"],
         ["2025-03-01 23:00:00.000", "s-1", "40003", "2025-03-02 01:00:00.000", "UTC+0100", "g-2"],
         ["2025-03-01 23:00:00.000", "s-1", "49", "2025-03-02 01:00:00.000", "UTC+0100", "g-3"]], encoding="utf-16")
    yield shealth + "exercise", table(
        shealth + "exercise", ["start_time", "end_time", "time_offset", "exercise_type", "duration", "distance", "calorie",
                               "mean_heart_rate", "max_heart_rate", "min_heart_rate", "datauuid", "comment"],
        [["1740823200000", "1740826800000", "UTC+0100", "1002", "3500000", "10500.5", "700", "140", "171", "0", "e-1",
          '"so\nlang, ""gut"""']], dotted="com.samsung.health.exercise.")
    yield health + "weight", table(
        health + "weight", ["start_time", "time_offset", "weight", "height", "body_fat", "muscle_mass", "pkg_name", "datauuid"],
        [["2025-03-01 05:00:00.000", "UTC+0100", "81.6", "180", "16.1", "", "com.sec.android.app.shealth", "w-1"],
         ["1970-01-01 00:00:00.000", "UTC+0100", "80", "", "", "", "", "w-2"]], trailing=False)
    yield shealth + "blood_pressure", table(
        shealth + "blood_pressure", ["start_time", "time_offset", "systolic", "diastolic", "pulse", "datauuid"],
        [["2025-03-01 05:00:00.000", "UTC+0100", "120", "80", "66", "p-1"]])
    yield health + "water_intake", table(
        health + "water_intake", ["start_time", "time_offset", "amount", "unit_amount", "datauuid"],
        [["2025-03-01 05:00:00.000", "UTC+0100", "250", "250", "q-1"]])
    yield health + "heart_rate.raw", b"not,a,table\n"


def with_sidecar(path, starts):
    """Tables whose texts are read as the sidecars of their rows say. The first sidecar belongs to a row in UTC, which settles nothing."""
    name = "com.samsung.shealth.tracker.heart_rate"
    header = ["start_time", "end_time", "time_offset", "heart_rate", "datauuid"]
    rows = [["2025-03-01 04:00:00.000", "2025-03-01 04:00:59.000", "UTC+0000", "58", "r-0"],
            ["2025-03-01 05:00:00.000", "2025-03-01 05:00:59.000", "UTC+0900", "61", "r-1"],
            ["2025-03-01 06:00:00.000Z", "2025-03-01 06:00:59.000Z", "UTC+0900", "62", "r-2"]]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for row, start in starts:
            archive.writestr(f"samsunghealth_x_{STAMP}/jsons/{name}/{row[0]}/{row}.com.samsung.health.heart_rate.binning_data.json",
                             '[{"heart_rate":60.0,"start_time":%d,"end_time":1}]' % start)
        archive.writestr(f"samsunghealth_x_{STAMP}/{name}.{STAMP}.csv", table(name, header, rows, dotted="com.samsung.health.heart_rate."))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    utc, local = 1740805200000, 1740772800000
    with_sidecar(folder / "samsung-utc.zip", [("r-0", 1740801600000), ("r-1", utc + 20000)])
    with_sidecar(folder / "samsung-local.zip", [("r-0", 1740801600000), ("r-1", local + 20000)])
    with_sidecar(folder / "samsung-other.zip", [("r-1", local - 86400000), ("r-9", local)])
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in tables():
            archive.writestr(f"samsunghealth_x_{STAMP}/{name}.{STAMP}.csv", content)
        archive.writestr(f"samsunghealth_x_{STAMP}/jsons/{'x' * 40}/1/u.json", "[1]")
    (folder / "samsung.zip").write_bytes(whole.getvalue())
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as archive:
        for name, content in tables():
            archive.writestr(f"{name}.{STAMP}.csv", content)
    (folder / "samsung-stored.zip").write_bytes(plain.getvalue())
    (folder / "samsung.csv").write_bytes(dict(tables())["com.samsung.shealth.step_daily_trend"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
