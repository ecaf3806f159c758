/* Ways to hand over what is not so. */
#include "kit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static mh_record *record_of(mh_sink *sink) {
  put_reading(sink, 1);
  return &sink->records[0];
}

#define LIE(name, change)                                                                                              \
  static int32_t name(const mh_host *host, const mh_event *event, mh_sink *sink) {                                     \
    (void)host, (void)event;                                                                                           \
    mh_record *record = record_of(sink);                                                                               \
    mh_value *value = &sink->values[0];                                                                                \
    (void)record, (void)value;                                                                                         \
    change;                                                                                                            \
    return MH_OK;                                                                                                      \
  }

LIE(not_a_number, value->value = NAN)
LIE(infinite, value->value = INFINITY)
LIE(other_value, value->value = 55.0)
LIE(unknown_metric, value->metric = 31000)
LIE(unknown_unit, value->unit = 31000)
LIE(foreign_unit, value->unit = MH_UNIT_KILOGRAM)
LIE(unknown_kind, record->kind = 4711)
LIE(unknown_flag, record->flags = 0x40000000)
LIE(too_many_values, record->n_values = 60000)
LIE(identity_outside, (record->ident_off = (uint32_t)sink->cap_arena, record->ident_len = 16))
LIE(text_outside, (mh_sink_text(sink, MH_METRIC_NOTE, words("x")), sink->texts[0].len = 0x7fffffff))
LIE(invalid_utf8, mh_sink_text(sink, MH_METRIC_NOTE, words("\xc3\x28")))
LIE(counts, sink->n_records = UINT64_MAX)
LIE(unknown_status, return 4711)

static int32_t dangling_text(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event;
  return mh_sink_act(
      sink, (mh_action){.kind = MH_DO_FAIL, .code = MH_FAIL_METER_ERROR, .text = {(const char *)(uintptr_t)4096, 40}});
}

static int32_t dangling_sink(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event;
  sink->records = (mh_record *)(uintptr_t)4096;
  sink->n_records = 3;
  return MH_OK;
}

static int32_t long_value(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event;
  static const uint8_t bytes[MH_ACTION_VALUE_MAX + 1];
  mh_sink_act(sink, (mh_action){.kind = MH_DO_WRITE, .handle = 3, .value = {bytes, sizeof bytes}});
  return MH_OK;
}

/* A frame of its own on the worker's socket: a unit that it never made. */
static int32_t forge(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  static const uint8_t frame[] = {8, 0, 0, 0, 66, 1, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
  return write(3, frame, sizeof frame) == (ssize_t)sizeof frame ? MH_OK : MH_E_ARG;
}

static int32_t hang_up(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  close(3);
  for (;;) pause();
}

const struct offence lies[] = {
    {"nan", not_a_number},
    {"infinity", infinite},
    {"other-value", other_value},
    {"unknown-metric", unknown_metric},
    {"unknown-unit", unknown_unit},
    {"foreign-unit", foreign_unit},
    {"unknown-kind", unknown_kind},
    {"unknown-flag", unknown_flag},
    {"too-many-values", too_many_values},
    {"identity-outside", identity_outside},
    {"text-outside", text_outside},
    {"invalid-utf8", invalid_utf8},
    {"counts", counts},
    {"unknown-status", unknown_status},
    {"dangling-text", dangling_text},
    {"dangling-sink", dangling_sink},
    {"long-value", long_value},
    {"forge", forge},
    {"hang-up", hang_up},
    {NULL, NULL},
};
