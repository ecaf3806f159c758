#include "include/import/out.h"

#include <stdlib.h>
#include <string.h>

/* 2000-01-01T00:00Z: before it no phone had a health store, and a clock that was never set counts from 1970. */
#define EARLIEST_US INT64_C(946684800000000)

int mh_out_start(mh_out *out, const mh_import_open *opening) {
  memset(out, 0, sizeof *out);
  out->since_us = opening->since_us;
  out->until_us = opening->until_us;
  memcpy(out->wanted, opening->wanted, sizeof out->wanted);
  out->latest_us = opening->talk.unix_us > 0 ? opening->talk.unix_us + MH_DAY_US : MH_IMPORT_US_MAX;
  return 1;
}

void mh_out_free(mh_out *out) {
  free(out->names);
  free(out->pool);
}

void mh_out_event(mh_out *out) { out->event_samples = out->event_attributes = 0; }

int mh_out_has_room(const mh_out *out) {
  return out->n_samples <= MH_OUT_SAMPLES && out->n_attributes <= MH_OUT_ATTRIBUTES && out->n_text <= MH_OUT_TEXT;
}

int mh_out_is_spent(const mh_out *out) {
  return out->event_samples >= MH_OUT_EVENT_SAMPLES || out->event_attributes >= MH_OUT_EVENT_ATTRIBUTES;
}

mh_import_sample *mh_out_begin(mh_out *out, uint32_t type) {
  if (out->n_samples == 2 * MH_OUT_SAMPLES) out->n_samples -= 1;
  mh_import_sample *sample = &out->samples[out->n_samples];
  memset(sample, 0, sizeof *sample);
  sample->type = type;
  sample->unit = MH_IMPORT_NO_INDEX;
  sample->utc_offset_s = MH_IMPORT_NO_OFFSET;
  sample->first_attribute = out->attributes_before = out->n_attributes;
  out->text_before = out->n_text;
  return sample;
}

void mh_out_value(mh_import_sample *sample, mh_decimal value, uint32_t unit) {
  if (!mh_decimal_fit(&value, MH_IMPORT_EXPONENT_MAX)) return;
  sample->flags |= MH_SAMPLE_HAS_VALUE;
  sample->mantissa = value.mantissa;
  sample->exponent = value.exponent;
  sample->unit = unit;
}

static uint32_t keep_text(mh_out *out, const char *p, size_t n, uint32_t *length) {
  uint32_t at = out->n_text;
  size_t left = sizeof out->text - at, most = left < MH_IMPORT_TEXT_MAX ? left : MH_IMPORT_TEXT_MAX;
  *length = (uint32_t)mh_out_clean(p, n, (char *)out->text + at, most);
  out->n_text += *length;
  return at;
}

void mh_out_text(mh_out *out, const char *p, size_t n) {
  mh_import_sample *sample = &out->samples[out->n_samples];
  sample->text_off = keep_text(out, p, n, &sample->text_len);
}

void mh_out_id(mh_out *out, const uint8_t *p, size_t n) {
  mh_import_sample *sample = &out->samples[out->n_samples];
  sample->id_off = keep_text(out, (const char *)p, n, &sample->id_len);
}

static mh_import_attribute *attribute(mh_out *out, const char *key) {
  if (out->n_attributes == sizeof out->attributes / sizeof out->attributes[0]) return NULL;
  uint32_t index = mh_out_key(out, key);
  if (index == MH_IMPORT_NO_INDEX) return NULL;
  mh_import_attribute *added = &out->attributes[out->n_attributes++];
  memset(added, 0, sizeof *added);
  added->key = index;
  added->unit = MH_IMPORT_NO_INDEX;
  out->samples[out->n_samples].n_attributes += 1;
  return added;
}

void mh_out_number_attribute(mh_out *out, const char *key, mh_decimal value, uint32_t unit) {
  mh_import_attribute *added = mh_decimal_fit(&value, MH_IMPORT_EXPONENT_MAX) ? attribute(out, key) : NULL;
  if (added == NULL) return;
  added->mantissa = value.mantissa;
  added->exponent = value.exponent;
  added->unit = unit;
  added->flags = MH_SAMPLE_HAS_VALUE;
}

void mh_out_text_attribute(mh_out *out, const char *key, const char *p, size_t n) {
  mh_import_attribute *added = attribute(out, key);
  if (added != NULL) added->text_off = keep_text(out, p, n, &added->text_len);
}

static void count(mh_out *out, uint32_t type) {
  if (type >= MH_OUT_TYPES_MAX) return;
  if (out->counts[type]++ == 0) out->counted[out->n_counted++] = type;
}

void mh_out_refuse(mh_out *out, uint32_t reason, uint32_t type, uint64_t place) {
  for (uint32_t i = 0; i < out->n_refusals; i++)
    if (out->refusals[i].reason == reason && out->refusals[i].type == type) {
      out->refusals[i].count += 1;
      return;
    }
  const uint32_t most = sizeof out->refusals / sizeof out->refusals[0];
  /* More kinds of refusals than fit in one event lose their types, not their number. */
  if (out->n_refusals >= most - 8 && type != MH_IMPORT_NO_INDEX) {
    mh_out_refuse(out, reason, MH_IMPORT_NO_INDEX, place);
    return;
  }
  if (out->n_refusals < most)
    out->refusals[out->n_refusals++] = (mh_import_refusal){.reason = reason, .type = type, .count = 1, .place = place};
}

static int is_wanted(const mh_out *out, const mh_import_sample *sample) {
  uint16_t quantity = sample->type < MH_OUT_TYPES_MAX ? out->quantities[sample->type] : MH_QTY_OTHER;
  if (quantity >= 256 || (out->wanted[quantity / 64] >> quantity % 64 & 1) == 0) return 0;
  /* An instant at the beginning of the window is in it. */
  return sample->start_us < out->until_us &&
         (sample->end_us > out->since_us || (sample->start_us == sample->end_us && sample->end_us >= out->since_us));
}

static void drop(mh_out *out) {
  out->n_attributes = out->attributes_before;
  out->n_text = out->text_before;
}

void mh_out_cancel(mh_out *out) { drop(out); }

void mh_out_end(mh_out *out) {
  mh_import_sample *sample = &out->samples[out->n_samples];
  int is_part = (sample->flags & MH_SAMPLE_PART) != 0;
  if (sample->type >= MH_OUT_TYPES_MAX || (is_part && !out->parent_is_kept)) {
    drop(out);
    return;
  }
  if (sample->start_us > sample->end_us || sample->start_us < EARLIEST_US || sample->start_us > out->latest_us ||
      sample->end_us > MH_IMPORT_US_MAX) {
    mh_out_refuse(out, MH_REFUSED_TIME, sample->type, sample->place);
    if (!is_part) out->parent_is_kept = 0;
    drop(out);
    return;
  }
  if (!is_part) {
    count(out, sample->type);
    out->parent_is_kept = (uint8_t)is_wanted(out, sample);
  }
  if (!out->parent_is_kept) {
    drop(out);
    return;
  }
  out->n_samples += 1;
  out->event_samples += 1;
  out->event_attributes += sample->n_attributes;
}

static int32_t tell_names(mh_out *out, mh_import_sink *sink) {
  for (; out->n_told < out->n_names; out->n_told++) {
    const mh_out_name *from = &out->names[out->n_told];
    uint32_t bytes = from->text_n + from->key_n + from->detail_n;
    if (sink->n_names >= sink->cap_names || bytes > sink->cap_arena - sink->n_arena) return MH_E_FULL;
    mh_import_name *to = &sink->names[sink->n_names++];
    memset(to, 0, sizeof *to);
    to->kind = from->kind, to->quantity = from->quantity, to->index = from->index;
    to->flags = from->flags, to->rank = from->rank;
    uint32_t at = (uint32_t)sink->n_arena;
    /* The three lie behind each other in the pool. */
    if (bytes > 0) memcpy(sink->arena + at, out->pool + from->text, bytes);
    to->text_off = at, to->text_len = from->text_n;
    to->key_off = at + from->text_n, to->key_len = from->key_n;
    to->detail_off = to->key_off + from->key_n, to->detail_len = from->detail_n;
    sink->n_arena += bytes;
  }
  return MH_OK;
}

static uint32_t move_text(const mh_out *out, mh_import_sink *sink, uint32_t off, uint32_t length) {
  uint32_t at = (uint32_t)sink->n_arena;
  if (length == 0) return 0;
  memcpy(sink->arena + at, out->text + off, length);
  sink->n_arena += length;
  return at;
}

static int32_t tell_sample(const mh_out *out, const mh_import_sample *from, mh_import_sink *sink) {
  uint64_t bytes = (uint64_t)from->text_len + from->id_len;
  const mh_import_attribute *attributes = &out->attributes[from->first_attribute];
  for (uint32_t i = 0; i < from->n_attributes; i++) bytes += attributes[i].text_len;
  if (sink->n_samples >= sink->cap_samples || from->n_attributes > sink->cap_attributes - sink->n_attributes ||
      bytes > sink->cap_arena - sink->n_arena)
    return MH_E_FULL;
  mh_import_sample *to = &sink->samples[sink->n_samples++];
  *to = *from;
  to->first_attribute = from->n_attributes == 0 ? 0 : (uint32_t)sink->n_attributes;
  to->text_off = move_text(out, sink, from->text_off, from->text_len);
  to->id_off = move_text(out, sink, from->id_off, from->id_len);
  for (uint32_t i = 0; i < from->n_attributes; i++) {
    mh_import_attribute *added = &sink->attributes[sink->n_attributes++];
    *added = attributes[i];
    added->text_off = move_text(out, sink, attributes[i].text_off, attributes[i].text_len);
  }
  return MH_OK;
}

int32_t mh_out_flush(mh_out *out, mh_import_sink *sink) {
  int32_t status = tell_names(out, sink);
  for (; status == MH_OK && out->n_flushed < out->n_samples; out->n_flushed++) {
    status = tell_sample(out, &out->samples[out->n_flushed], sink);
    if (status != MH_OK) return status;
  }
  if (status == MH_OK) out->n_samples = out->n_flushed = out->n_attributes = out->n_text = 0;
  return status;
}

int32_t mh_out_flush_counts(mh_out *out, mh_import_sink *sink) {
  while (out->n_counted > 0) {
    uint32_t type = out->counted[out->n_counted - 1];
    if (sink->n_counts >= sink->cap_counts) return MH_E_FULL;
    sink->counts[sink->n_counts++] = (mh_import_count){.type = type, .count = out->counts[type]};
    out->counts[type] = 0;
    out->n_counted -= 1;
  }
  for (; out->n_refusals > 0; out->n_refusals--) {
    if (sink->n_refusals >= sink->cap_refusals) return MH_E_FULL;
    sink->refusals[sink->n_refusals++] = out->refusals[out->n_refusals - 1];
  }
  return MH_OK;
}
