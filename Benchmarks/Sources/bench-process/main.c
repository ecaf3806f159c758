/* Runs programs in turn and measures each run: bench-process ROUNDS NAME=VALUE... -- PROGRAM ARGUMENT... [-- ...]
 *
 * One line a run: the program's number, nanoseconds from spawn to the end, its peak memory in KiB, its exit status. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAMS 16

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int run(int number, char **arguments, char **environment) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error == 0) error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int64_t started = now();
  if (error == 0) error = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environment);
  if (error != 0) {
    fprintf(stderr, "bench-process: %s: %s\n", arguments[0], strerror(error));
    return 1;
  }
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  struct rusage usage;
  while (wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) return 1;
  int64_t ended = now();
  printf("%d %lld %ld %d\n", number, (long long)(ended - started), usage.ru_maxrss,
         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}

int main(int count, char **arguments) {
  char **programs[PROGRAMS];
  int n_programs = 0;
  for (int i = 2; i < count; i++) {
    if (strcmp(arguments[i], "--") != 0) continue;
    if (n_programs == PROGRAMS || i + 1 == count) break;
    arguments[i] = NULL;
    programs[n_programs++] = arguments + i + 1;
  }
  int rounds = count > 2 ? atoi(arguments[1]) : 0;
  if (n_programs == 0 || rounds <= 0) {
    fputs("usage: bench-process ROUNDS NAME=VALUE... -- PROGRAM ARGUMENT... [-- ...]\n", stderr);
    return 64;
  }
  for (int round = 0; round < rounds; round++)
    for (int number = 0; number < n_programs; number++)
      if (run(number, programs[number], arguments + 2) != 0) return 1;
  return 0;
}
