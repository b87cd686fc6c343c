/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* SOCK_CLOEXEC, struct ucred, explicit_bzero */
#include "modfab_client.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { VERSION = 1, HEAD_BYTES = 4, REQUEST_BYTES = 8192, FRAME_BYTES = 65536, PAUSE_MS = 50 };

static size_t put_field(uint8_t *to, size_t at, const mf_field_t *field) {
  to[at] = (uint8_t)(field->size >> 8);
  to[at + 1] = (uint8_t)field->size;
  if (field->size != 0) memcpy(to + at + 2, field->data, field->size);
  return at + 2 + field->size;
}

/* The frame's bytes; 0 when the request is too long. */
static size_t encode(uint8_t *frame, mf_operation_t operation, const mf_field_t *fields,
                     size_t count) {
  size_t at = HEAD_BYTES;
  frame[at++] = VERSION;
  frame[at++] = (uint8_t)operation;
  for (size_t i = 0; i < count; ++i) {
    if (fields[i].size > REQUEST_BYTES - 2 || at > REQUEST_BYTES - 2 - fields[i].size) return 0;
    at = put_field(frame, at, &fields[i]);
  }
  const size_t length = at - HEAD_BYTES;
  frame[0] = frame[1] = 0;
  frame[2] = (uint8_t)(length >> 8);
  frame[3] = (uint8_t)length;
  return at;
}

static int64_t now_ms(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether a socket is ready before the time `end`; signals neither end the wait nor prolong it. */
static int wait_for(int link, short events, int64_t end) {
  struct pollfd ready = {link, events, 0};
  int found = -1;
  do {
    const int64_t left = end - now_ms();
    if (left <= 0) return 0;
    found = poll(&ready, 1, left < INT_MAX ? (int)left : INT_MAX);
  } while (found < 0 && errno == EINTR);
  return found > 0;
}

static int send_all(int link, const uint8_t *bytes, size_t count, int64_t end) {
  while (count != 0) {
    if (!wait_for(link, POLLOUT, end)) return 0;
    const ssize_t done = send(link, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && errno == EAGAIN) continue;
    if (done <= 0) return 0;
    bytes += done;
    count -= (size_t)done;
  }
  return 1;
}

static int receive_all(int link, uint8_t *bytes, size_t count, int64_t end) {
  while (count != 0) {
    if (!wait_for(link, POLLIN, end)) return 0;
    const ssize_t done = recv(link, bytes, count, MSG_DONTWAIT);
    if (done < 0 && errno == EAGAIN) continue;
    if (done <= 0) return 0;
    bytes += done;
    count -= (size_t)done;
  }
  return 1;
}

/* Fields beyond MF_MAX_FIELDS are left out. */
static mf_status_t decode(mf_answer_t *answer, size_t length) {
  const uint8_t *bytes = answer->bytes;
  size_t at = 2;
  answer->count = 0;
  if (bytes[0] != VERSION) return MF_PROTOCOL;
  while (at < length && answer->count < MF_MAX_FIELDS) {
    if (length - at < 2) return MF_PROTOCOL;
    const size_t size = (size_t)bytes[at] << 8 | bytes[at + 1];
    if (length - at - 2 < size) return MF_PROTOCOL;
    answer->fields[answer->count].data = bytes + at + 2;
    answer->fields[answer->count++].size = size;
    at += 2 + size;
  }
  return bytes[1] <= MF_STOPPING ? (mf_status_t)bytes[1] : MF_DEVICE;
}

/* Who may bind a socket at the path would otherwise get the keys that are sent. */
static int is_trusted(int link) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(link, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && size == sizeof peer &&
         (peer.uid == 0 || peer.uid == geteuid());
}

/* A connection waits, where the daemon's queue of them is full, as long as SO_SNDTIMEO says. */
static int connect_until(int link, const struct sockaddr_un *address, int64_t end) {
  int failed;
  do failed = connect(link, (const struct sockaddr *)address, sizeof *address);
  while (failed && errno == EINTR && now_ms() < end);
  return !failed;
}

/* Why there is no connection, by errno. */
static mf_status_t unopened(void) {
  switch (errno) {
    case ENOENT:
    case ECONNREFUSED: return MF_AWAY;
    case EACCES:
    case EPERM: return MF_FOREIGN;
    default: return MF_BROKEN;
  }
}

static mf_status_t open_link(const mf_client_t *client, int64_t end, int *opened) {
  struct sockaddr_un address;
  const struct timeval limit = {(time_t)client->timeout_s, 0};
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, client->path, sizeof address.sun_path);
  address.sun_path[sizeof address.sun_path - 1] = '\0';
  const int link = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (link < 0) return MF_BROKEN;
  mf_status_t status = MF_OK;
  if (setsockopt(link, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      !connect_until(link, &address, end))
    status = unopened();
  else if (!is_trusted(link))
    status = MF_FOREIGN;
  if (status != MF_OK) (void)close(link);
  *opened = link;
  return status;
}

static mf_status_t ask_once(const mf_client_t *client, const uint8_t *request, size_t count,
                            mf_answer_t *answer) {
  uint8_t head[HEAD_BYTES];
  int link = -1;
  const size_t room = sizeof answer->bytes;
  /* Names may be many: the first MF_MAX_FIELDS of them have room in any case. */
  const size_t most = request[HEAD_BYTES + 1] == MF_OP_KEYS ? FRAME_BYTES : room;
  const int64_t end =
      client->timeout_s == 0 ? INT64_MAX : now_ms() + 1000 * (int64_t)client->timeout_s;
  answer->count = 0;
  mf_status_t status = open_link(client, end, &link);
  if (status != MF_OK) return status == MF_BROKEN && now_ms() >= end ? MF_LATE : status;
  status = MF_BROKEN;
  if (send_all(link, request, count, end) && receive_all(link, head, sizeof head, end)) {
    const size_t length = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    const size_t kept = length < room ? length : room;
    if (head[0] != 0 || length < 2 || length > most)
      status = MF_PROTOCOL;
    else if (receive_all(link, answer->bytes, kept, end))
      status = decode(answer, kept);
  }
  (void)close(link);
  return status == MF_BROKEN && now_ms() >= end ? MF_LATE : status;
}

static int is_passing(mf_status_t status) {
  return status == MF_AWAY || status == MF_BROKEN || status == MF_STOPPING || status == MF_BUSY;
}

mf_status_t mf_client_ask(const mf_client_t *client, mf_operation_t operation,
                          const mf_field_t *fields, size_t count, mf_answer_t *answer) {
  static const struct timespec pause = {0, PAUSE_MS * 1000000L};
  uint8_t request[HEAD_BYTES + REQUEST_BYTES];
  const size_t size = encode(request, operation, fields, count);
  int64_t end = INT64_MAX; /* of the patience, which begins with the first failure */
  mf_status_t status = MF_REFUSED;
  answer->count = 0;
  while (size != 0) {
    status = ask_once(client, request, size, answer);
    const int64_t now = now_ms();
    if (end == INT64_MAX) end = now + 1000 * (int64_t)client->patience_s;
    if (!is_passing(status) || now >= end) break;
    (void)nanosleep(&pause, NULL);
  }
  explicit_bzero(request, sizeof request); /* may hold a key */
  return status;
}

const char *mf_client_message(mf_status_t status) {
  switch (status) {
    case MF_OK: return "The daemon answered.";
    case MF_NO_KEY: return "The daemon has no key of this name.";
    case MF_REFUSED: return "The daemon or its device refused the key or the number.";
    case MF_DEVICE: return "No device of the daemon gave a right result.";
    case MF_BUSY: return "The daemon has too much to do.";
    case MF_STOPPING: return "The daemon is stopping.";
    case MF_AWAY: return "No daemon answers; start one with `modfab serve`.";
    case MF_FOREIGN:
      return "The socket may not be used, or what listens is neither this user's nor root's; "
             "nothing was sent to it.";
    case MF_BROKEN: return "The daemon cannot be reached, or broke the connection off.";
    case MF_LATE: return "The daemon gave no answer within the time limit (timeout).";
    case MF_BAD_REQUEST:
    case MF_PROTOCOL: break;
  }
  return "The daemon does not speak this provider's protocol; use one release of both.";
}
