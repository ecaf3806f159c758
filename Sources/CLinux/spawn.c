#define _GNU_SOURCE
#include "process.h"

#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int prepare_files(posix_spawn_file_actions_t *actions, const int *moved, int count, int first) {
  int error = 0;
  for (int stream = 0; stream < 3 && !error; stream++)
    error = posix_spawn_file_actions_addopen(actions, stream, "/dev/null", O_RDWR, 0);
  for (int i = 0; i < count && !error; i++) error = posix_spawn_file_actions_adddup2(actions, moved[i], first + i);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, first + count);
  return error;
}

static int prepare_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
  if (!error)
    error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  return error;
}

enum { most_descriptors = 8 };

/* What the thread that starts programs is asked for. */
struct spawning {
  const char *path;
  char *const *arguments, *const *environment;
  const posix_spawn_file_actions_t *actions;
  const posix_spawnattr_t *attributes;
  pid_t child;
  int error;
  sem_t done;
};

static int spawn_here(struct spawning *now) {
  return posix_spawn(&now->child, now->path, now->actions, now->attributes, now->arguments, now->environment);
}

static pthread_mutex_t one_spawning = PTHREAD_MUTEX_INITIALIZER;
static struct spawning *wanted;
static sem_t is_wanted;
/* The process whose thread it is: one that was forked has none. */
static pid_t has_spawner;

static void *spawn_what_is_wanted(void *nothing) {
  for (;;) {
    while (sem_wait(&is_wanted) < 0) {
    }
    struct spawning *now = wanted;
    now->error = spawn_here(now);
    sem_post(&now->done);
  }
  return nothing;
}

static int have_spawner(void) {
  if (has_spawner == getpid()) return 0;
  sem_init(&is_wanted, 0, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  /* The signals of the process are for other threads. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t spawner;
  int error = pthread_create(&spawner, &attributes, spawn_what_is_wanted, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!error) has_spawner = getpid();
  return error;
}

/* By a thread that never ends. What a child has asked for in case that its parent ends (clinux_live_with_peer) the kernel does
 * when the thread ends that has started it, and threads of a pool come and go. */
static int spawn(struct spawning *now) {
  pthread_mutex_lock(&one_spawning);
  int error = have_spawner();
  if (!error) {
    sem_init(&now->done, 0, 0);
    wanted = now;
    sem_post(&is_wanted);
    while (sem_wait(&now->done) < 0) {
    }
    sem_destroy(&now->done);
    error = now->error;
  }
  pthread_mutex_unlock(&one_spawning);
  return error;
}

static int start(int (*spawned)(struct spawning *), const char *path, char *const arguments[],
                 char *const environment[], const int *descriptors, int count, int first, clinux_child *started) {
  if (count < 0 || count > most_descriptors) return -EINVAL;
  /* Copies above the target range, so that no dup2 overwrites a source and each one clears close-on-exec. */
  int moved[most_descriptors], made = 0, error = 0;
  for (; made < count && !error; made++) {
    moved[made] = fcntl(descriptors[made], F_DUPFD_CLOEXEC, first + count);
    if (moved[made] < 0) {
      error = errno;
      break;
    }
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (!error) error = prepare_files(&actions, moved, count, first);
  if (!error) error = prepare_attributes(&attributes);
  pid_t child = -1;
  if (!error) {
    struct spawning now = {path, arguments, environment, &actions, &attributes, .child = -1};
    error = spawned(&now);
    child = now.child;
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (int i = 0; i < made; i++) close(moved[i]);
  if (error) return -error;
  /* The child is ours and has not been waited for: its number cannot have been given to somebody else. */
  int named = pidfd_open(child, 0);
  if (named < 0) {
    int saved = errno;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return -saved;
  }
  fcntl(named, F_SETFD, FD_CLOEXEC);
  /* One that has ended already needs no limit. */
  clinux_restore_descriptors(child);
  *started = (clinux_child){named, child};
  return 0;
}

int clinux_spawn(const char *path, char *const arguments[], char *const environment[], const int *descriptors,
                 int count, int first, clinux_child *started) {
  return start(spawn, path, arguments, environment, descriptors, count, first, started);
}

int clinux_spawn_here(const char *path, char *const arguments[], char *const environment[], const int *descriptors,
                      int count, int first, clinux_child *started) {
  return start(spawn_here, path, arguments, environment, descriptors, count, first, started);
}
