// What Swift's Glibc module lacks: calls that are GNU extensions or whose headers it leaves out, and macros over unions.
// Delete a line here when the toolchain's Glibc module offers it.
//
// No header of the C library is included. Glibc's own module is built without _GNU_SOURCE; a second module that sees the
// same headers with it defines fd_set, stat and others differently, and importing both fails.
#ifndef USHER_CLINUX_H
#define USHER_CLINUX_H

/// How many arguments the process was started with, its name included. Swift's own `CommandLine` looks for them below the
/// environment block, and finds none when a preloaded library has moved that.
int usher_argument_count(void);

/// One of them, from 0; null where there is none.
const char *usher_argument(int place);

/// The environment block. The global itself is ambiguous in Swift and not concurrency-safe.
char **usher_environ(void);

/// A descriptor that means this process, close-on-exec; -1 with errno.
int usher_pidfd_open(int pid);

/// Signals exactly the process that the descriptor means; -1 with errno.
int usher_pidfd_send_signal(int pidfd, int signal);

/// How a child ended.
struct usher_end {
    /// 0: it still runs. 1: it exited. 2: a signal ended it. 3: it is no child of this process, or was reaped elsewhere.
    int kind;
    /// Its exit status, or the signal.
    int value;
};

/// Reaps a child if it has ended; does not wait.
struct usher_end usher_pidfd_reap(int pidfd);

/// An unnamed file in memory, close-on-exec, that can be sealed; -1 with errno.
int usher_memory_file(const char *name);

/// Forbids every later change of such a file; -1 with errno.
int usher_seal(int descriptor);

/// A close-on-exec pipe: the read end, which does not block, and the write end; -1 with errno.
int usher_pipe(int ends[2]);

/// What a file is recognized by, wherever it was moved on its file system.
struct usher_file {
    unsigned long long device;
    unsigned long long inode;
    /// When it was made, in nanoseconds since 1970; 0 where the file system does not say.
    long long birth;
    long long size;
    int is_folder;
};

/// The file at `path`, from `folder` on (a descriptor); `follows` is 0 to look at a symbolic link itself. 0, or -1 with
/// errno.
int usher_file_status(int folder, const char *path, int follows, struct usher_file *file);

/// Locks the first `length` bytes of a file (0: the whole file, however long it becomes) for the life of the open file
/// description (F_OFD_SETLK); -1 with errno, EAGAIN when another description holds one of them.
int usher_lock(int descriptor, long length);

/// Releases the lock, even if another process has the description (a child between fork and exec); -1 with errno.
int usher_unlock(int descriptor);

/// Whether another open file description has locked a byte from `start` on: 1 or 0, without taking a lock; -1 with errno.
int usher_is_locked(int descriptor, long start);

/// A Unix datagram socket, close-on-exec, that waits at most so long to send; -1 with errno.
int usher_datagram_socket(int send_milliseconds);

/// Sends one datagram to the Unix socket at `path` (`@` begins an abstract name), with a descriptor where that is not
/// negative; `waits` is 0 to fail with EAGAIN at once where the receiver's queue is full. 0, or -1 with errno.
int usher_send_datagram(
    int socket, const char *path, const void *bytes, unsigned long count, int descriptor, int waits);

/// Starts a program in a session of its own, with an empty signal mask and default signal actions, and no descriptors but
/// standard input, output and error: descriptors above these, or -1 for /dev/null. `directory` may be null. 0 with a pidfd,
/// or the error, that of executing the program included.
int usher_spawn(
    int *pid, int *pidfd, const char *program, char *const arguments[], char *const environment[],
    const char *directory, int input, int output, int error_output);

/// The same for a server of its parent, which is not waited for: /dev/null for 0 to 2, and `connection` as descriptor 3.
int usher_spawn_server(
    const char *program, char *const arguments[], char *const environment[], int connection);

/// Two ends of a Unix stream socket, close-on-exec; -1 with errno.
int usher_socket_pair(int ends[2]);

/// Makes an inherited connection non-blocking and close-on-exec; -1 with errno.
int usher_adopt_connection(int connection);

/// Whether a directory can be entered: 0, or -1 with errno.
int usher_check_directory(const char *path);

// Sockets: what Glibc's module leaves out (epoll, eventfd, accept4, SO_PEERCRED, MSG_NOSIGNAL), and addresses, which are casts.

/// What a descriptor is ready for, or is to be watched for: the values of EPOLLIN and the others.
enum {
    USHER_READABLE = 0x001,
    USHER_WRITABLE = 0x004,
    USHER_FAILED = 0x008,
    USHER_HUNG_UP = 0x010,
    USHER_INPUT_ENDED = 0x2000,
};

/// A descriptor that became ready, by the token it was watched under.
struct usher_ready {
    unsigned long long token;
    unsigned int events;
};

/// An epoll instance, close-on-exec; -1 with errno.
int usher_epoll(void);

/// Begins, changes and ends watching a descriptor (level-triggered); -1 with errno.
int usher_epoll_add(int epoll, int descriptor, unsigned int events, unsigned long long token);
int usher_epoll_change(int epoll, int descriptor, unsigned int events, unsigned long long token);
int usher_epoll_remove(int epoll, int descriptor);

/// Waits at most so many milliseconds (-1: for ever) for at most 256 ready descriptors. Their number; 0 when interrupted.
int usher_epoll_wait(int epoll, struct usher_ready *ready, int capacity, int milliseconds);

/// A descriptor that one thread signals and another watches; -1 with errno.
int usher_eventfd(void);
void usher_eventfd_signal(int descriptor);
void usher_eventfd_clear(int descriptor);

/// The peer of a connection, or the address of a listener.
struct usher_address {
    /// 4 and 6: an Internet address. 1: a Unix socket. 0: something else.
    int kind;
    unsigned short port;
    /// The numeric address; of a listening Unix socket, its path.
    char text[108];
    unsigned int user, group;
    int process;
};

/// Takes a connection, non-blocking and close-on-exec, without delay on TCP; -1 with errno.
int usher_accept(int listener, struct usher_address *peer);

/// The process that listens at the other end of a Unix socket; 0 where that cannot be seen, -1 with errno.
int usher_peer_process(int connection);

/// The effective user of the process that began to listen at the other end of a Unix socket; 0, or -1 with errno.
int usher_peer_user(int connection, unsigned int *user);

/// Binds and listens, non-blocking and close-on-exec; -1 with errno (EINVAL: not a numeric address).
int usher_listen_internet(const char *host, unsigned short port);

/// The same for a Unix socket of mode 0600. A socket without a listening process is replaced; EADDRINUSE if one listens.
int usher_listen_local(const char *path);

/// Makes an inherited descriptor non-blocking and close-on-exec; -1 with errno EINVAL when it does not listen.
int usher_adopt_listener(int listener);

/// Where a listener listens; -1 with errno.
int usher_address_of(int listener, struct usher_address *address);

/// Lets the kernel find out about peers that vanished, within some two minutes.
void usher_keep_alive(int connection);

/// recv and send, repeated when interrupted; sending never raises SIGPIPE. -1 with errno, 0 at the end.
long usher_receive(int connection, void *buffer, unsigned long count);
long usher_send(int connection, const void *buffer, unsigned long count);

/// The next byte, which stays to be received; -1 where there is none yet, or none any more.
int usher_peek(int connection);

/// Raises the soft limit of descriptors as far as it goes, to at most `most`. The limit then.
long usher_raise_descriptor_limit(long most);

#endif
