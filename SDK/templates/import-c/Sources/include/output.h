/* What goes into the sink: names, each once and before the first sample that has it, then samples and refusals. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "line.h"

/* Devices that are told apart. All others go under one name: an export may not decide how much memory it takes. */
#define DEVICES_MAX 64u
#define DEVICE_MAX_BYTES 96u

typedef struct output {
  /* Only samples of these types that overlap [since_us, until_us) are wanted; all of them are counted. */
  int64_t since_us;
  int64_t until_us;
  uint8_t is_wanted[LINE_TYPES];
  /* The index of a name, plus one; 0: it has not been put out. */
  uint32_t type_index[LINE_TYPES];
  uint32_t unit_index[LINE_UNITS];
  uint32_t n_types;
  uint32_t n_units;
  uint32_t n_devices;
  /* Of this event, of each type. */
  uint32_t counts[LINE_TYPES];
  uint8_t device_bytes[DEVICES_MAX];
  char device[DEVICES_MAX][DEVICE_MAX_BYTES];
} output;

/* Each puts out all of what it is asked for, or returns MH_E_FULL, after which the same is asked again: names that were
 * put out by then stay. `place` is the offset of the line in the export. */
int32_t output_line(output *to, mh_import_sink *sink, const line *from, uint64_t place);
/* `type`: LINE_TYPES for none that is known. */
int32_t output_refusal(output *to, mh_import_sink *sink, uint32_t reason, uint32_t type, uint64_t place);
int32_t output_counts(output *to, mh_import_sink *sink);

#endif
