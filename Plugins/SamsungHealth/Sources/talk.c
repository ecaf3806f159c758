/* Finds the tables in the archive and reads them one after the other, then puts out the days. */
#include "include/samsung.h"

#include <stdlib.h>
#include <string.h>

enum { LIST, SETTLE, OPEN, ROWS, PLAIN, DAYS };

static mh_step list(mh_talk *talk) {
  mh_entry entry;
  mh_entry_name name;
  switch (mh_archive_next(&talk->archive, &talk->reader.source, &entry, &name)) {
    case MH_FOUND_PULL: return MH_STEP_PULL;
    case MH_FOUND_NONE:
      samsung_begin_table(talk, NULL, TABLE_NONE);
      talk->phase = PLAIN;
      return MH_STEP_ON;
    case MH_FOUND_END:
      talk->reader.is_partial |= talk->archive.is_cut;
      talk->phase = SETTLE;
      return MH_STEP_ON;
    default: break;
  }
  const samsung_table table = samsung_table_of(name.text, name.n);
  if (table == TABLE_NONE) {
    samsung_keep_sidecar(talk, &entry, &name);
    return MH_STEP_ON;
  }
  if (talk->n_entries == TABLES_MAX) {
    talk->reader.is_partial = 1;
    return MH_STEP_ON;
  }
  talk->tables[talk->n_entries] = table;
  talk->entries[talk->n_entries++] = entry;
  return MH_STEP_ON;
}

static mh_step settle(mh_talk *talk) {
  const mh_step step = samsung_settle(talk);
  if (step != MH_STEP_DONE) return step;
  talk->phase = OPEN;
  return MH_STEP_ON;
}

static mh_step open_next(mh_talk *talk) {
  if (talk->at_entry < talk->n_entries) {
    samsung_begin_table(talk, &talk->entries[talk->at_entry], talk->tables[talk->at_entry]);
    talk->phase = ROWS;
    return MH_STEP_ON;
  }
  talk->phase = DAYS;
  if (talk->n_entries > 0) return MH_STEP_ON;
  talk->reader.failure = "the archive has no table of Samsung Health; export it again in the app's settings";
  return MH_STEP_FAIL;
}

static void take_row(mh_talk *talk) {
  if (samsung_is_data(talk, 1)) samsung_row(talk);
}

/* A row without the end of its line: the table was cut in it, unless the comma is there behind which rows have nothing. Cut in a number,
 * it would tell another one. */
static void take_last_row(mh_talk *talk) {
  size_t n = 0;
  if (talk->csv.n_fields > 1) mh_csv_field(&talk->csv, talk->csv.n_fields - 1, &n);
  if (talk->csv.n_fields > 1 && n == 0) {
    take_row(talk);
    return;
  }
  talk->reader.is_partial = 1;
  mh_queue_refuse(&talk->reader.queue, MH_REFUSED_DAMAGED, MH_IMPORT_NO_INDEX, talk->reader.place);
}

static mh_step rows(mh_talk *talk) {
  mh_step step;
  if (samsung_next_row(talk, &step)) take_row(talk);
  if (step != MH_STEP_DONE) return step;
  if (talk->end_of_table == TABLE_DAMAGED) {
    talk->reader.is_partial = 1;
    mh_queue_refuse(&talk->reader.queue, MH_REFUSED_DAMAGED, MH_IMPORT_NO_INDEX, talk->opened.at);
  }
  talk->at_entry += 1;
  talk->phase = OPEN;
  return MH_STEP_ON;
}

/* The source is one table. */
static mh_step plain(mh_talk *talk) {
  mh_reader *reader = &talk->reader;
  const uint8_t *p, *end;
  if (!mh_reader_here(reader, &p, &end)) return MH_STEP_PULL;
  const uint8_t *at = p;
  const int is_row = mh_csv_next(&talk->csv, &at, end);
  reader->place += (uint64_t)(at - p);
  if (is_row) {
    take_row(talk);
    return MH_STEP_ON;
  }
  if (p == end && mh_csv_finish(&talk->csv)) {
    take_last_row(talk);
    return MH_STEP_ON;
  }
  if (p < end) return MH_STEP_ON;
  talk->phase = DAYS;
  if (talk->table != TABLE_NONE) return MH_STEP_ON;
  reader->failure = "this is no export of Samsung Health: give the whole zip, or one of its tables";
  return MH_STEP_FAIL;
}

static mh_step step(void *context) {
  mh_talk *talk = context;
  switch (talk->phase) {
    case LIST: return list(talk);
    case SETTLE: return settle(talk);
    case OPEN: return open_next(talk);
    case ROWS: return rows(talk);
    case PLAIN: return plain(talk);
    default: return samsung_put_day(talk) ? MH_STEP_ON : MH_STEP_DONE;
  }
}

static void samsung_close(mh_talk *talk) {
  if (talk == NULL) return;
  mh_reader_free(&talk->reader);
  mh_opened_close(&talk->opened);
  free(talk->days);
  free(talk);
}

static int32_t samsung_open(const mh_import_open *opening, mh_talk **out) {
  static const char source[] = "samsung-health";
  if (opening == NULL || out == NULL) return MH_E_ARG;
  mh_str name = opening->talk.source;
  if (name.n != 0 && (name.n != sizeof source - 1 || memcmp(name.p, source, name.n) != 0)) return MH_E_UNSUPPORTED;
  mh_talk *talk = calloc(1, sizeof *talk);
  if (talk == NULL) return MH_E_MEMORY;
  talk->days = calloc(N_DAYS, sizeof *talk->days);
  if (!mh_reader_start(&talk->reader, opening) || talk->days == NULL) {
    samsung_close(talk);
    return MH_E_MEMORY;
  }
  mh_archive_start(&talk->archive, 0);
  talk->at_sidecar_table = SIDECAR_UNREAD;
  talk->utc_offset_s = opening->talk.utc_offset_s;
  *out = talk;
  return MH_OK;
}

static int32_t samsung_event(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink) {
  if (talk == NULL || event == NULL || sink == NULL) return MH_E_ARG;
  return mh_reader_event(&talk->reader, event, sink, step, talk);
}

const mh_import samsung_health = {
    .struct_size = sizeof(mh_import),
    .open = samsung_open,
    .event = samsung_event,
    .close = samsung_close,
};
