/* Finds the database: the source itself, or an entry of the archive that it is. */
#include "include/connect.h"

#include <stdlib.h>
#include <string.h>

enum { KIND, LIST, HEADER, WALK };

static mh_step fail(mh_talk *talk, const char *why) {
  talk->reader.failure = why;
  return MH_STEP_FAIL;
}

static mh_step begin_pages(mh_talk *talk, const mh_entry *packed, uint64_t size) {
  if (size > SIZE_MAX_DB) return fail(talk, "the database is larger than 2 GiB, which is more than this driver reads");
  talk->has_pages = 1;
  if (!pages_start(&talk->db.pages, &talk->reader, packed, size))
    return fail(talk, "there is too little memory to read the database");
  talk->phase = HEADER;
  return MH_STEP_ON;
}

static mh_step find_kind(mh_talk *talk) {
  mh_reader *reader = &talk->reader;
  if (reader->source.size == MH_TALK_SIZE_UNKNOWN) return fail(talk, "the length of the source is not known; give a file");
  if (reader->source.size < HEADER_SIZE) return fail(talk, "this is no export of Health Connect: it is too short");
  const uint8_t *head = mh_reader_bytes(reader, 0, 16);
  if (head == NULL) return MH_STEP_PULL;
  if (memcmp(head, "SQLite format 3", 16) == 0) return begin_pages(talk, NULL, reader->source.size);
  talk->phase = LIST;
  return MH_STEP_ON;
}

static int is_database_name(const mh_entry_name *name) {
  return name->n > 3 && memcmp(name->text + name->n - 3, ".db", 3) == 0;
}

/* The entry is chosen by its ending, and the largest of those. */
static int is_better(const mh_talk *talk, const mh_entry *entry, int is_db) {
  if (!mh_entry_is_readable(entry)) return 0;
  if (!talk->has_best) return 1;
  return is_db != talk->is_best_db ? is_db : entry->size > talk->best.size;
}

static mh_step list(mh_talk *talk) {
  mh_entry entry;
  mh_entry_name name;
  int is_db;
  switch (mh_archive_next(&talk->archive, &talk->reader.source, &entry, &name)) {
    case MH_FOUND_PULL: return MH_STEP_PULL;
    case MH_FOUND_NONE: return fail(talk, "this is no export of Health Connect: neither a zip file nor a database");
    case MH_FOUND_ENTRY:
      is_db = is_database_name(&name);
      if (is_better(talk, &entry, is_db)) {
        talk->best = entry;
        talk->is_best_db = (uint8_t)is_db;
        talk->has_best = 1;
      }
      return MH_STEP_ON;
    default: break;
  }
  talk->reader.is_partial |= talk->archive.is_cut;
  if (!talk->has_best) return fail(talk, "the archive has no database that can be read; export it again on the phone");
  /* Without a size the stream tells; the pages that are there are read. */
  return begin_pages(talk, &talk->best, talk->best.size == UINT64_MAX ? SIZE_MAX_DB : talk->best.size);
}

static mh_step read_header(mh_talk *talk) {
  const uint8_t *head;
  got result = pages_at(&talk->db.pages, 0, HEADER_SIZE, &head);
  if (result == GOT_PULL) return MH_STEP_PULL;
  if (result == GOT_REST) return MH_STEP_REST;
  if (result == GOT_NOTHING || !database_start(&talk->db, head))
    return fail(talk, "the archive has no database of Health Connect; give the file that the phone exported");
  talk->seen = calloc(talk->db.n_pages / 8 + 1, 1);
  if (talk->seen == NULL) return fail(talk, "there is too little memory to read the database");
  talk->phase = WALK;
  return MH_STEP_ON;
}

static mh_step step(void *context) {
  mh_talk *talk = context;
  switch (talk->phase) {
    case KIND: return find_kind(talk);
    case LIST: return list(talk);
    case HEADER: return read_header(talk);
    default: return connect_walk(talk);
  }
}

static void connect_close(mh_talk *talk) {
  if (talk == NULL) return;
  mh_reader_free(&talk->reader);
  if (talk->has_pages) pages_free(&talk->db.pages);
  free(talk->front.pages);
  free(talk->next.pages);
  free(talk->leaves.pages);
  free(talk->seen);
  free(talk->apps);
  free(talk->devices);
  free(talk->parents);
  free(talk->parts);
  free(talk);
}

static int32_t connect_open(const mh_import_open *opening, mh_talk **out) {
  static const char source[] = "health-connect";
  if (opening == NULL || out == NULL) return MH_E_ARG;
  mh_str name = opening->talk.source;
  if (name.n != 0 && (name.n != sizeof source - 1 || memcmp(name.p, source, name.n) != 0)) return MH_E_UNSUPPORTED;
  mh_talk *talk = calloc(1, sizeof *talk);
  if (talk == NULL) return MH_E_MEMORY;
  if (!mh_reader_start(&talk->reader, opening)) {
    connect_close(talk);
    return MH_E_MEMORY;
  }
  mh_archive_start(&talk->archive, 0);
  *out = talk;
  return MH_OK;
}

static int32_t connect_event(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink) {
  if (talk == NULL || event == NULL || sink == NULL) return MH_E_ARG;
  return mh_reader_event(&talk->reader, event, sink, step, talk);
}

const mh_import health_connect = {
    .struct_size = sizeof(mh_import),
    .open = connect_open,
    .event = connect_event,
    .close = connect_close,
};
