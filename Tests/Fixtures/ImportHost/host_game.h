/* A game in progress: what host_play.c leads and host_judge.c judges. */
#ifndef HOST_GAME_H
#define HOST_GAME_H

#include "host_play.h"

typedef struct name_list {
  char **texts;
  uint64_t *digests;
  uint32_t count;
} name_list;

typedef struct game {
  const mh_import *driver;
  play_source source;
  const play_options *options;
  play_result *result;
  mh_import_sink sink;
  mh_talk_action action;
  int has_action;
  name_list names[5];
  uint64_t event_samples, event_attributes, event_arena;
  uint8_t chunk[MH_TALK_CHUNK_MAX];
  uint32_t dice;
  int has_whole;
} game;

/* What the driver has done wrong; the first thing counts. */
void judge_fault(game *g, const char *why);
/* Looks at what a round put out, and puts it down. */
void judge_round(game *g);

#endif
