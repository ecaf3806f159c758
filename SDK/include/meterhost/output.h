/* Where a driver of any kind puts its output: the sink, and how records and texts are put into it without an overrun.
 *
 * A reading is the same whether it came by radio or from a picture of a display, so nothing here needs Bluetooth: what
 * belongs to other kinds of drivers includes this header and not bluetooth.h.
 */
#ifndef METERHOST_OUTPUT_H
#define METERHOST_OUTPUT_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a driver asks of the host; its fields are in bluetooth.h. */
typedef struct mh_action mh_action;

/* The most records that one event may produce (rule R16). */
#define MH_RECORDS_MAX 4096u
/* The most rounds of one event: MH_E_FULL so often less one. */
#define MH_ROUNDS_MAX 64u
/* What an empty sink holds at least. A record that needs more may never fit. */
#define MH_SINK_VALUES_MIN 64u
#define MH_SINK_TEXTS_MIN 16u
#define MH_SINK_ARENA_MIN 1024u

/* Where a driver puts its output. Host-owned; the arrays are borrowed for the call. A driver appends below the
 * capacities and raises the counts. When the next whole record does not fit it leaves the sink as it is and returns
 * MH_E_FULL: the host takes what lies there, empties the arrays and sends MH_EV_CONTINUE, and the driver goes on with
 * that record (rule R13). All rounds of an event are one unit, with the actions and kv_set of each; no other event
 * comes in between, close may. MH_E_FULL without anything new in the round breaks the rule. */
typedef struct mh_sink {
  uint32_t struct_size;
  uint32_t reserved;
  mh_record *records;
  uint64_t n_records;
  uint64_t cap_records;
  mh_value *values;
  uint64_t n_values;
  uint64_t cap_values;
  mh_text *texts;
  uint64_t n_texts;
  uint64_t cap_texts;
  uint8_t *arena;
  uint64_t n_arena;
  uint64_t cap_arena;
  /* Copies the action before it returns. MH_E_UNSUPPORTED: this host does not know the kind, code or a flag; nothing
   * was taken, and the event may go on without. MH_E_FULL after MH_ACTIONS_MAX, for which no later round makes room,
   * and MH_E_ARG for a value or text that is too long: the driver is faulty, and a unit that goes on is refused (rule
   * R11). Always MH_E_DENIED inside decode. */
  int32_t (*act)(void *ctx, const mh_action *action);
  void *ctx;
} mh_sink;

/* Appends one record with its values and identity bytes, or returns MH_E_FULL with the sink unchanged. The record's
 * counts and offsets are filled in here. */
static inline int32_t mh_sink_record(mh_sink *sink, const mh_record *record, const mh_value *values, uint16_t n_values,
                                     const uint8_t *ident, uint16_t ident_len) {
  if (sink->n_records >= sink->cap_records || n_values > sink->cap_values - sink->n_values ||
      ident_len > sink->cap_arena - sink->n_arena)
    return MH_E_FULL;
  mh_record *slot = &sink->records[sink->n_records];
  *slot = *record;
  slot->n_values = n_values;
  slot->n_texts = 0;
  slot->first_value = (uint32_t)sink->n_values;
  slot->first_text = (uint32_t)sink->n_texts;
  slot->ident_off = (uint32_t)sink->n_arena;
  slot->ident_len = ident_len;
  for (uint16_t i = 0; i < n_values; i++) sink->values[sink->n_values + i] = values[i];
  for (uint16_t i = 0; i < ident_len; i++) sink->arena[sink->n_arena + i] = ident[i];
  sink->n_values += n_values;
  sink->n_arena += ident_len;
  sink->n_records += 1;
  return MH_OK;
}

/* Adds a text to the record that was appended last, or returns MH_E_FULL with the sink unchanged. */
static inline int32_t mh_sink_text(mh_sink *sink, uint16_t field, mh_str text) {
  if (sink->n_records == 0 || sink->records[sink->n_records - 1].n_texts == UINT16_MAX) return MH_E_ARG;
  if (sink->n_texts >= sink->cap_texts || text.n > sink->cap_arena - sink->n_arena || text.n > UINT32_MAX)
    return MH_E_FULL;
  mh_text *slot = &sink->texts[sink->n_texts];
  slot->field = field;
  slot->flags = 0;
  slot->off = (uint32_t)sink->n_arena;
  slot->len = (uint32_t)text.n;
  for (uint64_t i = 0; i < text.n; i++) sink->arena[sink->n_arena + i] = (uint8_t)text.p[i];
  sink->n_arena += text.n;
  sink->n_texts += 1;
  sink->records[sink->n_records - 1].n_texts += 1;
  return MH_OK;
}

#ifdef __cplusplus
}
#endif
#endif
