/* The conversation: pull a piece, read its whole lines, keep what is left of the last one, pull on.
 *
 * A line is put out whole or not at all. When it does not fit into the sink, event returns MH_E_FULL and goes on with
 * the same line at MH_TALK_CONTINUE (rule R13); the bytes of the event are gone by then, which is why they were copied.
 * However long the export or a line of it is, `talk` does not grow. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

/* Bytes of the export that are held. All lines of a piece are far fewer than an event may give. */
#define PIECE 65536u

enum phase { PHASE_HEADER, PHASE_LINES, PHASE_OVER };
enum failure { FAIL_NOT_OURS = 1, FAIL_UNREADABLE = 2 };

struct mh_talk {
  output out;
  /* Where bytes[0] stands in the export. */
  uint64_t at;
  /* Of bytes: how many there are, and how many of them were read. */
  uint32_t length;
  uint32_t position;
  uint8_t phase;
  /* Nothing of the export is behind the bytes. */
  uint8_t is_last;
  /* Inside a line that was refused because it is too long. */
  uint8_t skips;
  char bytes[PIECE];
};

int32_t reader_open(const mh_import_open *opening, mh_talk **out) {
  if (opening == NULL || out == NULL) return MH_E_ARG;
  mh_talk *talk = calloc(1, sizeof *talk);
  if (talk == NULL) return MH_E_MEMORY;
  talk->out.since_us = opening->since_us;
  talk->out.until_us = opening->until_us;
  for (uint32_t type = 0; type < LINE_TYPES; type++) {
    const uint32_t quantity = line_types[type].quantity;
    talk->out.is_wanted[type] = (opening->wanted[quantity / 64] >> quantity % 64 & 1) != 0;
  }
  *out = talk;
  return MH_OK;
}

void reader_close(mh_talk *talk) { free(talk); }

static int32_t act(mh_import_sink *sink, uint32_t kind, uint64_t first, uint64_t second, const char *words) {
  mh_talk_action action;
  memset(&action, 0, sizeof action);
  action.struct_size = sizeof action;
  action.kind = kind;
  action.first = first;
  action.second = second;
  if (words != NULL) action.text = (mh_str){words, strlen(words)};
  return sink->act(sink->ctx, &action);
}

static int32_t fail(mh_talk *talk, mh_import_sink *sink, enum failure number, const char *words) {
  talk->phase = PHASE_OVER;
  return act(sink, MH_TALK_FAIL, number, 0, words);
}

/* The next line that is there as a whole, without its end; 0 when there is none. `size`: with its end. */
static int next_line(const mh_talk *talk, mh_str *text, uint32_t *size) {
  const char *const from = talk->bytes + talk->position;
  const char *const end = memchr(from, '\n', talk->length - talk->position);
  if (end == NULL) return 0;
  *size = (uint32_t)(end - from) + 1;
  *text = (mh_str){from, *size - 1u};
  if (text->n > 0 && from[text->n - 1] == '\r') text->n -= 1;
  return 1;
}

/* Whether the export is this driver's: its first line says so, and nothing else is asked. MH_E_NO_VALUE: not yet known. */
static int32_t read_header(mh_talk *talk, mh_import_sink *sink) {
  static const mh_str header = {LINE_HEADER, sizeof LINE_HEADER - 1};
  mh_str text;
  uint32_t size;
  const int is_line = next_line(talk, &text, &size);
  if (is_line && text.n == header.n && memcmp(text.p, header.p, header.n) == 0) {
    talk->position += size;
    talk->phase = PHASE_LINES;
    return MH_OK;
  }
  /* A line end of two bytes may be cut in the middle. */
  if (!is_line && !talk->is_last && talk->length <= header.n + 1) return MH_E_NO_VALUE;
  return fail(talk, sink, FAIL_NOT_OURS,
              "this is no export of template-export: its first line is another one. Give the file as the program wrote it");
}

static int32_t put_line(mh_talk *talk, mh_import_sink *sink, mh_str text) {
  const uint64_t place = talk->at + talk->position;
  line read;
  if (text.n == 0) return MH_OK;
  if (text.n > LINE_MAX_BYTES) return output_refusal(&talk->out, sink, MH_REFUSED_TOO_LONG, LINE_TYPES, place);
  const uint32_t reason = line_read(text, &read);
  return reason == 0 ? output_line(&talk->out, sink, &read, place)
                     : output_refusal(&talk->out, sink, reason, read.type, place);
}

/* What is behind the last whole line: nothing, the beginning of a line, or of one that is too long. The export ends every
 * line, so that a last one without an end was cut, and the number in it may have been, too. */
static int32_t put_rest(mh_talk *talk, mh_import_sink *sink) {
  const uint32_t rest = talk->length - talk->position;
  /* With the line end's first byte one more. */
  const int is_long = rest > LINE_MAX_BYTES + 1;
  if (!talk->is_last && !is_long && !talk->skips) return MH_OK;
  if (rest > 0 && !talk->skips) {
    const int32_t status =
        output_refusal(&talk->out, sink, is_long ? MH_REFUSED_TOO_LONG : MH_REFUSED_FORM, LINE_TYPES,
                       talk->at + talk->position);
    if (status != MH_OK) return status;
  }
  if (talk->is_last && (rest > 0 || talk->skips)) sink->flags |= MH_IMPORT_PARTIAL;
  talk->skips = !talk->is_last;
  talk->position = talk->length;
  return MH_OK;
}

static int32_t read_lines(mh_talk *talk, mh_import_sink *sink) {
  mh_str text;
  uint32_t size;
  while (next_line(talk, &text, &size)) {
    if (!talk->skips) {
      const int32_t status = put_line(talk, sink, text);
      if (status != MH_OK) return status;
    }
    talk->skips = 0;
    talk->position += size;
  }
  return put_rest(talk, sink);
}

/* Reads on from where it stopped, and says what comes next. */
static int32_t go_on(mh_talk *talk, mh_import_sink *sink) {
  if (talk->phase == PHASE_OVER) return MH_OK;
  if (talk->phase == PHASE_HEADER) {
    const int32_t status = read_header(talk, sink);
    if (status != MH_OK && status != MH_E_NO_VALUE) return status;
    if (talk->phase == PHASE_OVER) return MH_OK;
  }
  if (talk->phase == PHASE_LINES) {
    int32_t status = read_lines(talk, sink);
    if (status == MH_OK) status = output_counts(&talk->out, sink);
    if (status != MH_OK) return status;
    if (talk->is_last) {
      talk->phase = PHASE_OVER;
      return act(sink, MH_TALK_DONE, 0, 0, NULL);
    }
  }
  talk->at += talk->position;
  talk->length -= talk->position;
  memmove(talk->bytes, talk->bytes + talk->position, talk->length);
  talk->position = 0;
  return act(sink, MH_TALK_PULL, talk->at + talk->length, PIECE - talk->length, NULL);
}

static int32_t take(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink) {
  if (event->number != talk->at + talk->length || event->value.n > PIECE - talk->length) return MH_E_ARG;
  if (event->value.n > 0) memcpy(talk->bytes + talk->length, event->value.p, event->value.n);
  talk->length += (uint32_t)event->value.n;
  talk->is_last = (event->flags & MH_TALK_LAST) != 0;
  return go_on(talk, sink);
}

int32_t reader_event(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink) {
  if (talk == NULL || event == NULL || sink == NULL) return MH_E_ARG;
  switch (event->kind) {
    case MH_TALK_STARTED: return act(sink, MH_TALK_PULL, 0, PIECE, NULL);
    case MH_TALK_BYTES: return take(talk, event, sink);
    case MH_TALK_CONTINUE: return go_on(talk, sink);
    case MH_TALK_ANSWER:
      return fail(talk, sink, FAIL_UNREADABLE,
                  "the export can no longer be read: see that its file is still there, and import it again");
    case MH_TALK_ENDED:
      /* All whole lines were put out with the event that brought them. */
      sink->flags |= MH_IMPORT_PARTIAL;
      talk->phase = PHASE_OVER;
      return MH_OK;
    default: return MH_E_UNSUPPORTED;
  }
}
