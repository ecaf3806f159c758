/* Control groups of version 2 (cgroups(7)). */
#ifndef CLINUX_CONTROL_GROUP_H
#define CLINUX_CONTROL_GROUP_H

/* Whether the control group with this folder was handed to the user of this process, who then may make groups below it: this process may
 * write to it, and its manager has marked it so (the attribute `user.delegate` or `trusted.delegate` of systemd), or the folder is
 * this user's, who is not root, and the one above it is not. Returns 1, 0, or -errno: -ENOTSUP where the folder is in no such file system. */
int clinux_control_group_is_delegated(const char *folder);

/* The same of an open folder, whatever its file system is. */
int clinux_folder_is_delegated(int folder);

#endif
