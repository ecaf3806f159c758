/* Plays the host of an import: answers pulls out of memory or a file, and holds the driver to what it promises. */
#ifndef HOST_PLAY_H
#define HOST_PLAY_H

#include <meterhost/draft/import.h>
#include <meterhost/driver.h>

#include <stdio.h>

typedef struct play_source {
  const uint8_t *bytes;
  /* Instead of bytes. */
  int file;
  uint64_t size;
  int is_size_unknown;
} play_source;

typedef struct play_options {
  const char *format;
  /* The most bytes of an answer, 0: as many as were asked for; and whether each has another length below that. */
  uint32_t chunk;
  int is_ragged;
  /* The sink has just what the contract promises. */
  int is_small;
  int64_t since_us, until_us;
  uint64_t wanted[4];
  /* Names, samples and counts as lines; NULL: none. */
  FILE *out;
  /* What is put out is not looked at: for measurements. */
  int is_fast;
} play_options;

#define PLAY_TYPES 1025
#define PLAY_REASONS 8

typedef struct play_result {
  /* Why the driver is wrong, or NULL. */
  const char *fault;
  int is_done, is_failed;
  char text[MH_TALK_TEXT_MAX + 1];
  uint64_t events, pulls, pulled, rounds, names, samples, attributes, flags;
  int64_t exported_us;
  uint64_t counted, counts[PLAY_TYPES], refused[PLAY_REASONS];
  char *type_names[PLAY_TYPES];
  uint16_t quantities[PLAY_TYPES];
  uint32_t n_types;
  /* Of everything that was put out, whatever the events it came in. */
  uint64_t digest;
} play_result;

void play(const mh_import *driver, play_source source, const play_options *options, play_result *result);
void play_free(play_result *result);
void play_print(const play_result *result, FILE *out);

#endif
