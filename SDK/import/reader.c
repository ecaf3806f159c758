#include "include/import/reader.h"

#include <string.h>

int mh_reader_start(mh_reader *reader, const mh_import_open *opening) {
  memset(reader, 0, sizeof *reader);
  reader->size = opening->talk.size;
  reader->next = MH_STEP_ON;
  return mh_out_start(&reader->out, opening);
}

void mh_reader_free(mh_reader *reader) { mh_out_free(&reader->out); }

static int32_t act(mh_import_sink *sink, uint32_t kind, uint64_t first, uint64_t second, const char *text) {
  mh_talk_action action;
  memset(&action, 0, sizeof action);
  action.struct_size = sizeof action;
  action.kind = kind;
  action.first = first;
  action.second = second;
  if (text != NULL) action.text = (mh_str){text, strlen(text)};
  return sink->act(sink->ctx, &action);
}

static void take(mh_reader *reader, const mh_talk_event *event) {
  if (reader->want != reader->offset + reader->n) {
    reader->offset = reader->want;
    reader->n = reader->at = 0;
  }
  uint64_t n = MH_READER_BUFFER - reader->n;
  if (event->value.n < n) n = event->value.n;
  if (event->number != reader->want) n = 0;
  if (n > 0) memcpy(reader->buffer + reader->n, event->value.p, n);
  reader->n += (uint32_t)n;
  reader->is_last = (event->flags & MH_TALK_LAST) != 0;
}

const uint8_t *mh_reader_bytes(mh_reader *reader, uint64_t offset, uint32_t n) {
  uint64_t end = reader->offset + reader->n;
  if (offset >= reader->offset && offset + n <= end) return reader->buffer + (offset - reader->offset);
  if (offset > reader->offset && offset < end) {
    memmove(reader->buffer, reader->buffer + (offset - reader->offset), end - offset);
    reader->n = (uint32_t)(end - offset);
    reader->offset = offset;
  } else if (offset != reader->offset) {
    reader->offset = offset;
    reader->n = 0;
  }
  reader->at = 0;
  reader->want = reader->offset + reader->n;
  return NULL;
}

/* What the event asks for, once everything that it put out has found room. */
static int32_t end_event(mh_reader *reader, mh_import_sink *sink) {
  int32_t status = mh_out_flush_counts(&reader->out, sink);
  if (status != MH_OK) return status;
  if (reader->is_partial || reader->out.is_short) sink->flags |= MH_IMPORT_PARTIAL;
  sink->exported_us = reader->exported_us;
  if (reader->next == MH_STEP_DONE || reader->next == MH_STEP_FAIL) {
    reader->is_over = 1;
    return reader->next == MH_STEP_DONE ? act(sink, MH_TALK_DONE, 0, 0, NULL)
                                        : act(sink, MH_TALK_FAIL, 0, 0, reader->failure);
  }
  if (reader->next == MH_STEP_REST) {
    reader->want = mh_reader_place(reader);
    reader->offset = reader->want;
    reader->n = reader->at = 0;
  }
  reader->next = MH_STEP_ON;
  uint64_t most = MH_READER_BUFFER;
  if (reader->want == reader->offset + reader->n) {
    /* What is used up makes room. */
    memmove(reader->buffer, reader->buffer + reader->at, reader->n - reader->at);
    reader->offset += reader->at;
    reader->n -= reader->at;
    reader->at = 0;
    most -= reader->n;
  }
  return act(sink, MH_TALK_PULL, reader->want, most, NULL);
}

static int32_t run(mh_reader *reader, mh_import_sink *sink, mh_step (*step)(void *), void *context) {
  for (;;) {
    if (reader->next != MH_STEP_ON || !mh_out_has_room(&reader->out)) {
      int32_t status = mh_out_flush(&reader->out, sink);
      if (status != MH_OK) return status;
    }
    if (reader->next != MH_STEP_ON) return end_event(reader, sink);
    reader->next = mh_out_is_spent(&reader->out) || reader->work >= MH_READER_WORK ? MH_STEP_REST : step(context);
  }
}

int32_t mh_reader_event(mh_reader *reader, const mh_talk_event *event, mh_import_sink *sink, mh_step (*step)(void *),
                        void *context) {
  if (reader->is_over) return MH_OK;
  switch (event->kind) {
    case MH_TALK_STARTED:
      reader->want = 0;
      reader->next = MH_STEP_PULL;
      break;
    case MH_TALK_BYTES:
      mh_out_event(&reader->out);
      reader->work = 0;
      take(reader, event);
      break;
    case MH_TALK_ANSWER:
      reader->failure = "the source cannot be read any further; import it again";
      reader->is_partial = 1;
      reader->next = MH_STEP_FAIL;
      break;
    case MH_TALK_CONTINUE: break;
    default: return MH_OK;
  }
  return run(reader, sink, step, context);
}
