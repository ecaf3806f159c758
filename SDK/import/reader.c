#include "include/import/reader.h"

#include <string.h>

int mh_reader_start(mh_reader *reader, const mh_import_open *opening) {
  reader->place = 0;
  reader->is_partial = reader->is_over = 0;
  reader->next = MH_STEP_ON;
  reader->failure = NULL;
  mh_source_start(&reader->source, opening->talk.size, MH_READER_PULL);
  return mh_queue_start(&reader->queue, opening);
}

void mh_reader_free(mh_reader *reader) { mh_queue_free(&reader->queue); }

const uint8_t *mh_reader_bytes(mh_reader *reader, uint64_t offset, uint32_t n) {
  const uint8_t *p;
  uint32_t have;
  return mh_source_need(&reader->source, offset, n, MH_READER_PULL, &p, &have) && have >= n ? p : NULL;
}

int mh_reader_here(mh_reader *reader, const uint8_t **p, const uint8_t **end) {
  uint32_t n;
  if (!mh_source_need(&reader->source, reader->place, 1, MH_READER_PULL, p, &n)) return 0;
  *end = *p + n;
  return 1;
}

static int is_short(const mh_queue *queue) {
  return queue->is_short || queue->has_failed || queue->types.is_over || queue->units.is_over || queue->keys.is_over;
}

/* What the event asks for, once everything that it put out has found room; `is_rest`: another event has to find it. */
static int32_t end_event(mh_reader *reader, mh_import_sink *sink, int is_rest) {
  mh_queue *queue = &reader->queue;
  if (reader->is_partial || is_short(queue)) queue->flags |= MH_IMPORT_PARTIAL;
  const int32_t status = mh_queue_tell(queue, sink);
  const int is_spent = queue->rounds >= MH_QUEUE_EVENT_ROUNDS;
  if (status != MH_OK && !is_spent) return status;
  const int is_end = reader->next == MH_STEP_DONE || reader->next == MH_STEP_FAIL;
  if (is_end && !is_rest && status == MH_OK) {
    reader->is_over = 1;
    return reader->next == MH_STEP_DONE ? mh_queue_act(sink, MH_TALK_DONE, 0, 0, NULL)
                                        : mh_queue_act(sink, MH_TALK_FAIL, 0, 0, reader->failure);
  }
  if (reader->next != MH_STEP_PULL) mh_source_rest(&reader->source, reader->source.used);
  if (!is_end) reader->next = MH_STEP_ON;
  return mh_queue_act(sink, MH_TALK_PULL, reader->source.pull_at, reader->source.pull_n, NULL);
}

static int32_t run(mh_reader *reader, mh_import_sink *sink, mh_step (*step)(void *), void *context) {
  for (;;) {
    if (reader->next != MH_STEP_ON || !mh_queue_has_room(&reader->queue)) {
      const int32_t status = mh_queue_drain(&reader->queue, sink);
      if (status == MH_QUEUE_SPENT) return end_event(reader, sink, 1);
      if (status != MH_OK) return status;
    }
    if (reader->next != MH_STEP_ON) return end_event(reader, sink, 0);
    reader->next = mh_reader_is_tired(reader) ? MH_STEP_REST : step(context);
  }
}

int32_t mh_reader_event(mh_reader *reader, const mh_talk_event *event, mh_import_sink *sink, mh_step (*step)(void *),
                        void *context) {
  if (reader->is_over) return MH_OK;
  const int is_continued = event->kind == MH_TALK_CONTINUE;
  mh_queue_event(&reader->queue, is_continued);
  if (!is_continued) mh_source_event(&reader->source);
  switch (event->kind) {
    case MH_TALK_STARTED:
    case MH_TALK_CONTINUE: break;
    case MH_TALK_BYTES:
      mh_source_take(&reader->source, event->number, event->value, (event->flags & MH_TALK_LAST) != 0);
      break;
    case MH_TALK_ANSWER:
      reader->failure = "the source cannot be read any further; import it again";
      reader->is_partial = 1;
      reader->next = MH_STEP_FAIL;
      break;
    default: return MH_OK;
  }
  return run(reader, sink, step, context);
}
