"""Writes exports of Health Connect with the platform's names of tables and columns: `connect.py FOLDER [ROWS]`."""

import sqlite3
import struct
import sys
import zipfile
from pathlib import Path

COMMON = """row_id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB(16) UNIQUE NOT NULL, last_modified_time INTEGER,
 client_record_id TEXT, client_record_version TEXT, device_info_id INTEGER, app_info_id INTEGER, recording_method INTEGER,
 dedupe_hash BLOB UNIQUE"""
INSTANT = COMMON + """, time INTEGER, zone_offset INTEGER, local_date INTEGER,
 local_date_time INTEGER AS (time + 1000 * zone_offset) VIRTUAL"""
INTERVAL = COMMON + """, start_time INTEGER, start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER,
 local_date INTEGER, local_date_time_start_time INTEGER GENERATED ALWAYS AS (start_time + 1000 * start_zone_offset),
 local_date_time_end_time INTEGER AS (end_time + 1000 * end_zone_offset)"""
KEYS = ", FOREIGN KEY (device_info_id) REFERENCES device_info_table(row_id)"
DAY = 1740787200000
TINY = 5e-324


class Writer:
    def __init__(self, path, page_size=4096, encoding="UTF-8", wal=False):
        path.unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.db.execute(f"PRAGMA encoding='{encoding}'")
        self.db.execute(f"PRAGMA page_size={page_size}")
        self.db.execute("PRAGMA user_version=23")
        self.serial = 0
        self.path, self.wal = path, wal

    def create(self, name, base, columns=""):
        self.db.execute(f'CREATE TABLE {name} ({base}{", " + columns if columns else ""}{KEYS if base in (INSTANT, INTERVAL) else ""})')

    def put(self, table, **values):
        if "uuid" not in values and not table.endswith(("series_table", "stages_table", "segments_table", "laps_table", "info_table", "priority_table")):
            self.serial += 1
            values["uuid"] = struct.pack(">QQ", 0x1122334455667788, self.serial)
            values.setdefault("last_modified_time", DAY + self.serial)
        marks = ",".join("?" * len(values))
        return self.db.execute(f"INSERT INTO {table} ({','.join(values)}) VALUES ({marks})", list(values.values())).lastrowid

    def close(self):
        self.db.commit()
        self.db.close()
        if self.wal:
            data = bytearray(self.path.read_bytes())
            data[18:20] = b"\x02\x02"
            self.path.write_bytes(data)


def instant(offset_s, **values):
    return dict(time=DAY + offset_s * 1000, zone_offset=3600, local_date=20148, **values)


def interval(offset_s, length_s, **values):
    return dict(start_time=DAY + offset_s * 1000, start_zone_offset=3600, end_time=DAY + (offset_s + length_s) * 1000,
                end_zone_offset=3600, local_date=20148, **values)


NUMBERS = [  # table, interval, column, value as it is stored
    ("distance", 1, "distance", 812.5), ("elevation_gained", 1, "elevation", 12.25), ("floors_climbed", 1, "floors", 3.0),
    ("active_calories_burned", 1, "energy", 123456.7), ("total_calories_burned", 1, "energy", 2000000.0),
    ("basal_metabolic_rate", 0, "basal_metabolic_rate", 80.0), ("weight", 0, "weight", 81600.0), ("bone_mass", 0, "mass", 3100.5),
    ("lean_body_mass", 0, "mass", 60000.0), ("body_water_mass", 0, "body_water_mass", 45000.1), ("height", 0, "height", 1.8),
    ("body_fat", 0, "percentage", 16.1), ("oxygen_saturation", 0, "percentage", 97.0), ("body_temperature", 0, "temperature", 36.6),
    ("basal_body_temperature", 0, "temperature", 36.4), ("respiratory_rate", 0, "rate", 14.5),
    ("resting_heart_rate", 0, "beats_per_minute", 55), ("heart_rate_variability_rmssd", 0, "heart_rate_variability_millis", 41.3),
    ("vo2_max", 0, "vo2_milliliters_per_minute_kilogram", 48.25), ("hydration", 1, "volume", 0.25),
    ("wheelchair_pushes", 1, "count", 40), ("blood_glucose", 0, "level", 5.4)]


def fill(w, rows):
    w.create("application_info_table", "row_id INTEGER PRIMARY KEY, package_name TEXT NOT NULL UNIQUE, app_name TEXT, app_icon BLOB, record_types_used TEXT")
    w.create("device_info_table", "row_id INTEGER PRIMARY KEY, manufacturer TEXT, model TEXT, device_type INTEGER")
    w.create("health_data_category_priority_table", "row_id INTEGER PRIMARY KEY, health_data_category INTEGER UNIQUE, app_id_priority_order TEXT")
    w.put("application_info_table", row_id=1, package_name="com.fit", app_name="Fit Müller", app_icon=b"\x89PNG" + b"x" * 30000)
    w.put("application_info_table", row_id=2, package_name="com.android.healthconnect.phone.x", app_name="Phone")
    w.put("application_info_table", row_id=3, package_name="com.watch", app_name=None)
    w.put("device_info_table", row_id=7, manufacturer="Acme", model="Watch 3", device_type=1)
    w.put("health_data_category_priority_table", health_data_category=1, app_id_priority_order="3,1")
    w.put("health_data_category_priority_table", health_data_category=5, app_id_priority_order="")
    w.create("steps_record_table", INTERVAL, "count INTEGER")
    for i in range(rows):
        w.put("steps_record_table", **interval(i * 60, 60, count=10 + i % 50, app_info_id=1 + i % 3, device_info_id=7 if i % 3 == 2 else -1,
                                                recording_method=3 if i % 97 == 5 else 2))
    for table, is_interval, column, value in NUMBERS:
        w.create(f"{table}_record_table", INTERVAL if is_interval else INSTANT, f"{column} {'INTEGER' if isinstance(value, int) else 'REAL'}")
        w.put(f"{table}_record_table", **(interval(600, 60) if is_interval else instant(700)), **{column: value}, app_info_id=1)
        w.put(f"{table}_record_table", **(interval(900, 60) if is_interval else instant(900)), **{column: -1 if isinstance(value, int) else TINY}, app_info_id=1)
    w.db.execute("ALTER TABLE blood_glucose_record_table ADD COLUMN relation_to_meal INTEGER DEFAULT 0")
    w.put("blood_glucose_record_table", **instant(1000, level=0.1 + 0.2, relation_to_meal=3, app_info_id=3))
    w.create("blood_pressure_record_table", INSTANT, "systolic REAL, diastolic REAL, measurement_location TEXT, body_position TEXT")
    w.put("blood_pressure_record_table", **instant(800, systolic=120.0, diastolic=80.0, measurement_location="3", app_info_id=1))
    w.create("sleep_session_record_table", INTERVAL, "title TEXT, notes TEXT")
    w.create("sleep_stages_table", "parent_key INTEGER, stage_start_time INTEGER, stage_end_time INTEGER, stage_type INTEGER")
    for night in range(3):
        key = w.put("sleep_session_record_table", **interval(night * 86400, 25200, title="n", notes="long " * (2000 * night), app_info_id=3))
        for stage in range(8):
            at = DAY + (night * 86400 + stage * 1800) * 1000
            w.put("sleep_stages_table", parent_key=key, stage_start_time=at, stage_end_time=at + 1800000, stage_type=stage)
    w.create("exercise_session_record_table", INTERVAL, "notes TEXT, exercise_type INTEGER, title TEXT, has_route INTEGER")
    w.create("exercise_segments_table", "parent_key INTEGER, segment_start_time INTEGER, segment_end_time INTEGER, segment_type INTEGER")
    w.create("exercise_laps_table", "parent_key INTEGER, lap_start_time INTEGER, lap_end_time INTEGER, lap_length REAL")
    w.put("exercise_session_record_table", **interval(40000, 1200, exercise_type=56, notes="n" * 12000, app_info_id=1))
    key = w.put("exercise_session_record_table", **interval(50000, 3600, exercise_type=33, app_info_id=1))
    for lap in range(3):
        at = DAY + (50000 + lap * 1200) * 1000
        w.put("exercise_laps_table", parent_key=key, lap_start_time=at, lap_end_time=at + 1200000, lap_length=400.5)
    w.put("exercise_segments_table", parent_key=key, segment_start_time=DAY + 50000000, segment_end_time=DAY + 50900000, segment_type=1)
    w.put("exercise_segments_table", parent_key=key, segment_start_time=DAY + 50900000, segment_end_time=DAY + 51000000, segment_type=67)
    w.create("nutrition_record_table", INTERVAL, "unsaturated_fat REAL, energy REAL, protein REAL, sodium REAL, total_fat REAL, meal_type INTEGER, meal_name TEXT")
    w.put("nutrition_record_table", **interval(43200, 600, energy=512500.0, protein=20.5, sodium=TINY, total_fat=0.0, meal_name="Mittag 🍲", app_info_id=1))
    w.create("menstruation_flow_record_table", INSTANT, "flow INTEGER")
    w.put("menstruation_flow_record_table", **instant(1, flow=2, app_info_id=1))
    w.create("sexual_activity_record_table", INSTANT, "protection_used INTEGER")
    w.put("sexual_activity_record_table", **instant(1, protection_used=1, app_info_id=1))
    w.create("mindfulness_session_record_table", INTERVAL, "title TEXT, mindfulness_session_type INTEGER")
    w.put("mindfulness_session_record_table", **interval(60, 600, app_info_id=1))
    w.create("heart_rate_record_table", INTERVAL)
    w.create("heart_rate_record_series_table", "parent_key INTEGER, beats_per_minute INTEGER, epoch_millis INTEGER")
    for i in range(rows // 4):
        key = w.put("heart_rate_record_table", **interval(i * 600, 600, app_info_id=3, device_info_id=7))
        for point in range(10):
            w.put("heart_rate_record_series_table", parent_key=key, beats_per_minute=60 + point, epoch_millis=DAY + (i * 600 + point * 60) * 1000)
    w.put("heart_rate_record_series_table", parent_key=10**9, beats_per_minute=60, epoch_millis=DAY)
    w.put("steps_record_table", **{**interval(0, 60, count=5, app_info_id=1), "start_time": DAY + 120000})
    w.put("steps_record_table", **{**interval(0, 60, count=5, app_info_id=1), "start_time": 0})


def main(folder, rows):
    folder.mkdir(parents=True, exist_ok=True)
    forms = {"connect": {}, "connect-512": dict(page_size=512), "connect-64k": dict(page_size=65536),
             "connect-utf16": dict(encoding="UTF-16le", wal=True)}
    for name, options in forms.items():
        w = Writer(folder / f"{name}.db", **options)
        fill(w, rows)
        w.close()
    with zipfile.ZipFile(folder / "connect.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme.txt", "x" * 10)
        archive.write(folder / "connect.db", "health_connect_export.db")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20)
