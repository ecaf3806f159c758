/* Prints what a bundle's tables say of it, one fact a line: what other programs rely on. It loads the bundle. */
#include <meterhost/driver.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

static void no_log(void *ctx, int32_t level, mh_str message) { (void)ctx, (void)level, (void)message; }
static int32_t no_random(void *ctx, uint8_t *out, uint64_t n) {
  (void)ctx, (void)out, (void)n;
  return MH_E_DENIED;
}
static int32_t no_get(void *ctx, uint64_t peer, mh_str key, uint8_t *out, uint64_t *n) {
  (void)ctx, (void)peer, (void)key, (void)out, (void)n;
  return MH_E_DENIED;
}
static int32_t no_set(void *ctx, uint64_t peer, mh_str key, mh_bytes value) {
  (void)ctx, (void)peer, (void)key, (void)value;
  return MH_E_DENIED;
}
static int32_t no_asset(void *ctx, mh_str name, mh_bytes *out) {
  (void)ctx, (void)name, (void)out;
  return MH_E_DENIED;
}
static const void *no_extension(void *ctx, const char *id) {
  (void)ctx, (void)id;
  return NULL;
}

static const mh_host host = {sizeof(mh_host), MH_ABI_MAJOR, MH_ABI_MINOR, NULL,     no_log,
                             no_random,       no_get,       no_set,       no_asset, no_extension};

static void describe(const mh_driver *driver) {
  int n = (int)driver->id.n;
  const char *id = driver->id.p;
  printf("%.*s version %.*s\n", n, id, (int)driver->version.n, driver->version.p);
  printf("%.*s contract %u.%u, layout %016" PRIx64 "\n", n, id, driver->abi_major, driver->abi_minor, driver->layout_hash);
  printf("%.*s capabilities 0x%" PRIx64 "\n", n, id, driver->capabilities);
  for (uint64_t i = 0; i < driver->n_functions; i++)
    printf("%.*s function %s %s\n", n, id, driver->functions[i].name, driver->functions[i].signature);
}

int main(int count, char **arguments) {
  void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int32_t (*entry)(const mh_host *, uint32_t, const mh_driver **, mh_str *) = NULL;
  if (library != NULL) *(void **)&entry = dlsym(library, "mh_driver_entry");
  if (entry == NULL) {
    fprintf(stderr, "%s\n", count == 2 ? "no bundle, or none of this machine" : "usage: describe BUNDLE");
    return 1;
  }
  for (uint32_t i = 0; i < MH_DRIVERS_MAX; i++) {
    const mh_driver *driver = NULL;
    mh_str why = {NULL, 0};
    int32_t status = entry(&host, i, &driver, &why);
    if (status == MH_REFUSED) fprintf(stderr, "refused: %.*s\n", (int)why.n, why.p);
    if (status != MH_OK) return status == MH_END ? 0 : 1;
    describe(driver);
  }
  return 0;
}
