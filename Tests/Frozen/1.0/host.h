/* A host of a few hundred lines that knows the contract as it is in the headers beside it and nothing else. A copy of it
 * is kept with every frozen version, and today's bundles must run under each copy (rule R4). It has the least room that
 * the contract promises, and says "broken" and stops when a bundle does what this version does not have.
 *
 * Usage: host BUNDLE < SCRIPT. The bundle's tables are printed first, then what each line of the script brings about:
 *   room N                        records that a sink holds, 1 to 32; 4 without this line
 *   key NAME HEX                  a key of storage, a secret or a credential
 *   hidden NAME HEX               one that is used by name only
 *   asset NAME HEX                a file of the bundle
 *   slice ID HEX [flags=N]        a value for decode; id: characteristic or service, four hex digits
 *   outside ID                    a value that is not in the arena
 *   decode PERIPHERAL [param=NAME:INTEGER] ...
 *   open PURPOSE [peripheral=N] [param=NAME:INTEGER] ...
 *   services ID HANDLE:PROPERTIES:ID ...   ids of four hex digits, or of all 32
 *   event KIND [handle=N] [token=N] [status=N] [mtu=N] [hex=HEX]
 *   close
 * HEX may be "-": nothing. Records, values, texts, actions, writes and statuses come back, one line each. Exit 0 unless
 * the bundle is refused or breaks the contract. */
#ifndef FROZEN_HOST_H
#define FROZEN_HOST_H

#include <meterhost/driver.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 32u
#define PEER 7u
#define NOW 1700000000000000

/* What one event has put out so far, all rounds together. */
typedef struct unit {
  uint64_t records;
  uint32_t actions;
  uint32_t writes;
  /* Finish or fail was asked for. */
  int has_end;
} unit;
extern unit current;
/* Between the last event of a session and its close. */
extern int is_disconnected;

_Noreturn void broken(const char *what);
void print_hex(const uint8_t *p, uint64_t n);
/* In one line. */
void print_text(const char *p, uint64_t n);

/* host_services.c */
extern const mh_host host;
typedef struct key {
  char name[128];
  uint8_t value[8192];
  uint64_t n;
  int is_hidden;
} key;
const key *find_key(mh_str name);
/* MH_E_DENIED when there is no room. */
int32_t keep_key(mh_str name, const uint8_t *value, uint64_t n, int is_hidden);
uint32_t count_session_keys(void);
void drop_session_keys(void);
void keep_asset(const char *name, const uint8_t *value, uint64_t n);

/* host_crypto.c */
extern const mh_crypto crypto;

/* host_output.c */
extern uint64_t room;
mh_sink empty_sink(int takes_actions);
void print_records(const mh_sink *sink, uint64_t first, uint64_t n);
/* The counts are within the arrays. */
void check_counts(const mh_sink *sink);

#endif
