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
  static const uint8_t frame[] = {8, 0, 0, 0, 66, 4, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
  return write(3, frame, sizeof frame) == (ssize_t)sizeof frame ? MH_OK : MH_E_ARG;
}

/* Lines that it never logged: more than anybody may, longer, and with what moves a terminal's cursor. */
static int32_t forge_logs(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  enum { lines = 2000, longest = 2000, line = 4 + 4 + longest + 1 };
  static uint8_t frame[8 + 20 + lines * line];
  uint8_t *at = frame;
  const uint32_t words_of_head[] = {sizeof frame - 8, 66 | 4 << 8, 0, 0, 0, 0, lines};
  memcpy(at, words_of_head, sizeof words_of_head);
  at += sizeof words_of_head;
  for (int i = 0; i < lines; i++) {
    const uint32_t head[] = {1, longest};
    memcpy(at, head, sizeof head);
    memset(at + 8, 'x', longest);
    memcpy(at + 8, "\n\x1b[2J\xc2\x9b", 8);
    at[8 + longest] = 1;
    at += line;
  }
  for (size_t sent = 0; sent < sizeof frame;) {
    ssize_t count = write(3, frame + sent, sizeof frame - sent);
    if (count < 0) return MH_E_ARG;
    sent += (size_t)count;
  }
  return MH_OK;
}

/* A fault that a worker's driver cannot have: it says that the caller gave up. */
static int32_t forge_fault(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  static const uint8_t frame[] = {29, 0, 0, 0, 67, 4, 0, 0, 9, 0, 0, 0, 'c', 'a', 'n', 'c', 'e', 'l', 'l', 'e', 'd',
                                  0,  0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,   0,   0,   0};
  return write(3, frame, sizeof frame) == (ssize_t)sizeof frame ? MH_OK : MH_E_ARG;
}

/* What a worker of another version, or one that does not start, would say or end with. */
#define RUBBISH(name, ...)                                                                                             \
  static int32_t name(const mh_host *host, const mh_event *event, mh_sink *sink) {                                     \
    (void)host, (void)event, (void)sink;                                                                               \
    static const uint8_t frame[] = {__VA_ARGS__};                                                                      \
    return write(3, frame, sizeof frame) == (ssize_t)sizeof frame ? MH_OK : MH_E_ARG;                                  \
  }

RUBBISH(other_version, 0, 0, 0, 0, 64, 9, 0, 0)
RUBBISH(other_contract, 16, 0, 0, 0, 64, 4, 0, 0, 9, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0)
RUBBISH(endless_frame, 0xff, 0xff, 0xff, 0xff, 66, 4, 0, 0)
RUBBISH(out_of_turn, 0, 0, 0, 0, 65, 4, 0, 0)

static int32_t exit_as_stranger(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  _exit(76);
}

static int32_t exit_unconfined(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  _exit(71);
}

/* Half of a message, and no more. */
static int32_t cut_short(const mh_host *host, const mh_event *event, mh_sink *sink) {
  static const uint8_t half[] = {200, 0, 0, 0, 66, 4, 0, 0, 1, 2, 3};
  (void)host, (void)event, (void)sink;
  _exit(write(3, half, sizeof half) == (ssize_t)sizeof half ? 0 : 1);
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
    {"forge-logs", forge_logs},
    {"forge-fault", forge_fault},
    {"other-version", other_version},
    {"other-contract", other_contract},
    {"endless-frame", endless_frame},
    {"out-of-turn", out_of_turn},
    {"exit-as-stranger", exit_as_stranger},
    {"exit-unconfined", exit_unconfined},
    {"cut-short", cut_short},
    {"hang-up", hang_up},
    {NULL, NULL},
};
