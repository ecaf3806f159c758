/* Readings: what a driver makes of a meter's bytes.
 *
 * Frozen layouts without pointers, so that the same bytes go into memory, through a pipe and into a recording
 * (rule R12). A record's values and texts are runs in the sink's arrays; its identity bytes lie in the sink's arena.
 * Metric and unit codes stand in metrics.h, which is generated from the dictionary in registry.json. Codes from
 * MH_METRIC_VENDOR on are a driver's own and are declared in its registry entry.
 */
#ifndef METERHOST_RECORD_H
#define METERHOST_RECORD_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a record is. */
/* One measurement. */
#define MH_KIND_MEASUREMENT 1u
/* Facts about a measurement that came in a packet of their own (meal, medication ...). Joined to the measurement by
 * device_seq before delivery; never delivered alone. */
#define MH_KIND_CONTEXT 2u
/* Facts about the meter: serial number, firmware, battery, clock drift. Never delivered as a reading. */
#define MH_KIND_DEVICE_INFO 3u
/* Protocol facts for tools (control point answers, feature bits). Never committed. */
#define MH_KIND_DIAGNOSTIC 4u

/* Flags of a record. */
/* Progress, not a result: reaches events, never the queue. */
#define MH_REC_PROVISIONAL 0x1u
/* Control solution: never a value of a person. */
#define MH_REC_CONTROL 0x2u
/* The meter's clock was unset, jumped or lies in the future. */
#define MH_REC_CLOCK_SUSPECT 0x4u
/* Wait for a person before delivery (rule R27). */
#define MH_REC_HELD 0x8u
/* The meter took this record back. */
#define MH_REC_TOMBSTONE 0x10u
/* device_user says whose reading it is; meters count their users from 0 or from 1. Without this flag the owner is not
 * known. */
#define MH_REC_USER 0x20u

/* How to read t_us, end_us and utc_offset_s. */
/* The meter gave no time; the host uses the time of arrival. */
#define MH_TIME_NONE 0u
/* t_us counts microseconds of civil time since 1970-01-01T00:00 on the meter's display; its zone is unknown. */
#define MH_TIME_CIVIL 1u
/* As MH_TIME_CIVIL, and utc_offset_s says how far that display is ahead of UTC. */
#define MH_TIME_CIVIL_OFFSET 2u
/* t_us counts microseconds since 1970-01-01T00:00Z. */
#define MH_TIME_UTC 3u
/* utc_offset_s when it is not known. */
#define MH_OFFSET_UNKNOWN INT32_MIN

/* What makes a record's identity (rule C6 of the host: the same reading has the same log_id everywhere). */
/* 0: none, for records that are no measurement. */
/* Has a sequence number and/or a set clock: the same identity bytes on every read of this meter. */
#define MH_IDENT_STORED 1u
/* Has neither: the host makes an identity at first commit. */
#define MH_IDENT_LIVE 2u
/* A sum over an interval, sent again as it grows. */
#define MH_IDENT_SUMMARY 3u

/* How a value is to be read. */
#define MH_QUAL_EXACT 0u
/* The meter said "HI": the true value is above `value` or above what it can measure. */
#define MH_QUAL_ABOVE 1u
/* The meter said "LO". */
#define MH_QUAL_BELOW 2u
/* The meter itself doubts it (strip, temperature or movement error): the host holds the record. */
#define MH_QUAL_QUESTIONABLE 3u

/* Flags of a value. */
/* The meter reports steps that are no decimal fraction of the unit (1/30 mmol/L): raw is rounded to exp10. */
#define MH_VALUE_ROUNDED 0x1u

/* Metrics 1 to 99 are what is measured; from here on they say something about it. */
#define MH_METRIC_CONTEXT_FIRST 100u
/* First code of a driver's own metrics, in units of the dictionary. */
#define MH_METRIC_VENDOR 0x8000u
/* Codes of metrics and units (metrics.h) are never given another meaning. New ones come without a new minor: a host
 * holds a record whose metric or unit it does not know, and hands on nothing of it. A coded value is in MH_UNIT_NONE
 * with exponent 0. */

/* One value: exactly raw * 10^exp10 in `unit`; `value` is the nearest double. The exponent keeps the resolution that
 * the meter reported. */
typedef struct mh_value {
  uint16_t metric;
  uint16_t unit;
  int8_t exp10;
  uint8_t qualifier;
  uint16_t flags;
  double value;
  int64_t raw;
} mh_value;

/* One text: `len` bytes of UTF-8 at `off` in the arena. `field` is a metric code of the dictionary's kind "text". */
typedef struct mh_text {
  uint16_t field;
  uint16_t flags;
  uint32_t off;
  uint32_t len;
} mh_text;

/* One record. */
typedef struct mh_record {
  uint32_t kind;
  uint32_t flags;
  uint16_t n_values;
  uint16_t n_texts;
  /* The meter's user slot as the meter numbers it, with MH_REC_USER. */
  uint16_t device_user;
  uint16_t time_kind;
  int64_t t_us;
  /* End of the interval that the record covers; equal to t_us for a single moment. */
  int64_t end_us;
  /* The meter's own sequence number, MH_SEQ_NONE when it has none. */
  uint64_t device_seq;
  int32_t utc_offset_s;
  /* Index of the first value and text in the sink's arrays. */
  uint32_t first_value;
  uint32_t first_text;
  /* Records that belong to one act of measuring carry the same number, unlike any other's in the session; 0: alone. No
   * part of what identifies a record, and a host may pass it over. */
  uint32_t group;
  /* Identity bytes in the arena, as the meter reported them: sequence, uncorrected device time, raw mantissa and
   * exponent of the measured values. Never converted units, corrected time, context, text or time of arrival. A stored
   * identity fixes time, device_seq and measured values (below MH_METRIC_CONTEXT_FIRST) for ever: hold a record back
   * until they are complete. A release that adds or rescales one changes the identity too; the host holds what
   * contradicts. */
  uint32_t ident_off;
  uint16_t ident_len;
  uint16_t ident_class;
} mh_record;

#define MH_SEQ_NONE UINT64_MAX

static inline uint64_t mh_seq_none(void) { return UINT64_MAX; }
static inline int32_t mh_offset_unknown(void) { return INT32_MIN; }

#ifdef __cplusplus
}
#endif
#endif
