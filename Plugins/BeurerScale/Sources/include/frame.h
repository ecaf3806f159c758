/* What the scale's frames mean. Pure: bytes in, values and records out. README.md describes the protocol. */
#ifndef BEURER_FRAME_H
#define BEURER_FRAME_H

#include <meterhost/driver.h>

/* The one characteristic, of service FFE0: written and notified. */
#define BEURER_SERVICE 0xffe0u
#define BEURER_VALUE 0xffe1u

/* The low half of a frame's first byte; the high half is E or F, by the kind of scale. */
#define BEURER_HELLO 0x6u
#define BEURER_COMMAND 0x7u
#define BEURER_CLOCK 0x9u

/* Second bytes. */
#define BEURER_USERS 0x33u
#define BEURER_USER 0x34u
#define BEURER_SAVED_OF 0x41u
#define BEURER_SAVED 0x42u
#define BEURER_UNKNOWN_ALL 0x46u
#define BEURER_UNKNOWN 0x47u
#define BEURER_ASSIGNED 0x4cu
#define BEURER_STATUS 0x4fu
#define BEURER_WEIGHING 0x58u
#define BEURER_MEASURED 0x59u
#define BEURER_ANSWER 0xf0u
#define BEURER_TAKEN 0xf1u

/* A measurement, and the part of it that a frame carries. */
#define BEURER_WHOLE 22u
#define BEURER_PART 11u
#define BEURER_NAME 8u
/* Time, weight and impedance, which every measurement has. */
#define BEURER_HEAD 8u
/* No user of the scale, or one that is not known. */
#define BEURER_NOBODY 0xffffu

/* The share of water has no metric in the dictionary. */
#define BEURER_METRIC_WATER 0x8000u

/* What of a reading a record holds. */
enum beurer_share { BEURER_WHOLE_READING, BEURER_WEIGHT_ALONE, BEURER_BODY_ALONE };

typedef struct beurer_reading {
  uint32_t time;
  uint16_t weight;
  uint16_t impedance;
  uint16_t fat;
  uint16_t water;
  uint16_t muscle;
  uint16_t bone;
  uint16_t bmi;
  uint16_t user;
  uint16_t share;
  /* MH_REC_*; with MH_REC_PROVISIONAL only the weight counts. */
  uint32_t flags;
  uint8_t bytes[BEURER_WHOLE];
} beurer_reading;

/* Whether the bytes begin as a frame of either kind of scale does. */
int beurer_is_frame(mh_bytes bytes);

/* Reads the 22 bytes of a measurement. MH_OK, MH_E_NO_VALUE without a weight, MH_E_PROTOCOL for what no scale measures. */
int32_t beurer_read_whole(const uint8_t *bytes, beurer_reading *out);

/* Reads a frame 58 (the weight while it settles) or 47 (a measurement of nobody known). */
int32_t beurer_read_weighing(mh_bytes frame, beurer_reading *out);
int32_t beurer_read_unknown(mh_bytes frame, beurer_reading *out);

/* Whether the scale has computed a body. */
int beurer_has_composition(const beurer_reading *reading);

/* Puts one reading into the sink: MH_OK, or MH_E_FULL with the sink unchanged. */
int32_t beurer_put(const beurer_reading *reading, mh_sink *sink);

/* One value that a tool has: a frame, or the frames of one measurement one behind the other. MH_OK, MH_E_NO_VALUE or
 * MH_E_PROTOCOL. */
int32_t beurer_read_value(mh_bytes bytes, beurer_reading *out);

#endif
