/* Records, and decoding without a session. */
#include "driver.h"

/* How much lies in a sink: all of it that a driver may change. */
typedef struct counts {
  uint64_t records, values, texts, arena;
} counts;

static counts count(const mh_sink *sink) {
  return (counts){sink->n_records, sink->n_values, sink->n_texts, sink->n_arena};
}

static int32_t finish(mh_sink *sink, counts before, int32_t status) {
  if (status == MH_OK) return MH_OK;
  sink->n_records = before.records;
  sink->n_values = before.values;
  sink->n_texts = before.texts;
  sink->n_arena = before.arena;
  return status;
}

int32_t put_fact(const fact *fact, mh_sink *sink) {
  mh_value values[NUMBERS];
  memset(values, 0, sizeof values);
  for (uint16_t i = 0; i < fact->n; i++) {
    values[i].metric = (uint16_t)(MH_METRIC_VENDOR + i);
    values[i].unit = MH_UNIT_NONE;
    values[i].raw = fact->numbers[i];
    values[i].value = (double)fact->numbers[i];
  }
  mh_record record = {.kind = MH_KIND_DIAGNOSTIC, .device_seq = MH_SEQ_NONE, .utc_offset_s = MH_OFFSET_UNKNOWN};
  counts before = count(sink);
  int32_t status = mh_sink_record(sink, &record, values, fact->n, NULL, 0);
  if (status == MH_OK && fact->text_n > 0)
    status = mh_sink_text(sink, MH_METRIC_NOTE, (mh_str){fact->text, fact->text_n});
  return finish(sink, before, status);
}

int32_t put_serial_number(mh_bytes text, mh_sink *sink) {
  mh_record record = {.kind = MH_KIND_DEVICE_INFO, .device_seq = MH_SEQ_NONE, .utc_offset_s = MH_OFFSET_UNKNOWN};
  counts before = count(sink);
  int32_t status = mh_sink_record(sink, &record, NULL, 0, NULL, 0);
  if (status == MH_OK) status = mh_sink_text(sink, MH_METRIC_SERIAL_NUMBER, (mh_str){(const char *)text.p, text.n});
  return finish(sink, before, status);
}

static double scaled(int64_t raw, int exponent) {
  double value = (double)raw, divisor = 1;
  for (; exponent > 0; exponent--) value *= 10;
  for (; exponent < 0; exponent++) divisor *= 10;
  return value / divisor;
}

static void set_time(mh_record *record, uint32_t seconds, int64_t arrival) {
  record->utc_offset_s = MH_OFFSET_UNKNOWN;
  if (record->time_kind == MH_TIME_NONE) return;
  record->t_us = (int64_t)seconds * 1000000;
  if (record->time_kind == MH_TIME_UTC && seconds == 0) record->t_us = arrival;
  if (record->time_kind == MH_TIME_CIVIL_OFFSET) record->utc_offset_s = 3600;
  /* A sum is one of an hour. */
  record->end_us = record->t_us + (record->ident_class == MH_IDENT_SUMMARY ? 3600000000 : 0);
}

int32_t put_packet(mh_bytes packet, int64_t arrival, uint32_t group, unsigned notes, mh_sink *sink) {
  static const uint32_t meanings[] = {0, MH_REC_CONTROL, MH_REC_PROVISIONAL, MH_REC_CLOCK_SUSPECT, MH_REC_HELD,
                                      MH_REC_TOMBSTONE, MH_REC_USER};
  if (packet.n != PACKET) return MH_E_PROTOCOL;
  const uint8_t *p = packet.p;
  unsigned flags = u16(p);
  int exponent = (int8_t)p[10];
  int64_t raw = (int16_t)u16(p + 8);
  if (raw < 0 || exponent < -9 || exponent > 9) return MH_E_NO_VALUE;
  mh_record record = {.kind = flags & 1u << 14 ? MH_KIND_CONTEXT : MH_KIND_MEASUREMENT, .device_seq = u16(p + 2)};
  for (unsigned i = 1; i < 7; i++)
    if (flags & 1u << i) record.flags |= meanings[i];
  if (record.flags & MH_REC_USER) record.device_user = p[11];
  record.time_kind = (uint16_t)(flags >> 10 & 3u);
  record.ident_class = (uint16_t)(flags >> 12 & 3u);
  if (record.kind == MH_KIND_MEASUREMENT && record.ident_class == 0) return MH_E_PROTOCOL;
  set_time(&record, u32(p + 4), arrival);
  record.group = group;
  mh_value value = {.metric = MH_METRIC_BLOOD_GLUCOSE, .unit = MH_UNIT_MMOL_PER_L, .raw = raw};
  if (record.kind == MH_KIND_CONTEXT) value.metric = MH_METRIC_CARBOHYDRATE, value.unit = MH_UNIT_GRAM;
  value.exp10 = (int8_t)exponent;
  value.qualifier = (uint8_t)(flags >> 8 & 3u);
  value.flags = flags & 1u << 7 ? MH_VALUE_ROUNDED : 0;
  value.value = scaled(raw, exponent);
  counts before = count(sink);
  /* Sequence, time and the exact value, as the meter reported them. */
  int32_t status = mh_sink_record(sink, &record, &value, 1, p + 2, 9);
  for (notes += flags & 1u; notes > 0 && status == MH_OK; notes--)
    status = mh_sink_text(sink, MH_METRIC_NOTE, words("before breakfast"));
  return finish(sink, before, status);
}

static int32_t decode_one(const mh_open *opening, const mh_slice *slice, mh_bytes value, mh_sink *sink) {
  if (slice->characteristic == SERVICE && slice->flags == MH_SLICE_SERVICE_DATA)
    return put_packet(value, slice->t_us, opening->peripheral_id, 0, sink);
  if (slice->flags != 0) return MH_E_UNSUPPORTED;
  if (slice->characteristic == CHARACTERISTIC) return put_packet(value, slice->t_us, opening->peripheral_id, 0, sink);
  if (slice->characteristic != FORBIDDEN) return MH_E_UNSUPPORTED;
  fact answer = {.numbers = {mh_sink_act(sink, (mh_action){.kind = MH_DO_READY})}, .n = 1};
  return put_fact(&answer, sink);
}

int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink, uint64_t *n_done) {
  if (!MH_HAS(opening, params) || !MH_HAS(sink, ctx)) return MH_E_ARG;
  for (uint64_t i = 0; i < n; i++)
    if (slices[i].off > arena.n || slices[i].len > arena.n - slices[i].off) return MH_E_ARG;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t first = sink->n_records;
    mh_bytes value = {slice->len > 0 ? arena.p + slice->off : NULL, slice->len};
    int32_t status = decode_one(opening, slice, value, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)first;
    slice->n_records = (uint32_t)(sink->n_records - first);
  }
  return MH_OK;
}
