#define _GNU_SOURCE 1
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int argument_count;
static char **argument_list;

// The C library calls constructors with what main gets.
__attribute__((constructor)) static void keep_arguments(int count, char **list, char **environment)
{
    (void)environment;
    argument_count = count;
    argument_list = list;
}

int usher_argument_count(void) { return argument_count; }

const char *usher_argument(int place)
{
    return place >= 0 && place < argument_count ? argument_list[place] : NULL;
}

char **usher_environ(void) { return environ; }

int usher_pidfd_open(int pid) { return pidfd_open(pid, 0); }

int usher_pidfd_send_signal(int pidfd, int signal) { return pidfd_send_signal(pidfd, signal, NULL, 0); }

struct usher_end usher_pidfd_reap(int pidfd) {
    struct usher_end end = {0, 0};
    siginfo_t information;
    int result;
    do {
        information.si_pid = 0;
        result = waitid(P_PIDFD, (id_t)pidfd, &information, WEXITED | WNOHANG);
    } while (result < 0 && errno == EINTR);
    if (result < 0) {
        end.kind = 3;
    } else if (information.si_pid != 0) {
        end.kind = information.si_code == CLD_EXITED ? 1 : 2;
        end.value = information.si_status;
    }
    return end;
}

int usher_file_status(int folder, const char *path, int follows, struct usher_file *file) {
    struct statx status;
    int flags = AT_STATX_SYNC_AS_STAT | AT_NO_AUTOMOUNT | (follows ? 0 : AT_SYMLINK_NOFOLLOW);
    if (statx(folder, path, flags, STATX_TYPE | STATX_INO | STATX_SIZE | STATX_BTIME, &status) != 0) return -1;
    file->device = (unsigned long long)status.stx_dev_major << 32 | status.stx_dev_minor;
    file->inode = status.stx_ino;
    file->birth = status.stx_mask & STATX_BTIME
        ? (long long)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec : 0;
    file->size = (long long)status.stx_size;
    file->is_folder = S_ISDIR(status.stx_mode);
    return 0;
}

int usher_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int usher_seal(int descriptor) {
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

int usher_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

int usher_datagram_socket(int send_milliseconds) {
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    struct timeval limit = {send_milliseconds / 1000, send_milliseconds % 1000 * 1000};
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return descriptor;
}

int usher_send_datagram(
    int socket, const char *path, const void *bytes, unsigned long count, int descriptor, int waits) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) {
        errno = length == 0 ? EINVAL : ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    // An abstract name begins with a zero byte and has no end mark.
    if (path[0] == '@') address.sun_path[0] = 0;

    struct iovec part = {(void *)bytes, count};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_name = &address;
    message.msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (path[0] == '@' ? 0 : 1));
    message.msg_iov = &part;
    message.msg_iovlen = count == 0 ? 0 : 1;
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    }
    long sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

int usher_check_directory(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    return access(path, X_OK);
}

// What a program that is started gets, where this process raised its own; 0 where it did not.
static _Atomic rlim_t descriptors_before;

/// A program that is to be started.
struct start {
    const char *program;
    char *const *arguments;
    char *const *environment;
    /// May be null.
    const char *directory;
    /// What becomes its first descriptors; -1 for /dev/null.
    const int *files;
    int file_count;
    /// Why it was not started.
    int error;
};

/// Makes a file the descriptor `place`, open for the program.
static int place_file(int file, int place) {
    if (file == place) return fcntl(file, F_SETFD, 0);
    if (file >= 0) return dup2(file, place);
    close(place);
    int opened = open("/dev/null", place == 0 ? O_RDONLY : O_WRONLY);
    if (opened < 0 || opened == place) return opened;
    int placed = dup2(opened, place);
    close(opened);
    return placed;
}

/// In the child, which shares the memory of its parent: only what asks nothing but the kernel.
static int run_program(void *given) {
    struct start *start = given;
    // A dispatcher that handles or ignores signals, or blocks them, must not hand that on.
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
    if (setsid() < 0) goto failed;
    for (int place = 0; place < start->file_count; place++) {
        if (place_file(start->files[place], place) < 0) goto failed;
    }
    // Descriptors that a library opened without close-on-exec are not for the program. They are closed by execve(2) and not
    // before: as long as the child has not executed its program, it holds the locks of this process, and a later process
    // that takes them can wait for it.
    if (close_range((unsigned)start->file_count, ~0U, CLOSE_RANGE_CLOEXEC) != 0) closefrom(start->file_count);
    if (start->directory != NULL && chdir(start->directory) != 0) goto failed;
    // Programs that use select(2) rely on a low limit.
    rlim_t before = descriptors_before;
    struct rlimit limit;
    if (before != 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > before) {
        limit.rlim_cur = before;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->program, start->arguments, start->environment);
failed:
    start->error = errno;
    _exit(127);
}

/// posix_spawn(3) without its own stack for each child, its questions for limits, and a second call for the pidfd.
static int spawn(int *pid, int *pidfd, struct start start) {
    char stack[32 * 1024] __attribute__((aligned(16)));
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int tries = 0;; tries++) {
        // No handler may run in the child.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        start.error = 0;
        // Returns when the child has executed its program, or has ended.
        *pid = clone(
            run_program, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &start, pidfd);
        int error = *pid < 0 ? errno : start.error;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (*pid >= 0 && error != 0) {
            close(*pidfd);
            while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR) {}
        }
        // A file that is just being written cannot be run: by an editor or an installer, or by a process that was started
        // meanwhile and does not close its descriptors until it runs its own program.
        if (error != ETXTBSY || tries == 20) return error;
        nanosleep(&pause, NULL);
    }
}

int usher_spawn(
    int *pid, int *pidfd, const char *program, char *const arguments[], char *const environment[],
    const char *directory, int input, int output, int error_output) {
    const int files[] = {input, output, error_output};
    return spawn(pid, pidfd, (struct start){program, arguments, environment, directory, files, 3, 0});
}

int usher_spawn_server(
    const char *program, char *const arguments[], char *const environment[], int connection) {
    const int files[] = {-1, -1, -1, connection};
    int pid, pidfd;
    int error = spawn(&pid, &pidfd, (struct start){program, arguments, environment, NULL, files, 4, 0});
    if (error == 0) close(pidfd);
    return error;
}

int usher_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }

int usher_adopt_connection(int connection) {
    int flags = fcntl(connection, F_GETFL);
    if (flags < 0 || fcntl(connection, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
    return fcntl(connection, F_SETFD, FD_CLOEXEC);
}

_Static_assert(
    USHER_READABLE == EPOLLIN && USHER_WRITABLE == EPOLLOUT && USHER_FAILED == EPOLLERR && USHER_HUNG_UP == EPOLLHUP
        && USHER_INPUT_ENDED == EPOLLRDHUP,
    "the header repeats the kernel's numbers");

int usher_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int descriptor, unsigned int events, unsigned long long token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int usher_epoll_add(int epoll, int descriptor, unsigned int events, unsigned long long token) {
    return control(epoll, EPOLL_CTL_ADD, descriptor, events, token);
}

int usher_epoll_change(int epoll, int descriptor, unsigned int events, unsigned long long token) {
    return control(epoll, EPOLL_CTL_MOD, descriptor, events, token);
}

int usher_epoll_remove(int epoll, int descriptor) { return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0); }

int usher_epoll_wait(int epoll, struct usher_ready *ready, int capacity, int milliseconds) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll, events, capacity < 256 ? capacity : 256, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    for (int i = 0; i < count; i++) {
        ready[i].token = events[i].data.u64;
        ready[i].events = events[i].events;
    }
    return count;
}

int usher_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void usher_eventfd_signal(int descriptor) { eventfd_write(descriptor, 1); }

void usher_eventfd_clear(int descriptor) {
    eventfd_t value;
    eventfd_read(descriptor, &value);
}

union any_address {
    struct sockaddr any;
    struct sockaddr_in internet;
    struct sockaddr_in6 internet6;
    struct sockaddr_un local;
};

/// Fills in kind, port and text.
static void describe(const union any_address *from, socklen_t length, struct usher_address *to) {
    memset(to, 0, sizeof *to);
    switch (from->any.sa_family) {
    case AF_INET:
        to->kind = 4;
        to->port = ntohs(from->internet.sin_port);
        inet_ntop(AF_INET, &from->internet.sin_addr, to->text, sizeof to->text);
        break;
    case AF_INET6:
        to->kind = 6;
        to->port = ntohs(from->internet6.sin6_port);
        inet_ntop(AF_INET6, &from->internet6.sin6_addr, to->text, sizeof to->text);
        break;
    case AF_UNIX:
        to->kind = 1;
        if (length > offsetof(struct sockaddr_un, sun_path)) {
            size_t count = length - offsetof(struct sockaddr_un, sun_path);
            if (count > sizeof to->text - 1) count = sizeof to->text - 1;
            memcpy(to->text, from->local.sun_path, count);
        }
        break;
    }
}

int usher_accept(int listener, struct usher_address *peer) {
    union any_address address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    int connection = accept4(listener, &address.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection < 0) return -1;
    describe(&address, length, peer);
    if (peer->kind == 1) {
        struct ucred credentials;
        socklen_t size = sizeof credentials;
        if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
            peer->user = credentials.uid;
            peer->group = credentials.gid;
            peer->process = credentials.pid;
        } else {
            // No user: the comparison of the caller refuses it.
            peer->user = peer->group = (unsigned int)-1;
        }
    } else {
        int on = 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return connection;
}

int usher_peer_process(int connection) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 ? credentials.pid : -1;
}

int usher_peer_user(int connection, unsigned int *user) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
    *user = credentials.uid;
    return 0;
}

static int fail_closed(int descriptor) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int usher_listen_internet(const char *host, unsigned short port) {
    union any_address address;
    socklen_t length;
    memset(&address, 0, sizeof address);
    if (inet_pton(AF_INET, host, &address.internet.sin_addr) == 1) {
        address.internet.sin_family = AF_INET;
        address.internet.sin_port = htons(port);
        length = sizeof address.internet;
    } else if (inet_pton(AF_INET6, host, &address.internet6.sin6_addr) == 1) {
        address.internet6.sin6_family = AF_INET6;
        address.internet6.sin6_port = htons(port);
        length = sizeof address.internet6;
    } else {
        errno = EINVAL;
        return -1;
    }
    int listener = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // [::] does not take what is meant for 0.0.0.0: each is a listener of its own.
    if (address.any.sa_family == AF_INET6) setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(listener, &address.any, length) != 0 || listen(listener, 1024) != 0) return fail_closed(listener);
    return listener;
}

/// Whether the path is a socket that refuses connections because no process listens.
static int is_stale(const struct sockaddr_un *address) {
    struct stat status;
    if (lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode)) return 0;
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (probe < 0) return 0;
    int refused = connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
    close(probe);
    return refused;
}

int usher_listen_local(const char *path) {
    union any_address address;
    memset(&address, 0, sizeof address);
    address.local.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.local.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.local.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    // The file gets the mode of the socket (Linux): there is no moment at which another user could connect, and the mask
    // of the process, which all threads share, is left alone.
    if (fchmod(listener, 0600) != 0) return fail_closed(listener);
    int result = bind(listener, &address.any, sizeof address.local);
    if (result != 0 && errno == EADDRINUSE) {
        if (is_stale(&address.local) && unlink(path) == 0) {
            result = bind(listener, &address.any, sizeof address.local);
        } else {
            errno = EADDRINUSE;
        }
    }
    if (result != 0 || listen(listener, 1024) != 0) return fail_closed(listener);
    return listener;
}

int usher_adopt_listener(int listener) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0) return -1;
    if (!listens) {
        errno = EINVAL;
        return -1;
    }
    int flags = fcntl(listener, F_GETFL);
    if (flags < 0 || fcntl(listener, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
    return fcntl(listener, F_SETFD, FD_CLOEXEC);
}

int usher_address_of(int listener, struct usher_address *result) {
    union any_address address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    if (getsockname(listener, &address.any, &length) != 0) return -1;
    describe(&address, length, result);
    return 0;
}

void usher_keep_alive(int connection) {
    int on = 1, idle = 60, interval = 15, probes = 4;
    setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    // These fail on Unix sockets, where a peer cannot vanish silently.
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

long usher_receive(int connection, void *buffer, unsigned long count) {
    ssize_t result;
    do {
        result = recv(connection, buffer, count, 0);
    } while (result < 0 && errno == EINTR);
    return result;
}

int usher_peek(int connection) {
    unsigned char byte;
    ssize_t result;
    do {
        result = recv(connection, &byte, 1, MSG_PEEK);
    } while (result < 0 && errno == EINTR);
    return result == 1 ? byte : -1;
}

long usher_send(int connection, const void *buffer, unsigned long count) {
    ssize_t result;
    do {
        result = send(connection, buffer, count, MSG_NOSIGNAL);
    } while (result < 0 && errno == EINTR);
    return result;
}

long usher_raise_descriptor_limit(long most) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
    rlim_t wanted = limit.rlim_max < (rlim_t)most ? limit.rlim_max : (rlim_t)most;
    if (limit.rlim_cur < wanted) {
        rlim_t before = limit.rlim_cur;
        limit.rlim_cur = wanted;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0) descriptors_before = before;
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur < (rlim_t)most ? (long)limit.rlim_cur : most;
}
