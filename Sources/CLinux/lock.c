#define _GNU_SOURCE 1
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// Of an open file description: closing another descriptor of the file drops nothing, and asking takes nothing.

static struct flock whole_file(void) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    return lock;
}

int usher_lock(int descriptor) {
    struct flock lock = whole_file();
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int usher_is_locked(int descriptor) {
    struct flock lock = whole_file();
    int result;
    do {
        result = fcntl(descriptor, F_OFD_GETLK, &lock);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -1 : lock.l_type != F_UNLCK;
}
