/* Extension functions that behave and misbehave, for tests of the host that calls them (rule R19). */
#include <meterhost/functions.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

MH_DRIVER_NOTE

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const mh_host *services;

static int32_t put(uint8_t *out, uint64_t *n, const void *bytes, uint64_t count) {
  if (count > *n) return MH_E_FULL;
  if (count != 0) memcpy(out, bytes, count);
  *n = count;
  return MH_OK;
}

/* Every kind of argument and output, in another order. */
static int32_t echo(int32_t a, mh_bytes bytes, uint32_t b, int64_t c, double d, mh_str text, uint64_t e,
                    uint8_t *out_bytes, uint64_t *n_bytes, int32_t *out_a, uint32_t *out_b, int64_t *out_c,
                    uint64_t *out_e, double *out_d, char *out_text, uint64_t *n_text) {
  *out_a = a, *out_b = b, *out_c = c, *out_d = d, *out_e = e;
  int32_t status = put(out_bytes, n_bytes, bytes.p, bytes.n);
  return status != MH_OK ? status : put((uint8_t *)out_text, n_text, text.p, text.n);
}

/* More of each kind than there are registers. */
static int32_t spread(double a, mh_bytes b, double c, mh_str d, double e, mh_bytes f, double g, double h, double i,
                      double j, double k, double l, int32_t m, double *sum, uint8_t *joined, uint64_t *n) {
  *sum = a + 2 * c + 3 * e + 4 * g + 5 * h + 6 * i + 7 * j + 8 * k + 9 * l + m;
  if (b.n + d.n + f.n > *n) return MH_E_FULL;
  if (b.n != 0) memcpy(joined, b.p, b.n);
  if (d.n != 0) memcpy(joined + b.n, d.p, d.n);
  if (f.n != 0) memcpy(joined + b.n + d.n, f.p, f.n);
  *n = b.n + d.n + f.n;
  return MH_OK;
}

static int32_t nothing(void) { return MH_OK; }

static int32_t fill(uint32_t count, uint8_t *out, uint64_t *n) {
  if (count > *n) return MH_E_FULL;
  memset(out, 'x', count);
  *n = count;
  return MH_OK;
}

static int32_t crash(void) {
  *(volatile int *)8 = 1;
  return MH_OK;
}
static int32_t leave(void) { _exit(7); }
static int32_t spin(void) {
  for (volatile int i = 0;; i++) (void)i;
}
static int32_t block(void) {
  for (;;) pause();
}
static int32_t too_long(uint8_t *out, uint64_t *n) {
  out[0] = 1;
  *n += 1;
  return MH_OK;
}
static int32_t far_too_long(char *out, uint64_t *n) {
  out[0] = 'x';
  *n = UINT64_MAX;
  return MH_OK;
}
static int32_t no_text(char *out, uint64_t *n) {
  out[0] = (char)0xff;
  *n = 1;
  return MH_OK;
}
static int32_t behind(uint8_t *out, uint64_t *n) {
  memset(out, 1, *n + 8);
  return MH_OK;
}
static int32_t wide(int32_t *out) {
  memset(out, 1, 8);
  return MH_OK;
}
static int32_t infinite(double *out) {
  *out = (double)INFINITY;
  return MH_OK;
}
static int32_t returns(int32_t status) { return status; }

static int32_t fails(char *out, uint64_t *n) {
  put((uint8_t *)out, n, "vector 3 differs", 16);
  return MH_E_PROTOCOL;
}
static int32_t fails_without_a_word(char *out, uint64_t *n) {
  (void)out, (void)n;
  return MH_E_NO_VALUE;
}

/* What the host lends inside a call: its log, and nothing else. */
static int32_t asks(int32_t *random, int32_t *get, int32_t *set, int32_t *asset, int32_t *hash) {
  mh_str line = TEXT("asked"), key = TEXT("user/key"), name = TEXT("file");
  uint8_t room[32];
  uint64_t n = sizeof room;
  mh_bytes out = {NULL, 0};
  services->log(services->ctx, MH_LOG_INFO, line);
  *random = services->random(services->ctx, room, 4);
  *get = services->kv_get(services->ctx, 0, key, room, &n);
  *set = services->kv_set(services->ctx, 0, key, out);
  *asset = services->asset(services->ctx, name, &out);
  const mh_crypto *crypto = services->extension(services->ctx, MH_EXT_CRYPTO);
  *hash = crypto == NULL ? MH_OK : crypto->sha256(crypto->ctx, out, room);
  return MH_OK;
}

/* One record of 36.60 at second 5, two of them for two bytes, none for FF; it refuses to decode for EE. */
static int32_t decode_readings(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                               uint64_t *n_done) {
  (void)opening;
  uint64_t before = sink->n_records;
  if (n != 1 || slices->len != arena.n) return MH_E_ARG;
  if (arena.n > 0 && arena.p[0] == 0xee) return MH_E_ARG;
  slices->status = arena.n == 0 ? MH_E_PROTOCOL : arena.p[0] == 0xff ? MH_E_NO_VALUE : MH_OK;
  for (uint64_t i = 0; slices->status == MH_OK && i < arena.n; i++) {
    mh_record record = {.kind = MH_KIND_MEASUREMENT, .time_kind = MH_TIME_CIVIL, .t_us = 5000000, .end_us = 5000000};
    mh_value value = {.metric = MH_METRIC_BODY_TEMPERATURE, .unit = MH_UNIT_CELSIUS, .exp10 = -2, .raw = 3660};
    mh_sink_record(sink, &record, &value, arena.p[0] == 0xdd ? 0 : 1, NULL, 0);
  }
  slices->first_record = (uint32_t)before;
  slices->n_records = (uint32_t)(sink->n_records - before);
  *n_done = 1;
  return MH_OK;
}

/* The self-test of the library with one thing wrong in its vector, or none. */
static int32_t tests_itself(uint32_t wrong, char *report, uint64_t *n) {
  mh_test_vector vectors[] = {
      {"none", "ff", 1, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
      {"two", "0102", 1, 0, MH_OK, 2, MH_METRIC_BODY_TEMPERATURE, MH_UNIT_CELSIUS, 3660, -2, MH_TIME_CIVIL, 5000000},
      {"one", "01", 1, 0, MH_OK, 1, MH_METRIC_BODY_TEMPERATURE, MH_UNIT_CELSIUS, 366, -1, MH_TIME_CIVIL, 5000000},
  };
  mh_test_vector *one = &vectors[2];
  switch (wrong) {
    case 1: one->status = MH_E_PROTOCOL; break;
    case 2: one->n_records = 2; break;
    case 3: one->time_kind = MH_TIME_NONE; break;
    case 4: one->t_us = 6; break;
    case 5: one->metric = MH_METRIC_PULSE; break;
    case 6: one->unit = MH_UNIT_FAHRENHEIT; break;
    case 7: one->raw = 367; break;
    case 8: one->exp10 = 1; break;
    case 9: one->hex = "ee"; break;
    case 10: one->hex = "0"; break;
    case 11: one->hex = "0G"; break;
    case 12: one->hex = "dd"; break;
    case 13: *n = 20, one->raw = 1; break;
    default: break;
  }
  return mh_self_test(decode_readings, NULL, 0, vectors, 3, report, n);
}

#define FUNCTION(name, signature) \
  { #name, signature, (void (*)(void))name }

static const mh_extension_function functions[] = {
    FUNCTION(echo, "i32(i32,bytes,u32,i64,f64,text,u64,out_bytes,out_i32,out_u32,out_i64,out_u64,out_f64,out_text)"),
    FUNCTION(spread, "i32(f64,bytes,f64,text,f64,bytes,f64,f64,f64,f64,f64,f64,i32,out_f64,out_bytes)"),
    FUNCTION(nothing, "i32()"),
    FUNCTION(fill, "i32(u32,out_bytes)"),
    FUNCTION(crash, "i32()"),
    FUNCTION(leave, "i32()"),
    FUNCTION(spin, "i32()"),
    FUNCTION(block, "i32()"),
    FUNCTION(too_long, "i32(out_bytes)"),
    FUNCTION(far_too_long, "i32(out_text)"),
    FUNCTION(no_text, "i32(out_text)"),
    FUNCTION(behind, "i32(out_bytes)"),
    FUNCTION(wide, "i32(out_i32)"),
    FUNCTION(infinite, "i32(out_f64)"),
    FUNCTION(returns, "i32(i32)"),
    FUNCTION(fails, "i32(out_text)"),
    FUNCTION(fails_without_a_word, "i32(out_text)"),
    FUNCTION(tests_itself, "i32(u32,out_text)"),
    FUNCTION(asks, "i32(out_i32,out_i32,out_i32,out_i32,out_i32)"),
};

static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  (void)opening, (void)arena, (void)sink;
  for (*n_done = 0; *n_done < n; ++*n_done) slices[*n_done].status = MH_E_NO_VALUE;
  return MH_OK;
}

static const mh_bluetooth bluetooth = {.struct_size = sizeof(mh_bluetooth), .decode = decode};

static const mh_driver driver = {
    .struct_size = sizeof(mh_driver),
    .abi_major = MH_ABI_MAJOR,
    .abi_minor = MH_ABI_MINOR,
    .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_DECODE,
    .id = TEXT("org.meterhost.functions"),
    .version = TEXT("1.0.0"),
    .vendor = TEXT("tests"),
    .bluetooth = &bluetooth,
    .functions = functions,
    .n_functions = sizeof functions / sizeof functions[0],
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)why_not;
  services = host;
  if (index != 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
