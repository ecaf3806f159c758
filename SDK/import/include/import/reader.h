/* The course of a conversation with an import driver: what is pulled lies in a buffer, a step of the format's reader uses some of it,
 * what it puts out goes on as the sink has room. */
#ifndef METERHOST_IMPORT_READER_H
#define METERHOST_IMPORT_READER_H

#include "out.h"

/* Of one pull: what so many bytes of text can name stays below the samples of an event. */
#define MH_READER_BUFFER 65536u

/* What an event unpacks before it asks for another: bytes that inflate to very many cost time (rule R16). */
#define MH_READER_WORK 4194304u

typedef enum mh_step {
  /* Again. */
  MH_STEP_ON,
  /* `want` is the offset of the bytes that are needed next. */
  MH_STEP_PULL,
  /* The event has done enough; the rest comes with the next one. */
  MH_STEP_REST,
  MH_STEP_DONE,
  /* `failure` says why. */
  MH_STEP_FAIL
} mh_step;

typedef struct mh_reader {
  mh_out out;
  /* `n` bytes of the source from `offset` on; everything before `at` is used up. `is_last`: nothing is behind them. */
  uint64_t offset;
  uint32_t n, at;
  uint8_t is_last;
  uint8_t is_partial;
  uint8_t is_over;
  /* What ends the event when the queue is empty. */
  mh_step next;
  uint64_t want, size;
  int64_t exported_us;
  const char *failure;
  /* Bytes that the event has unpacked. */
  uint64_t work;
  uint8_t buffer[MH_READER_BUFFER];
} mh_reader;

int mh_reader_start(mh_reader *reader, const mh_import_open *opening);
void mh_reader_free(mh_reader *reader);
/* One event; `step` is called as long as there is room for what it puts out. */
int32_t mh_reader_event(mh_reader *reader, const mh_talk_event *event, mh_import_sink *sink, mh_step (*step)(void *),
                        void *context);
/* `n` bytes of the source, at most MH_READER_BUFFER, or NULL: then a step of MH_STEP_PULL brings them, in so many pulls as it
 * takes. The caller knows that the source is so long. */
const uint8_t *mh_reader_bytes(mh_reader *reader, uint64_t offset, uint32_t n);
/* Where the next byte stands in the source. */
static inline uint64_t mh_reader_place(const mh_reader *reader) { return reader->offset + reader->at; }

#endif
