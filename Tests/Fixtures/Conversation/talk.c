/* A driver that reads a source of its own: groups of four bytes. For each group it puts out a record of a minute with a
 * segment and a series, keeps the offset behind it under user/cursor, and acknowledges it. With a source whose name is a
 * number it commits the offence of that number when the first bytes come. */
#include <meterhost/driver.h>
#include <meterhost/draft/conversation.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

MH_DRIVER_NOTE

enum {
  RECORDS = 1, TEXT, POINT_NAN, BEYOND, FIELD, OUTSIDE, LEFT_OVER, COUNTS, FULL, STATUS, SPIN, ABORT, UNKNOWN_ACTION,
  SECRET, TEXT_LONG, STEP, TIMELESS, LATE_PULL, GIVES_UP
};

#define GROUP 4u
#define CHUNK 8u
#define MINUTE INT64_C(60000000)

struct mh_talk {
  int offence;
  uint64_t at;
  uint64_t acknowledged;
};

static int32_t talk_open(const mh_talk_open *opening, mh_talk **out) {
  const char digit = opening->source.n > 0 ? opening->source.p[0] : 0;
  char name[8] = {0};
  if (opening->source.n >= sizeof name) return MH_E_UNSUPPORTED;
  memcpy(name, opening->source.p, opening->source.n);
  if (strcmp(name, "groups") != 0 && (digit < '0' || digit > '9')) return MH_E_UNSUPPORTED;
  mh_talk *talk = calloc(1, sizeof *talk);
  if (talk == NULL) return MH_E_MEMORY;
  talk->offence = atoi(name);
  *out = talk;
  return MH_OK;
}

static int32_t act(mh_talk_sink *sink, uint32_t kind, uint64_t token, uint64_t first, uint64_t second,
                   const char *text) {
  mh_talk_action action;
  memset(&action, 0, sizeof action);
  action.struct_size = sizeof action;
  action.kind = kind;
  action.token = token;
  action.first = first;
  action.second = second;
  if (text != NULL) action.text = (mh_str){text, strlen(text)};
  return sink->act(sink->ctx, &action);
}

static mh_value value(int64_t raw) {
  mh_value value = {MH_METRIC_BLOOD_GLUCOSE, MH_UNIT_MG_PER_DL, 0, MH_QUAL_EXACT, 0, (double)raw, raw};
  return value;
}

static int32_t put_bare(mh_talk_sink *sink) {
  mh_record record;
  memset(&record, 0, sizeof record);
  record.kind = MH_KIND_DIAGNOSTIC;
  record.device_seq = MH_SEQ_NONE;
  return mh_sink_record(sink->base, &record, NULL, 0, NULL, 0);
}

static int32_t put(mh_talk_sink *sink, uint64_t offset, const uint8_t *group, int offence) {
  mh_record record;
  memset(&record, 0, sizeof record);
  record.kind = MH_KIND_MEASUREMENT;
  record.time_kind = offence == TIMELESS ? MH_TIME_NONE : MH_TIME_UTC;
  record.t_us = INT64_C(1700000000000000) + (int64_t)offset * MINUTE;
  record.end_us = record.t_us + MINUTE;
  record.device_seq = offset;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  record.ident_class = MH_IDENT_STORED;
  const mh_value whole = value(group[0]);
  int32_t status = mh_sink_record(sink->base, &record, &whole, 1, (const uint8_t *)&offset, sizeof offset);
  if (status != MH_OK) return status;
  if (offence == TEXT) mh_sink_text(sink->base, MH_METRIC_SERIAL_NUMBER, (mh_str){"\xff\xfe", 2});
  mh_talk_segment segment = {record.t_us, record.t_us + MINUTE / 2, value(group[1])};
  if (offence == OUTSIDE) segment.end_us = record.end_us + 1;
  mh_talk_series series;
  memset(&series, 0, sizeof series);
  series.start_us = record.t_us;
  series.step_us = offence == STEP ? 0 : MINUTE / 2;
  series.metric = MH_METRIC_BLOOD_GLUCOSE;
  series.unit = MH_UNIT_MG_PER_DL;
  const double points[2] = {group[2], offence == POINT_NAN ? (double)NAN : group[3]};
  status = mh_talk_add_segment(sink, &segment);
  if (status == MH_OK) status = mh_talk_add_series(sink, &series, points, 2);
  mh_talk_extent *extent = &sink->extents[sink->base->n_records - 1];
  if (offence == BEYOND) extent->n_segments = UINT32_MAX;
  if (offence == LEFT_OVER) extent->n_segments = 0;
  return status;
}

static int32_t commit_offence(mh_talk *talk, mh_talk_sink *sink, const mh_talk_event *event) {
  static char longest[MH_TALK_TEXT_MAX + 2];
  switch (talk->offence) {
    case RECORDS:
      while (put_bare(sink) == MH_OK) {
      }
      return MH_E_FULL;
    case FIELD: act(sink, MH_TALK_DONE, 0, 1, 0, NULL); break;
    case COUNTS: sink->n_points = UINT64_MAX; break;
    case FULL: return MH_E_FULL;
    case STATUS: return 77;
    case SPIN:
      for (volatile unsigned turns = 0;; turns++) {
      }
    case ABORT: abort();
    case UNKNOWN_ACTION:
      return act(sink, 99, 0, 0, 0, NULL) == MH_E_UNSUPPORTED ? act(sink, MH_TALK_DONE, 0, 0, 0, NULL) : MH_E_ARG;
    case SECRET:
      return sink->set(sink->ctx, (mh_str){"user/secret/a", 13}, event->value) == MH_E_DENIED
                 ? act(sink, MH_TALK_DONE, 0, 0, 0, NULL)
                 : MH_E_ARG;
    case TEXT_LONG:
      memset(longest, 'a', sizeof longest - 1);
      act(sink, MH_TALK_FAIL, 0, 0, 0, longest);
      break;
    case GIVES_UP: return MH_E_MEMORY;
    default: return put(sink, 0, event->value.p, talk->offence);
  }
  return MH_OK;
}

static int32_t take(mh_talk *talk, mh_talk_sink *sink, const mh_talk_event *event) {
  if (talk->offence != 0 && talk->offence != LATE_PULL) return commit_offence(talk, sink, event);
  if (event->number != talk->at || event->value.n % GROUP != 0) return MH_E_PROTOCOL;
  for (uint64_t offset = 0; offset < event->value.n; offset += GROUP) {
    const int32_t status = put(sink, talk->at + offset, event->value.p + offset, 0);
    if (status != MH_OK) return status;
  }
  talk->at += event->value.n;
  sink->set(sink->ctx, (mh_str){"user/cursor", 11}, (mh_bytes){(const uint8_t *)&talk->at, sizeof talk->at});
  act(sink, MH_TALK_ACKNOWLEDGE, 40, talk->at, 0, NULL);
  if (event->flags & MH_TALK_LAST) return act(sink, MH_TALK_DONE, 0, 0, 0, NULL);
  return act(sink, MH_TALK_PULL, 10, talk->at, CHUNK, NULL);
}

static int32_t talk_event(mh_talk *talk, const mh_talk_event *event, mh_talk_sink *sink) {
  switch (event->kind) {
    case MH_TALK_STARTED:
      act(sink, MH_TALK_SET_TIMER, 30, 5000000000u, 0, NULL);
      return act(sink, MH_TALK_READ_KEY, 20, 0, 0, "user/cursor");
    case MH_TALK_VALUE:
      if (event->status == MH_OK && event->value.n == sizeof talk->at)
        memcpy(&talk->at, event->value.p, sizeof talk->at);
      return act(sink, MH_TALK_PULL, 10, talk->at, CHUNK, NULL);
    case MH_TALK_BYTES: return take(talk, sink, event);
    case MH_TALK_CONTINUE: return talk->offence == RECORDS ? commit_offence(talk, sink, event) : MH_E_UNSUPPORTED;
    case MH_TALK_TIMER: return act(sink, MH_TALK_FAIL, 0, 1, 0, "the source does not answer; try again");
    case MH_TALK_ANSWER: talk->acknowledged = talk->at; return MH_OK;
    case MH_TALK_ENDED: return talk->offence == LATE_PULL ? act(sink, MH_TALK_PULL, 1, 0, 1, NULL) : MH_OK;
    default: return MH_OK;
  }
}

static void talk_close(mh_talk *talk) { free(talk); }

static const mh_conversation table = {
    .struct_size = sizeof table, .open = talk_open, .event = talk_event, .close = talk_close};

static const void *tables(const char *id) { return strcmp(id, MH_EXT_CONVERSATION_DRAFT) == 0 ? &table : NULL; }

static const mh_driver driver = {
    .struct_size = sizeof driver, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .layout_hash = MH_LAYOUT_HASH,
    .id = {"org.example.talk", 16}, .version = {"1.0.0", 5}, .vendor = {"Example", 7}, .extension = tables};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)why_not;
  if (!mh_host_fits(host)) return MH_REFUSED;
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
