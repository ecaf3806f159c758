/* Plays a file to an import driver as the host does, and prints what it puts out as JSON lines. Linked with the driver's sources, so
 * that sanitizers see both.
 *
 *   play FILE [chunk=N] [since=S] [until=S] [now=S] [small] [summary]     the samples; `small`: a sink as small as it may be; `summary`: counts only
 *   play FILE [most=N] cuts|chunks|mutations [N]   no crash and no broken rule at every cut, or N of them; the same at every chunk;
 *                                             N mutations
 */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_file(const char *path, size_t *n) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint8_t *bytes = malloc((size_t)size + 1);
  *n = bytes == NULL ? 0 : fread(bytes, 1, (size_t)size, file);
  fclose(file);
  return bytes;
}

static int cuts(const uint8_t *bytes, size_t n, play_options options) {
  options.quiet = 1;
  size_t step = n / options.most + 1;
  for (size_t cut = 0; cut <= n; cut += step) {
    uint8_t *part = malloc(cut + 1);
    memcpy(part, bytes, cut);
    play_result result = play(part, cut, options);
    free(part);
    if (result.fault != NULL) {
      printf("cut at %zu: %s\n", cut, result.fault);
      return 1;
    }
  }
  printf("{\"cuts\":%zu}\n", n / step + 1);
  return 0;
}

static int chunks(const uint8_t *bytes, size_t n, play_options options) {
  options.quiet = 1;
  play_result whole = play(bytes, n, options);
  for (uint64_t chunk = 1; chunk <= 300; chunk++) {
    options.chunk = chunk;
    play_result part = play(bytes, n, options);
    if (part.fault != NULL || part.hash != whole.hash || part.samples != whole.samples) {
      printf("chunk %lu: %s, %lu samples for %lu\n", (unsigned long)chunk, part.fault == NULL ? "another result" : part.fault,
             (unsigned long)part.samples, (unsigned long)whole.samples);
      return 1;
    }
  }
  printf("{\"chunks\":300,\"samples\":%lu}\n", (unsigned long)whole.samples);
  return 0;
}

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static int mutations(const uint8_t *bytes, size_t n, play_options options, uint64_t rounds) {
  static const char *const words[] = {"\"", "{", "}", "[", "]", ",", "-", "9999999999999999999", "e308", "\n", "\xff\xff\xff\xff", "\0\0\0\0"};
  uint64_t state = 88172645463325252u, samples = 0;
  options.quiet = 1;
  for (uint64_t round = 0; round < rounds; round++) {
    size_t length = n;
    uint8_t *copy = malloc(n + 1);
    memcpy(copy, bytes, n);
    for (uint64_t i = next(&state) % 8 + 1; i > 0 && n > 0; i--) {
      size_t at = next(&state) % n;
      uint64_t kind = next(&state) % 4;
      if (kind == 0) copy[at] ^= (uint8_t)(1u << next(&state) % 8);
      if (kind == 1) copy[at] = (uint8_t)next(&state);
      if (kind == 2) {
        const char *word = words[next(&state) % (sizeof words / sizeof words[0])];
        size_t size = *word == 0 ? 4 : strlen(word);
        memcpy(copy + at, word, size < n - at ? size : n - at);
      }
      if (kind == 3) {
        size_t from = next(&state) % n, size = next(&state) % 64;
        if (size < n - at && size < n - from) memmove(copy + at, copy + from, size);
      }
    }
    if (next(&state) % 8 == 0) length = next(&state) % (n + 1);
    uint8_t *exact = malloc(length + 1);
    memcpy(exact, copy, length);
    free(copy);
    options.chunk = next(&state) % 3 == 0 ? next(&state) % 500 + 1 : 0;
    options.small = next(&state) % 2 == 0;
    play_result result = play(exact, length, options);
    samples += result.samples;
    if (result.fault != NULL) {
      FILE *file = fopen("/tmp/play-fault.bin", "wb");
      if (file != NULL) {
        fwrite(exact, 1, length, file);
        fclose(file);
      }
      printf("mutation %lu: %s\n", (unsigned long)round, result.fault);
      return 1;
    }
    free(exact);
  }
  printf("{\"mutations\":%lu,\"samples\":%lu}\n", (unsigned long)rounds, (unsigned long)samples);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  size_t n = 0;
  uint8_t *bytes = read_file(argv[1], &n);
  play_options options = {.most = 20000};
  if (bytes == NULL) return 2;
  int status = 0, done = 0;
  for (int i = 2; i < argc; i++) {
    if (strncmp(argv[i], "chunk=", 6) == 0) options.chunk = strtoul(argv[i] + 6, NULL, 10);
    if (strncmp(argv[i], "now=", 4) == 0) options.now_us = strtoll(argv[i] + 4, NULL, 10) * 1000000;
    if (strncmp(argv[i], "most=", 5) == 0) options.most = strtoul(argv[i] + 5, NULL, 10) + 1;
    if (strncmp(argv[i], "since=", 6) == 0) options.since_s = strtoll(argv[i] + 6, NULL, 10);
    if (strncmp(argv[i], "until=", 6) == 0) options.until_s = strtoll(argv[i] + 6, NULL, 10);
    if (strcmp(argv[i], "small") == 0) options.small = 1;
    if (strcmp(argv[i], "summary") == 0) options.quiet = 1;
    if (strcmp(argv[i], "cuts") == 0) status = cuts(bytes, n, options), done = 1;
    if (strcmp(argv[i], "chunks") == 0) status = chunks(bytes, n, options), done = 1;
    if (strcmp(argv[i], "mutations") == 0)
      status = mutations(bytes, n, options, i + 1 < argc ? strtoul(argv[i + 1], NULL, 10) : 1000), done = 1;
  }
  if (!done) {
    play_result result = play(bytes, n, options);
    printf("{\"end\":\"%s\",\"samples\":%lu,\"events\":%lu,\"pulled\":%lu,\"partial\":%s}\n",
           result.fault != NULL ? result.fault : result.failed ? "fail" : "done", (unsigned long)result.samples,
           (unsigned long)result.events, (unsigned long)result.pulled, result.partial ? "true" : "false");
    status = result.fault != NULL;
  }
  free(bytes);
  return status;
}
