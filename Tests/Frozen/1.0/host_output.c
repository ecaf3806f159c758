/* Sinks of the least size, and what bundles put into them. */
#include "host.h"

static mh_record records[RECORDS];
static mh_value values[MH_SINK_VALUES_MIN];
static mh_text texts[MH_SINK_TEXTS_MIN];
static uint8_t arena[MH_SINK_ARENA_MIN];
uint64_t room = 4;

/* Fields of an action; kind and token stand for themselves. */
enum { ARG = 1, ARG2 = 2, HANDLE = 4, FLAGS = 8, CODE = 16, VALUE = 32, TEXT = 64 };

/* What each kind names, and its flags. */
static const struct {
  uint32_t fields;
  uint32_t flags;
} kinds[] = {
    [MH_DO_SUBSCRIBE] = {HANDLE, 0},
    [MH_DO_UNSUBSCRIBE] = {HANDLE, 0},
    [MH_DO_READ] = {HANDLE, 0},
    [MH_DO_WRITE] = {HANDLE | VALUE, 0},
    [MH_DO_WRITE_NO_RESPONSE] = {HANDLE | VALUE, 0},
    [MH_DO_MTU] = {ARG, 0},
    [MH_DO_PAIR] = {FLAGS, MH_PAIR_BOND | MH_PAIR_MITM},
    [MH_DO_TIMER] = {ARG, 0},
    [MH_DO_CANCEL_TIMER] = {0, 0},
    [MH_DO_READY] = {0, 0},
    [MH_DO_PROGRESS] = {ARG | ARG2, 0},
    [MH_DO_ASK_USER] = {ARG | ARG2 | FLAGS | CODE | VALUE | TEXT, MH_ASK_SECRET},
    [MH_DO_FINISH] = {0, 0},
    [MH_DO_FAIL] = {ARG | CODE | TEXT, 0},
};

static uint32_t used_fields(const mh_action *a) {
  return (a->arg ? ARG : 0u) | (a->arg2 ? ARG2 : 0u) | (a->handle ? HANDLE : 0u) | (a->flags ? FLAGS : 0u) |
         (a->code ? CODE : 0u) | (a->value.n ? VALUE : 0u) | (a->text.n ? TEXT : 0u);
}

static void check_action(const mh_action *a) {
  if (used_fields(a) & ~kinds[a->kind].fields) broken("an action sets a field that its kind does not name");
  if (kinds[a->kind].fields & HANDLE && a->handle == 0) broken("an action names no handle");
  if (a->kind == MH_DO_TIMER && a->arg > MH_TIMER_NS_MAX) broken("a timer is too long");
  if (is_disconnected && a->kind != MH_DO_FINISH && a->kind != MH_DO_FAIL)
    broken("an action comes after the link has gone");
  if (a->kind == MH_DO_MTU && (a->arg < 23 || a->arg > 517)) broken("there is no such MTU");
  if (a->kind == MH_DO_ASK_USER && (a->arg > a->arg2 || a->arg2 > MH_VALUE_MAX)) broken("no answer has such a length");
}

/* What a later minor may have, and what a driver may not use towards this version. */
static int is_known(const mh_action *a) {
  if (a->kind == 0 || a->kind > MH_DO_FAIL || a->flags & ~kinds[a->kind].flags) return 0;
  if (a->kind == MH_DO_ASK_USER) return a->code >= MH_ASK_PASSKEY && a->code <= MH_ASK_CHOICE;
  return a->kind != MH_DO_FAIL || (a->code >= MH_FAIL_COMMUNICATION && a->code <= MH_FAIL_OWNER);
}

static int32_t do_act(void *ctx, const mh_action *a) {
  if (!ctx) return MH_E_DENIED;
  if (!MH_HAS(a, text)) return MH_E_ARG;
  if (!is_known(a)) return MH_E_UNSUPPORTED;
  if (a->value.n > MH_ACTION_VALUE_MAX || a->text.n > MH_ACTION_TEXT_MAX) return MH_E_ARG;
  if (current.actions >= MH_ACTIONS_MAX) return MH_E_FULL;
  check_action(a);
  current.actions += 1;
  if (a->kind == MH_DO_FINISH || a->kind == MH_DO_FAIL) current.has_end = 1;
  printf("action %u token=%" PRIu64 " arg=%" PRIu64 " arg2=%" PRIu64 " handle=%u flags=%u code=%d value=", a->kind,
         a->token, a->arg, a->arg2, a->handle, a->flags, a->code);
  print_hex(a->value.p, a->value.n);
  printf(" text=");
  print_text(a->text.p, a->text.n);
  printf("\n");
  return MH_OK;
}

mh_sink empty_sink(int takes_actions) {
  return (mh_sink){.struct_size = sizeof(mh_sink), .records = records, .cap_records = room, .values = values,
                   .cap_values = MH_SINK_VALUES_MIN, .texts = texts, .cap_texts = MH_SINK_TEXTS_MIN, .arena = arena,
                   .cap_arena = MH_SINK_ARENA_MIN, .act = do_act, .ctx = takes_actions ? &current : NULL};
}

void check_counts(const mh_sink *sink) {
  if (sink->n_records > room || sink->n_values > MH_SINK_VALUES_MIN || sink->n_texts > MH_SINK_TEXTS_MIN ||
      sink->n_arena > MH_SINK_ARENA_MIN)
    broken("a count exceeds its capacity");
}

static void check_record(const mh_record *r, const mh_sink *sink) {
  const uint32_t known = MH_REC_PROVISIONAL | MH_REC_CONTROL | MH_REC_CLOCK_SUSPECT | MH_REC_HELD | MH_REC_TOMBSTONE |
                         MH_REC_USER;
  if (r->first_value + (uint64_t)r->n_values > sink->n_values || r->first_text + (uint64_t)r->n_texts > sink->n_texts ||
      (r->ident_len > 0 && r->ident_off + (uint64_t)r->ident_len > sink->n_arena))
    broken("a run leaves its array");
  if (r->kind == 0 || r->kind > MH_KIND_DIAGNOSTIC) broken("a record's kind is unknown");
  if (r->flags & ~known) broken("a record's flag is unknown");
  if (r->time_kind > MH_TIME_UTC) broken("a kind of time is unknown");
  if (r->ident_class > MH_IDENT_SUMMARY) broken("a class of identity is unknown");
  if (r->kind == MH_KIND_MEASUREMENT && r->ident_class == 0) broken("a measurement has no class of identity");
  if (r->ident_class == MH_IDENT_STORED && r->ident_len == 0) broken("a stored reading has no identity");
}

/* A value is its own mantissa times ten to its exponent, to the nearest double or nearly. */
static int is_exact(const mh_value *v) {
  double exact = (double)v->raw, divisor = 1;
  for (int n = v->exp10; n > 0; n--) exact *= 10;
  for (int n = v->exp10; n < 0; n++) divisor *= 10;
  exact /= divisor;
  double error = v->value > exact ? v->value - exact : exact - v->value;
  return error <= (exact < 0 ? -exact : exact) * 1e-9;
}

static void print_value(const mh_value *v) {
  if (v->metric == 0 || v->unit == 0) broken("a value lacks its metric or unit");
  if (v->qualifier > MH_QUAL_QUESTIONABLE) broken("a qualifier is unknown");
  if (v->flags & ~MH_VALUE_ROUNDED) broken("a value's flag is unknown");
  if (!is_exact(v)) broken("a value is not its mantissa times ten to its exponent");
  printf("value %u unit=%u raw=%" PRId64 " exp=%d qualifier=%u flags=%u value=%.17g\n", v->metric, v->unit, v->raw,
         v->exp10, v->qualifier, v->flags, v->value);
}

static void print_record(const mh_record *r, const mh_sink *sink) {
  check_record(r, sink);
  printf("record kind=%u flags=%u time=%u t=%" PRId64 " end=%" PRId64 " offset=%d ", r->kind, r->flags, r->time_kind,
         r->t_us, r->end_us, r->utc_offset_s);
  printf("user=%u group=%u class=%u seq=%" PRIu64 " ident=", r->device_user, r->group, r->ident_class, r->device_seq);
  print_hex(arena + r->ident_off, r->ident_len);
  printf("\n");
  for (uint32_t i = 0; i < r->n_values; i++) print_value(&values[r->first_value + i]);
  for (uint32_t i = 0; i < r->n_texts; i++) {
    const mh_text *t = &texts[r->first_text + i];
    if (t->field == 0 || t->flags != 0) broken("a text lacks its field, or has a flag");
    if (t->off + (uint64_t)t->len > sink->n_arena) broken("a text leaves the arena");
    printf("text %u ", t->field);
    print_text((const char *)arena + t->off, t->len);
    printf("\n");
  }
}

void print_records(const mh_sink *sink, uint64_t first, uint64_t n) {
  for (uint64_t i = first; i < first + n; i++) print_record(&records[i], sink);
}
