/* One reading as the meter sends it, and the record that comes of it. */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include <meterhost/driver.h>

/* Bluetooth SIG ids of the Glucose Profile. */
#define GLUCOSE_SERVICE 0x1808u
#define GLUCOSE_MEASUREMENT 0x2a18u
#define RECORD_ACCESS 0x2a52u

/* What makes two packets the same reading: sequence, uncorrected time, raw concentration, unit. The meter sends these
 * bytes alike on every read, and nothing else belongs here. */
#define IDENTITY_SIZE 12

typedef struct measurement {
  uint8_t flags;
  uint8_t type_and_location;
  uint16_t sequence;
  uint16_t concentration;
  uint16_t status;
  int16_t offset_minutes;
  uint8_t base_time[7];
} measurement;

/* Reads a Glucose Measurement (GATT Specification Supplement 3.107). MH_E_PROTOCOL when it is shorter than its own
 * flags say; bytes behind the known fields are ignored. */
int32_t measurement_read(mh_bytes bytes, measurement *out);

/* Appends the record. MH_E_NO_VALUE when the meter says that it could not measure, MH_E_FULL when there is no room and
 * nothing was written. */
int32_t measurement_put(const measurement *reading, mh_sink *sink);

void measurement_identity(const measurement *reading, uint8_t out[IDENTITY_SIZE]);

#endif
