#define _GNU_SOURCE
#include "control_group.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static int is_marked(int folder, const char *attribute) {
  char value[2];
  return fgetxattr(folder, attribute, value, sizeof value) == 1 && value[0] == '1';
}

int clinux_folder_is_delegated(int folder) {
  /* Whatever its manager says: containers see their group, mark included, where it is mounted for reading only. */
  if (faccessat(folder, "cgroup.subtree_control", W_OK, AT_EACCESS) < 0) return 0;
  if (is_marked(folder, "user.delegate") || is_marked(folder, "trusted.delegate")) return 1;
  struct stat own, above;
  if (fstat(folder, &own) < 0 || fstatat(folder, "..", &above, 0) < 0) return -errno;
  /* Root could write any group, also those that a service manager keeps for itself. */
  const uid_t user = geteuid();
  return user != 0 && own.st_uid == user && above.st_uid != user;
}

static int judge(int folder) {
  struct statfs system;
  if (fstatfs(folder, &system) < 0) return -errno;
  if (system.f_type != CGROUP2_SUPER_MAGIC) return -ENOTSUP;
  return clinux_folder_is_delegated(folder);
}

int clinux_control_group_is_delegated(const char *folder) {
  const int open_folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (open_folder < 0) return -errno;
  const int result = judge(open_folder);
  close(open_folder);
  return result;
}
