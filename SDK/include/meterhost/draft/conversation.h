/* DRAFT: reading what does not come over the air, such as the export of a health store or the pages of an interface
 * (rule R18). Not part of the frozen contract; the id carries the word draft, and driver.h does not include this
 * file (rule R4).
 *
 * The host owns the source: it opens the file or the connection, fetches what the driver pulls, keeps the time and
 * stores what the driver puts out. The driver is told one event at a time and answers with a unit: records, keys and
 * actions. Every function is called on one thread, in a worker.
 */
#ifndef METERHOST_CONVERSATION_H
#define METERHOST_CONVERSATION_H

#include "../output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of mh_driver.extension. */
#define MH_EXT_CONVERSATION_DRAFT "meterhost.conversation/1-draft"

/* The most bytes of one chunk, of one pull, and of the longest text. */
#define MH_TALK_CHUNK_MAX 262144u
#define MH_TALK_TEXT_MAX 512u
/* The most actions of an event, all rounds together, and the longest timer: a day. */
#define MH_TALK_ACTIONS_MAX 32u
#define MH_TALK_TIMER_NS_MAX 86400000000000u
/* The most segments, series and points of an event, all rounds together. */
#define MH_TALK_SEGMENTS_MAX 16384u
#define MH_TALK_SERIES_MAX 4096u
#define MH_TALK_POINTS_MAX 262144u
/* What an empty sink holds at least, beside what mh_sink promises. A record that needs more may never fit. */
#define MH_TALK_SEGMENTS_MIN 1024u
#define MH_TALK_SERIES_MIN 64u
#define MH_TALK_POINTS_MIN 16384u

/* mh_talk_open.size of a source that does not say how long it is. */
#define MH_TALK_SIZE_UNKNOWN UINT64_MAX

/* What the driver is told when the conversation opens. */
typedef struct mh_talk_open {
  uint32_t struct_size;
  /* How far local time is ahead of UTC, seconds. */
  int32_t utc_offset_s;
  /* The host's clock, microseconds since 1970-01-01T00:00Z. */
  int64_t unix_us;
  /* Bytes of the source. */
  uint64_t size;
  /* What the source is, in the words of the registry: the name of a format or of an interface. */
  mh_str source;
} mh_talk_open;

/* What can happen (mh_talk_event.kind). */
/* The first event. Nothing more comes unless the driver asks for it. */
#define MH_TALK_STARTED 1u
/* `value` holds bytes of the source from `number` on: answers MH_TALK_PULL. MH_TALK_LAST: nothing is behind them. */
#define MH_TALK_BYTES 2u
/* A timer has run out. */
#define MH_TALK_TIMER 3u
/* How another action ended: `status` is MH_OK, or why it could not be done. Answers MH_TALK_ACKNOWLEDGE, and
 * MH_TALK_PULL when there are no bytes. */
#define MH_TALK_ANSWER 4u
/* `value` is the content of a key; MH_E_NOT_FOUND: there is none. Answers MH_TALK_READ_KEY. */
#define MH_TALK_VALUE 5u
/* The records and keys of the event `number`, and of all before it, are on disk. */
#define MH_TALK_COMMITTED 6u
/* The conversation is over and nobody answers any more. Only records, keys, MH_TALK_DONE and MH_TALK_FAIL count. */
#define MH_TALK_ENDED 7u
/* The sink has room again (rule R13). */
#define MH_TALK_CONTINUE 8u

/* Flags of MH_TALK_BYTES. */
#define MH_TALK_LAST 0x1u

/* One event. Fields that it does not name are zero. */
typedef struct mh_talk_event {
  uint32_t struct_size;
  uint32_t kind;
  /* Counts the events of a conversation from 1. */
  uint64_t seq;
  /* Of the action that this event answers, or of the timer. */
  uint64_t token;
  /* The offset of MH_TALK_BYTES; the event that MH_TALK_COMMITTED tells of. */
  uint64_t number;
  /* The host's clocks: nanoseconds that never go back, and microseconds since 1970-01-01T00:00Z. */
  uint64_t mono_ns;
  int64_t unix_us;
  int32_t status;
  uint32_t flags;
  mh_bytes value;
} mh_talk_event;

/* What a driver can ask for (mh_talk_action.kind). */
/* `second` bytes of the source from the offset `first` on, at most MH_TALK_CHUNK_MAX; fewer may come. */
#define MH_TALK_PULL 1u
/* Tells the source that everything below the offset `first` is safe and need not be given again. The host does it when
 * the records and keys of this unit, and of all units before it, are on disk. */
#define MH_TALK_ACKNOWLEDGE 2u
/* An event in `first` nanoseconds; replaces the timer of the same token. */
#define MH_TALK_SET_TIMER 3u
/* The content of the key `text`, as it is when all units up to this one are on disk. */
#define MH_TALK_READ_KEY 4u
/* Everything wanted has been read. Only close follows. */
#define MH_TALK_DONE 5u
/* It does not go on: `text` says why and what to do, `first` is a number of the driver's own. Only close follows. */
#define MH_TALK_FAIL 6u

/* One action. Fields that it does not name are zero. */
typedef struct mh_talk_action {
  uint32_t struct_size;
  uint32_t kind;
  /* Comes back in the event that answers. */
  uint64_t token;
  uint64_t first;
  uint64_t second;
  mh_str text;
} mh_talk_action;

/* A part of a record's interval and what was measured in it: a stage of sleep, a lap. Both times are in the clock of
 * the record, and lie within its interval. */
typedef struct mh_talk_segment {
  int64_t start_us;
  int64_t end_us;
  mh_value value;
} mh_talk_segment;

/* Numbers at equal distances: point i was measured at start_us + i * step_us, in the clock of the record and within its
 * interval. Where something is missing one series ends and another begins. */
typedef struct mh_talk_series {
  int64_t start_us;
  int64_t step_us;
  uint16_t metric;
  uint16_t unit;
  /* The run of points in the sink's array; at least one. */
  uint32_t first_point;
  uint32_t n_points;
  uint32_t reserved;
} mh_talk_series;

/* The runs of segments and series that belong to a record. */
typedef struct mh_talk_extent {
  uint32_t first_segment;
  uint32_t n_segments;
  uint32_t first_series;
  uint32_t n_series;
} mh_talk_extent;

/* Where a unit goes. As for mh_sink, the arrays are the host's and borrowed for the call; when the next whole record
 * with its segments and series does not fit, the driver leaves all of it as it is and returns MH_E_FULL (rule R13). */
typedef struct mh_talk_sink {
  uint32_t struct_size;
  uint32_t reserved;
  /* Records, values, texts and arena; use mh_sink_record and mh_sink_text. Its `act` takes nothing: MH_E_DENIED. */
  mh_sink *base;
  /* extents[i] belongs to base->records[i], and is zero when the call begins. There are base->cap_records of them. */
  mh_talk_extent *extents;
  mh_talk_segment *segments;
  uint64_t n_segments;
  uint64_t cap_segments;
  mh_talk_series *series;
  uint64_t n_series;
  uint64_t cap_series;
  double *points;
  uint64_t n_points;
  uint64_t cap_points;
  /* Copies the action before it returns. MH_E_UNSUPPORTED: this host does not know the kind; nothing was taken, and the
   * event may go on without. MH_E_FULL after MH_TALK_ACTIONS_MAX and MH_E_ARG for a text that is too long: a unit that
   * goes on is refused. */
  int32_t (*act)(void *ctx, const mh_talk_action *action);
  /* Writes a key, `user/...` or `meter/...`; an empty value removes it (rule R23). Secrets cannot be written here:
   * MH_E_DENIED. */
  int32_t (*set)(void *ctx, mh_str key, mh_bytes value);
  void *ctx;
} mh_talk_sink;

/* Adds a segment to the record that was appended last, or returns MH_E_FULL with the sink unchanged. All segments of a
 * record follow each other. */
static inline int32_t mh_talk_add_segment(mh_talk_sink *sink, const mh_talk_segment *segment) {
  if (sink->base->n_records == 0) return MH_E_ARG;
  if (sink->n_segments >= sink->cap_segments) return MH_E_FULL;
  mh_talk_extent *extent = &sink->extents[sink->base->n_records - 1];
  if (extent->n_segments == 0) extent->first_segment = (uint32_t)sink->n_segments;
  sink->segments[sink->n_segments] = *segment;
  sink->n_segments += 1;
  extent->n_segments += 1;
  return MH_OK;
}

/* Adds a series to the record that was appended last, or returns MH_E_FULL with the sink unchanged. The run of points
 * is filled in here. */
static inline int32_t mh_talk_add_series(mh_talk_sink *sink, const mh_talk_series *series, const double *points,
                                         uint32_t n_points) {
  if (sink->base->n_records == 0) return MH_E_ARG;
  if (sink->n_series >= sink->cap_series || n_points > sink->cap_points - sink->n_points) return MH_E_FULL;
  mh_talk_extent *extent = &sink->extents[sink->base->n_records - 1];
  if (extent->n_series == 0) extent->first_series = (uint32_t)sink->n_series;
  mh_talk_series *slot = &sink->series[sink->n_series];
  *slot = *series;
  slot->first_point = (uint32_t)sink->n_points;
  slot->n_points = n_points;
  for (uint32_t i = 0; i < n_points; i++) sink->points[sink->n_points + i] = points[i];
  sink->n_points += n_points;
  sink->n_series += 1;
  extent->n_series += 1;
  return MH_OK;
}

/* A conversation of this driver. */
typedef struct mh_talk mh_talk;

typedef struct mh_conversation {
  uint32_t struct_size;
  uint32_t reserved;
  /* MH_E_UNSUPPORTED for a source that this driver does not read. */
  int32_t (*open)(const mh_talk_open *opening, mh_talk **out);
  /* MH_OK; MH_E_FULL: another round; MH_E_PROTOCOL: the bytes are refused, what the sink holds counts, and the
   * conversation goes on; MH_E_UNSUPPORTED: an event that the driver does not know, with nothing put out. Anything else
   * ends it, and nothing of this unit counts. */
  int32_t (*event)(mh_talk *talk, const mh_talk_event *event, mh_talk_sink *sink);
  /* Once for every successful open, at any time between calls. */
  void (*close)(mh_talk *talk);
} mh_conversation;

#ifdef __cplusplus
}
#endif
#endif
