/* Which app and device wrote a row, and the order of apps that the phone's owner chose. */
#include "include/connect.h"

#include <stdlib.h>
#include <string.h>

int connect_grow(void **array, uint32_t n, uint32_t *cap, size_t size, uint32_t most) {
  if (n < *cap) return 1;
  uint32_t more = *cap == 0 ? 256 : *cap * 2;
  if (more > most) more = most;
  if (n >= more) return 0;
  void *grown = realloc(*array, more * size);
  if (grown == NULL) return 0;
  *array = grown;
  *cap = more;
  return 1;
}

static app *add_app(app **list, uint32_t *n) {
  if (*list == NULL) *list = calloc(APPS_MAX, sizeof **list);
  if (*list == NULL || *n == APPS_MAX) return NULL;
  return &(*list)[(*n)++];
}

static void read_app(mh_talk *talk, const table *table) {
  app *a = add_app(&talk->apps, &talk->n_apps);
  int64_t id = 0;
  if (a == NULL || !field_integer(talk, table, C_ROW_ID, &id)) return;
  a->id = id;
  a->package_n = (uint16_t)field_text(talk, table, C_PACKAGE_NAME, a->text, NAME_MAX_BYTES);
  a->name_n = (uint16_t)field_text(talk, table, C_APP_NAME, a->text + NAME_MAX_BYTES, NAME_MAX_BYTES);
}

static void read_device(mh_talk *talk, const table *table) {
  app *a = add_app(&talk->devices, &talk->n_devices);
  int64_t id = 0, type = 0;
  if (a == NULL || !field_integer(talk, table, C_ROW_ID, &id)) return;
  a->id = id;
  size_t n = field_text(talk, table, C_MANUFACTURER, a->text, NAME_MAX_BYTES - 1);
  if (n > 0) a->text[n++] = ' ';
  n += field_text(talk, table, C_MODEL, a->text + n, NAME_MAX_BYTES);
  while (n > 0 && a->text[n - 1] == ' ') n--;
  a->detail_n = (uint16_t)n;
  field_integer(talk, table, C_DEVICE_TYPE, &type);
  a->flags = type == 1 ? MH_SOURCE_WATCH : type == 2 ? MH_SOURCE_PHONE : 0;
}

/* "3,1": the apps' rows, the first counts most. */
static void read_order(mh_talk *talk, const table *table) {
  char text[2048];
  int64_t category;
  if (!field_integer(talk, table, C_CATEGORY, &category) || category < 1 || category > (int64_t)CATEGORIES) return;
  size_t n = field_text(talk, table, C_PRIORITY, text, sizeof text);
  order *o = &talk->orders[category - 1];
  o->n = 0;
  for (size_t i = 0; i < n && o->n < ORDER_MAX;) {
    int64_t id = 0;
    size_t start = i;
    for (; i < n && text[i] >= '0' && text[i] <= '9' && i - start < 18; i++) id = id * 10 + (text[i] - '0');
    if (i > start) o->apps[o->n++] = id;
    while (i < n && (text[i] < '0' || text[i] > '9')) i++;
  }
}

void connect_info_row(mh_talk *talk, const table *table) {
  if (table->form->kind == KIND_APP) read_app(talk, table);
  if (table->form->kind == KIND_DEVICE) read_device(talk, table);
  if (table->form->kind == KIND_PRIORITY) read_order(talk, table);
}

static const app *find(const app *list, uint32_t n, int64_t id) {
  for (uint32_t i = 0; i < n; i++)
    if (list[i].id == id) return &list[i];
  return NULL;
}

/* Each category's order, once for a source. An app that is not in an order that has any counts for nothing there. */
static void put_orders(mh_talk *talk, uint32_t source, int64_t app_id) {
  static const uint16_t categories[CATEGORIES] = {MH_QTY_STEPS, MH_QTY_WEIGHT,     MH_QTY_MENSTRUAL_FLOW, MH_QTY_MEAL,
                                                  MH_QTY_SLEEP, MH_QTY_HEART_RATE, MH_QTY_MINDFUL};
  if (source >= MH_NAMES_SOURCES_MAX || talk->ordered[source]) return;
  talk->ordered[source] = 1;
  for (uint32_t c = 0; c < CATEGORIES; c++) {
    const order *o = &talk->orders[c];
    uint32_t rank = UINT32_MAX;
    for (uint32_t i = o->n; i-- > 0;)
      if (o->apps[i] == app_id) rank = i + 1;
    if (o->n > 0) mh_queue_order(&talk->reader.queue, source, categories[c], rank);
  }
}

static int begins(const char *p, size_t n, const char *with) { return n >= strlen(with) && memcmp(p, with, strlen(with)) == 0; }

uint32_t connect_source(mh_talk *talk, const table *table) {
  static const char phone[] = "com.android.healthconnect.phone";
  int64_t app_id = -1, device_id = -1;
  field_integer(talk, table, C_APP_INFO, &app_id);
  field_integer(talk, table, C_DEVICE_INFO, &device_id);
  const app *a = find(talk->apps, talk->n_apps, app_id), *d = find(talk->devices, talk->n_devices, device_id);
  mh_named source = {.text = {"unknown app", 11}, .key = {"unknown", 7}};
  if (a != NULL && a->package_n > 0) source.text = source.key = (mh_str){a->text, a->package_n};
  if (a != NULL && a->name_n > 0) source.text = (mh_str){a->text + NAME_MAX_BYTES, a->name_n};
  if (d != NULL) source.flags = d->flags;
  if (d != NULL) source.detail = (mh_str){d->text, d->detail_n};
  /* Steps that the phone counts itself have had several packages. */
  if ((source.key.n == 7 && memcmp(source.key.p, "android", 7) == 0) || begins(source.key.p, source.key.n, phone)) {
    source.key = (mh_str){phone, sizeof phone - 1};
    source.flags = MH_SOURCE_PHONE;
  }
  uint32_t index = mh_source_index(&talk->reader.queue, &source);
  put_orders(talk, index, app_id);
  return index;
}
