/* One stored reading of a TaiDoc meter: the bytes that it sends for it, and what they say. Pure: no host. */
#ifndef TAIDOC_READING_H
#define TAIDOC_READING_H

#include <meterhost/driver.h>

#include "frame.h"

namespace taidoc {

/* The driver's own parameter `meter_kind` (registry.json): how the four bytes of a value are to be read. */
constexpr uint16_t parameter_meter_kind = MH_PARAM_VENDOR;

enum class MeterKind : uint8_t { Unknown = 0, Glucose = 1, BloodPressure = 2, Thermometer = 3, MultiAnalyte = 4 };

/* What is known about a meter before its first byte. */
struct Meter {
  MeterKind kind;
  /* The meter's user slot, 0 for all of them. */
  uint8_t user;
  /* MH_PARAM_NO_CLOCK: the times that the meter sends mean nothing. */
  bool has_no_clock;
};

Meter meter_of(const mh_open &opening);

/* A reading as the meter stores it: the replies to 25 and 26 of one index. */
struct Entry {
  Payload time;
  Payload value;
};

constexpr bool operator==(const Entry &a, const Entry &b) { return a.time == b.time && a.value == b.value; }

/* What the meter sends alike on every read: the time as it was sent, the value and what was measured; not the meal, which
 * the person may change. */
struct Identity {
  uint8_t b[9];
};

constexpr bool operator==(const Identity &a, const Identity &b) {
  for (int i = 0; i < 9; i++)
    if (a.b[i] != b.b[i]) return false;
  return true;
}

Identity identity_of(const Meter &meter, const Entry &entry);

/* Minutes are the meter's resolution: u16 date = (year - 2000) << 9 | month << 5 | day, then minute, then hour. Microseconds
 * of civil time since 1970-01-01T00:00; false when the fields name no moment, as those of a clock that is not set. */
bool civil_time(const Payload &time, int64_t *microseconds);

/* The same the other way; false for a time that the meter cannot hold (before 2000 or after 2127). */
bool clock_payload(int64_t civil_microseconds, Payload *out);

/* Whether the meter keeps the same identity for a reading for ever: it has a time that is set. */
bool has_time(const Meter &meter, const Entry &entry);

/* Whether there is a reading of a person, or of control solution, in it. */
bool is_reading(const Meter &meter, const Entry &entry);

/* Appends the record. `flags`: more MH_REC_* flags, such as that the meter's clock is wrong. MH_E_NO_VALUE: there is no
 * reading in it, or none that this kind of meter can have; MH_E_FULL: the sink is as it was. */
int32_t emit_reading(const Meter &meter, const Entry &entry, uint32_t flags, mh_sink *sink);

} // namespace taidoc

#endif
