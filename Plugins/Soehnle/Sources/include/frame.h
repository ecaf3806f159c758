/* What the scale's history frames mean. Pure: bytes in, values and records out. README.md describes them. */
#ifndef SOEHNLE_FRAME_H
#define SOEHNLE_FRAME_H

#include <meterhost/driver.h>

/* Characteristics of 352E3000-28E9-40B8-A361-6DB4CCA4147C, by their second 16 bits and by what decode calls them. */
#define SOEHNLE_VALUES 1u
#define SOEHNLE_COMMAND 2u
#define SOEHNLE_DECODE_VALUES 0x8001u
#define SOEHNLE_DECODE_COMMAND 0x8002u

#define SOEHNLE_HISTORY 0x09u
#define SOEHNLE_USER 0x0cu
#define SOEHNLE_USERS 7u
#define SOEHNLE_FRAME_LENGTH 15u
/* Time, weight and both impedances: what makes a weighing itself. The user is no part of it. */
#define SOEHNLE_IDENTITY_LENGTH 13u

typedef struct soehnle_reading {
  int64_t t_us;
  uint16_t weight;
  uint16_t impedance;
  uint8_t user;
  uint8_t has_time;
  uint8_t identity[SOEHNLE_IDENTITY_LENGTH];
} soehnle_reading;

/* MH_OK, MH_E_NO_VALUE for a frame without a weight and for every other kind of frame, MH_E_PROTOCOL. */
int32_t soehnle_read(mh_bytes frame, soehnle_reading *out);

/* Puts one record into the sink: MH_OK, or MH_E_FULL with the sink unchanged. */
int32_t soehnle_put(const soehnle_reading *reading, mh_sink *sink);

/* Current Time (2A2B) of seconds since 1970-01-01T00:00 on a clock of the place: no fraction, no reason. */
#define SOEHNLE_TIME_LENGTH 10u
void soehnle_put_time(int64_t civil_seconds, uint8_t *out);

/* Whether the UUID is the scale's characteristic of this number; 0 is the service. */
int soehnle_is_uuid(const mh_uuid *uuid, uint8_t number);

#endif
