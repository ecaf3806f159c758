/* The course of a conversation with an import driver whose reader works in steps: each uses some bytes and puts some samples into
 * the queue, and what the queue holds goes on as the sink has room. */
#ifndef METERHOST_IMPORT_READER_H
#define METERHOST_IMPORT_READER_H

#include "moment.h"
#include "sample.h"
#include "source.h"

/* Of one pull: what so many bytes of text can name stays below the samples of an event. */
#define MH_READER_PULL 65536u

/* What an event unpacks before it asks for another: bytes that inflate to very many cost time (rule R16). */
#define MH_READER_WORK 4194304u

typedef enum mh_step {
  /* Again. */
  MH_STEP_ON,
  /* The source says which bytes are needed next. */
  MH_STEP_PULL,
  /* The event has done enough; the rest comes with the next one. */
  MH_STEP_REST,
  MH_STEP_DONE,
  /* `failure` says why. */
  MH_STEP_FAIL
} mh_step;

typedef struct mh_reader {
  mh_queue queue;
  mh_source source;
  /* What is read from front to end: where the next byte stands. */
  uint64_t place;
  uint8_t is_partial, is_over;
  /* What ends the event when the queue is empty. */
  mh_step next;
  const char *failure;
} mh_reader;

/* 0: no memory; it is to be freed all the same. */
int mh_reader_start(mh_reader *reader, const mh_import_open *opening);
void mh_reader_free(mh_reader *reader);
/* One event; `step` is called as long as there is room for what it puts out. */
int32_t mh_reader_event(mh_reader *reader, const mh_talk_event *event, mh_import_sink *sink, mh_step (*step)(void *),
                        void *context);
/* `n` bytes of the source, at most MH_SOURCE_BUFFER, or NULL: then a step of MH_STEP_PULL brings them. The caller knows that the
 * source is so long. */
const uint8_t *mh_reader_bytes(mh_reader *reader, uint64_t offset, uint32_t n);
/* What there is from `place` on: 1 with at least a byte, or with none at the end of the source; 0: MH_STEP_PULL brings it. The
 * caller moves `place`. */
int mh_reader_here(mh_reader *reader, const uint8_t **p, const uint8_t **end);
/* Whether the event has unpacked enough. */
static inline int mh_reader_is_tired(const mh_reader *reader) { return reader->source.work >= MH_READER_WORK; }

#endif
