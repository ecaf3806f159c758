/* Says which files of a folder a program opens: watch FOLDER REPORT PROGRAM ARGUMENT...
 *
 * The kernel tells (inotify), so that nothing in the program can hide an open. REPORT gets one name a line, in order;
 * the exit status is the program's. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

static int report(int watcher, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  union {
    struct inotify_event event;
    char bytes[1 << 16];
  } buffer;
  ssize_t got;
  while ((got = read(watcher, buffer.bytes, sizeof buffer.bytes)) > 0)
    for (ssize_t at = 0; at < got;) {
      struct inotify_event event;
      memcpy(&event, buffer.bytes + at, sizeof event);
      const char *name = buffer.bytes + at + sizeof event;
      if (event.mask & IN_Q_OVERFLOW) fputs("overflow\n", file);
      else if (!(event.mask & IN_ISDIR) && event.len > 0) fprintf(file, "%s\n", name);
      at += (ssize_t)(sizeof event + event.len);
    }
  return fclose(file);
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  int watcher = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (watcher < 0 || inotify_add_watch(watcher, arguments[1], IN_OPEN) < 0) {
    fprintf(stderr, "watch: %s: %s\n", arguments[1], strerror(errno));
    return 1;
  }
  pid_t child = fork();
  if (child == 0) {
    execv(arguments[3], arguments + 3);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  if (report(watcher, arguments[2]) != 0) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
