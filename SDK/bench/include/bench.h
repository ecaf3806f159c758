/* A host on the bench: drives one driver through the contract in a test of its own, without a radio, and checks what it
 * puts out by the rules that the real host checks. A broken rule is named on standard error and ends the process, so
 * that a test and a fuzzer both see it. Deterministic: the same facts give the same output (rule R8).
 *
 *   const mh_driver *driver = bench_load("build/drivers/libmh-scale.so", 0);
 *   bench *meter = bench_new(driver);
 *   bench_open(meter, MH_PURPOSE_READ);
 *   bench_services(meter, 0x181d, characteristics, 1);   -> bench_action(meter, 0)->kind == MH_DO_SUBSCRIBE
 *   bench_answer(meter, MH_EV_SUBSCRIBED, 1, 0);
 *   bench_value(meter, MH_EV_INDICATION, 3, bytes, n);   -> bench_record(meter, 0), bench_values(meter, 0)
 */
#ifndef METERHOST_BENCH_H
#define METERHOST_BENCH_H

#include "../../include/meterhost/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A host with one driver, the storage of one meter, and at most one session. */
typedef struct bench bench;

typedef int32_t (*bench_entry)(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not);

/* A driver of a bundle that is a file, or of one that is linked in. Ends the process when there is none. */
const mh_driver *bench_load(const char *library, uint32_t index);
const mh_driver *bench_find(bench_entry entry, uint32_t index);

bench *bench_new(const mh_driver *driver);
void bench_free(bench *bench);

/* The facts of the next session; change them before bench_open. What they point to must live until then. */
mh_open *bench_opening(bench *bench);
/* How many records a round of an event can hold: 1 shows whether a full sink is handled (rule R13). 64 at first. */
void bench_room(bench *bench, uint64_t records);
/* What the host's key store and random numbers look like to the driver; storage outlives sessions. */
void bench_store(bench *bench, const char *key, const uint8_t *value, uint64_t n);
mh_bytes bench_stored(const bench *bench, const char *key);
/* The table that `extension` gives for MH_EXT_CRYPTO; NULL at first. */
void bench_crypto(bench *bench, const mh_crypto *table);

/* Starts a session: what open returned. A session that is still open is closed first. */
int32_t bench_open(bench *bench, uint32_t purpose);
void bench_close(bench *bench);
/* Whether the session has ended: finished, failed, or refused to go on. Nothing but close may follow. */
int bench_has_ended(const bench *bench);

/* One fact in; what it put out is there until the next one. Gives the status of the last round, and commits what the
 * driver stored. struct_size, seq and clocks of the fact are filled in here. */
int32_t bench_event(bench *bench, mh_event fact);
/* As bench_event, and the commit fails: nothing is stored. */
int32_t bench_event_uncommitted(bench *bench, mh_event fact);
/* Moves the clocks on; they also move by a millisecond an event. */
void bench_wait(bench *bench, uint64_t nanoseconds);

/* A characteristic of a meter. */
typedef struct bench_characteristic {
  uint16_t handle;
  uint16_t properties;
  uint16_t id;
} bench_characteristic;

/* MH_EV_SERVICES of a meter with one Bluetooth SIG service. */
int32_t bench_services(bench *bench, uint16_t service, const bench_characteristic *list, uint32_t n);
/* MH_EV_SUBSCRIBED, MH_EV_WROTE: an answer without bytes. */
int32_t bench_answer(bench *bench, uint32_t kind, uint64_t token, int32_t status);
/* MH_EV_NOTIFICATION, MH_EV_INDICATION: a value. */
int32_t bench_value(bench *bench, uint32_t kind, uint16_t handle, const uint8_t *bytes, uint64_t n);
/* MH_EV_TIMER, MH_EV_CANCEL, MH_EV_DISCONNECTED. */
int32_t bench_fact(bench *bench, uint32_t kind, uint64_t token);

/* Decodes one value: its status, MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL or MH_E_UNSUPPORTED. It is decoded twice, in sinks
 * of different sizes, and must come out the same (rule R14). */
int32_t bench_decode(bench *bench, uint16_t characteristic, uint16_t flags, const uint8_t *bytes, uint64_t n);

/* What the last event or decode put out. Places from 0; NULL beyond the last. */
uint64_t bench_record_count(const bench *bench);
const mh_record *bench_record(const bench *bench, uint64_t index);
const mh_value *bench_values(const bench *bench, uint64_t index);
mh_bytes bench_identity(const bench *bench, uint64_t index);
uint32_t bench_action_count(const bench *bench);
const mh_action *bench_action(const bench *bench, uint32_t index);
/* The first action of a kind, or NULL. */
const mh_action *bench_find_action(const bench *bench, uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
