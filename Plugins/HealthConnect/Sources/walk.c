/* Which pages the tables lie on, and their rows. Level by level and in rising order of pages, so that a packed database is passed
 * over once a level and once a round. */
#include "include/connect.h"

#include <stdlib.h>
#include <string.h>

enum { SCHEMA, LEVELS, ROWS, FINISH };

#define TABLE_OF(entry) ((uint32_t)((entry) & 255))
#define PAGE_OF(entry) ((uint32_t)((entry) >> 8))
/* The table of tables. */
#define SCHEMA_TABLE 255u
#define LEVELS_MAX 20u

static int by_page(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* A page belongs to one tree once: a second time is damage, and would be a circle. */
static void add(mh_talk *talk, page_list *list, uint32_t page, uint32_t table) {
  if (page == 0 || page > talk->db.n_pages || (talk->seen[page / 8] >> page % 8 & 1) != 0) {
    connect_damaged(talk, page);
    return;
  }
  if (!connect_grow((void **)&list->pages, list->n, &list->cap, sizeof *list->pages, PAGES_MAX)) {
    talk->reader.is_partial = 1;
    return;
  }
  talk->seen[page / 8] |= (uint8_t)(1u << page % 8);
  list->pages[list->n++] = (uint64_t)page << 8 | table;
}

void connect_damaged(mh_talk *talk, uint32_t page) {
  talk->reader.is_partial = 1;
  mh_queue_refuse(&talk->reader.queue, MH_REFUSED_DAMAGED, MH_IMPORT_NO_INDEX, (uint64_t)page * talk->db.page_size);
}

static mh_step step_of(got result) { return result == GOT_PULL ? MH_STEP_PULL : MH_STEP_REST; }

static void begin_level(mh_talk *talk, page_list *from) {
  page_list spare = talk->front;
  talk->front = *from;
  *from = spare;
  from->n = 0;
  if (talk->front.n > 0) qsort(talk->front.pages, talk->front.n, sizeof *talk->front.pages, by_page);
  talk->at_page = talk->at_cell = 0;
}

static uint32_t *leaf_level(mh_talk *talk, uint32_t table) {
  return table == SCHEMA_TABLE ? &talk->schema_level : &talk->tables[table].leaf_level;
}

static int is_in_round(const mh_talk *talk, uint64_t entry) {
  uint32_t table = TABLE_OF(entry);
  return table == SCHEMA_TABLE ? talk->round == UINT32_MAX : talk->tables[table].form->round == talk->round;
}

/* One page of the level: its children make the next level, a leaf is kept. */
static mh_step levels(mh_talk *talk) {
  if (talk->at_page == talk->front.n) {
    if (talk->next.n > 0 && talk->level < LEVELS_MAX) {
      talk->level += 1;
      begin_level(talk, &talk->next);
      return MH_STEP_ON;
    }
    begin_level(talk, &talk->leaves);
    talk->walk = ROWS;
    return MH_STEP_ON;
  }
  uint64_t entry = talk->front.pages[talk->at_page];
  uint32_t number = PAGE_OF(entry), table = TABLE_OF(entry), *known = leaf_level(talk, table);
  const uint8_t *page = NULL;
  /* All leaves of a tree are at one level. */
  uint32_t kind = 13;
  if (*known != talk->level) {
    got result = database_page(&talk->db, number, &page);
    if (result == GOT_PULL || result == GOT_REST) return step_of(result);
    kind = result == GOT ? page_kind(page, number) : 0;
  }
  if (kind == 13) {
    *known = talk->level;
    if (connect_grow((void **)&talk->leaves.pages, talk->leaves.n, &talk->leaves.cap, sizeof entry, PAGES_MAX))
      talk->leaves.pages[talk->leaves.n++] = entry;
    else
      talk->reader.is_partial = 1;
  } else if (kind == 5) {
    uint32_t n = page_cells(&talk->db, page, number);
    for (uint32_t i = 0; i <= n; i++) add(talk, &talk->next, page_child(&talk->db, page, number, i), table);
  } else {
    connect_damaged(talk, number);
  }
  talk->at_page += 1;
  return MH_STEP_ON;
}

static int text_is(const value *v, const char *text) {
  return v->kind == VALUE_TEXT && v->n == strlen(text) && memcmp(v->p, text, v->n) == 0;
}

static void map_columns(table *table, const char *sql, const columns *columns) {
  for (uint32_t c = 0; c < N_COLUMN_NAMES; c++) {
    table->columns[c] = -1;
    for (uint32_t i = 0; i < columns->n; i++)
      if (columns->names[i].n == strlen(column_names[c]) && memcmp(sql + columns->names[i].at, column_names[c], columns->names[i].n) == 0)
        table->columns[c] = (int16_t)i;
  }
  table->alias = columns->alias == UINT32_MAX ? -1 : (int16_t)columns->alias;
}

/* Names are plain ASCII: a text of UTF-16 becomes one in its place. */
static void narrow(mh_talk *talk, value *v) {
  if (talk->db.encoding <= 1 || v->kind != VALUE_TEXT) return;
  uint8_t *to = talk->row.payload + (v->p - talk->row.payload);
  uint32_t low = talk->db.encoding == 3;
  for (uint32_t i = 0; i + 1 < v->n; i += 2) to[i / 2] = v->p[i + !low] == 0 ? v->p[i + low] : '?';
  v->n /= 2;
}

/* type, name, tbl_name, rootpage, sql. */
static void schema_row(mh_talk *talk) {
  row *r = &talk->row;
  columns columns;
  for (uint32_t i = 0; i < r->n_values && i < 5; i++) narrow(talk, &r->values[i]);
  if (r->n_values < 5 || !text_is(&r->values[0], "table") || r->values[3].kind != VALUE_INTEGER || r->values[4].kind != VALUE_TEXT)
    return;
  for (uint32_t i = 0; i < n_table_forms; i++) {
    if (!text_is(&r->values[1], table_forms[i].name) || talk->n_tables == TABLES_MAX) continue;
    const char *sql = (const char *)r->values[4].p;
    int64_t root = r->values[3].integer;
    if (root < 2 || root > talk->db.n_pages || !columns_read(sql, r->values[4].n, &columns)) {
      connect_damaged(talk, 1);
      continue;
    }
    table *t = &talk->tables[talk->n_tables++];
    memset(t, 0, sizeof *t);
    t->form = &table_forms[i];
    t->root = (uint32_t)root;
    t->leaf_level = UINT32_MAX;
    map_columns(t, sql, &columns);
  }
}

static void begin_tables(mh_talk *talk) {
  talk->round = 0;
  talk->level = 0;
  talk->next.n = talk->leaves.n = 0;
  for (uint32_t i = 0; i < talk->n_tables; i++) add(talk, &talk->next, talk->tables[i].root, i);
  begin_level(talk, &talk->next);
  talk->walk = LEVELS;
}

/* The round has gone over all leaves. */
static mh_step end_round(mh_talk *talk) {
  talk->at_page = talk->at_cell = 0;
  if (talk->round == UINT32_MAX) {
    begin_tables(talk);
    return MH_STEP_ON;
  }
  connect_sort(talk);
  talk->round += 1;
  if (talk->round == ROUNDS) talk->walk = FINISH;
  return MH_STEP_ON;
}

static mh_step next_page(mh_talk *talk) {
  talk->at_page += 1;
  talk->at_cell = 0;
  return MH_STEP_ON;
}

static mh_step rows(mh_talk *talk) {
  if (connect_next_part(talk)) return MH_STEP_ON;
  while (talk->at_page < talk->front.n && !is_in_round(talk, talk->front.pages[talk->at_page])) talk->at_page += 1;
  if (talk->at_page == talk->front.n) return end_round(talk);
  uint64_t entry = talk->front.pages[talk->at_page];
  uint32_t number = PAGE_OF(entry), index = TABLE_OF(entry);
  const uint8_t *page;
  got result = database_page(&talk->db, number, &page);
  if (result == GOT_PULL || result == GOT_REST) return step_of(result);
  if (result == GOT_NOTHING || page_kind(page, number) != 13) {
    connect_damaged(talk, number);
    return next_page(talk);
  }
  if (talk->at_cell >= page_cells(&talk->db, page, number)) return next_page(talk);
  int with_overflow = index == SCHEMA_TABLE || talk->tables[index].form->kind != KIND_APP;
  result = page_row(&talk->db, number, talk->at_cell, with_overflow, &talk->row);
  if (result == GOT_PULL || result == GOT_REST) return step_of(result);
  talk->at_cell += 1;
  if (result == GOT_NOTHING)
    connect_damaged(talk, number);
  else if (index == SCHEMA_TABLE)
    schema_row(talk);
  else
    connect_row(talk, &talk->tables[index]);
  return MH_STEP_ON;
}

static mh_step finish(mh_talk *talk) {
  got result = pages_finish(&talk->db.pages);
  if (result == GOT_PULL || result == GOT_REST) return step_of(result);
  if (result == GOT_NOTHING) connect_damaged(talk, 0);
  if (talk->n_tables > 0) return MH_STEP_DONE;
  talk->reader.failure = "the database has no table of Health Connect; export it again on the phone";
  return MH_STEP_FAIL;
}

mh_step connect_walk(mh_talk *talk) {
  switch (talk->walk) {
    case SCHEMA:
      talk->round = UINT32_MAX;
      talk->schema_level = UINT32_MAX;
      add(talk, &talk->next, 1, SCHEMA_TABLE);
      begin_level(talk, &talk->next);
      talk->walk = LEVELS;
      return MH_STEP_ON;
    case LEVELS: return levels(talk);
    case ROWS: return rows(talk);
    default: return finish(talk);
  }
}
