/* What the misbehaving drivers share. Each file of the kit is a family of offences; main.c makes one bundle of them. */
#ifndef MISBEHAVING_KIT_H
#define MISBEHAVING_KIT_H

#include <meterhost/driver.h>

#include <string.h>

/* Where an offence may be committed. */
enum place { AT_OPEN, AT_EVENT, AT_CLOSE, AT_DECODE };

/* One way to misbehave; what it returns is the status of the call that it misbehaves in. */
struct offence {
  const char *name;
  int32_t (*commit)(const mh_host *host, const mh_event *event, mh_sink *sink);
};

extern const struct offence crashes[], hangs[], greed[], lies[], escapes[], stays[];

static inline mh_str words(const char *text) { return (mh_str){text, strlen(text)}; }

/* The meter of the session that was opened last. */
extern uint64_t kit_peer;

/* A reading like any other, so that there is something to lose. */
int32_t put_reading(mh_sink *sink, uint32_t number);

#endif
