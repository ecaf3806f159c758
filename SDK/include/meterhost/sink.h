/* Putting output into a sink without overrunning it. For authors of C and C++ drivers; the host does not need it. */
#ifndef METERHOST_SINK_H
#define METERHOST_SINK_H

#include "bluetooth.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Asks the host for an action. */
static inline int32_t mh_sink_act(mh_sink *sink, mh_action action) {
  action.struct_size = (uint32_t)sizeof(mh_action);
  return sink->act(sink->ctx, &action);
}

#ifdef __cplusplus
}
#endif
#endif
