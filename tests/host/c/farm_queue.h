/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The farm's example of sw/c/README.md, which stands before this file, on a farm of two cores that
 * answers message + 1000, with the endings and ids that a case asks for.
 */
#ifndef FARM_QUEUE_H
#define FARM_QUEUE_H

#include <string.h>

#include "checks.h"

enum { kWords = 2, kPacket = kWords + 1, kJobs = 8, kNobody = -1, kBadId = 200 };

static uint32_t waiting[2 * kJobs][kPacket]; /* answers that were not received yet */
static int sent, received;
static int faulty, strange, cut; /* jobs of a call that end with a fault, another id, too short */

static void take_job(const uint32_t *packet, size_t num_words) {
  uint32_t *answer = waiting[sent];
  CHECK(num_words == kPacket && (packet[0] & 0xFFFF) == (uint32_t)sent);
  answer[0] = packet[1] + 1000;
  answer[1] = packet[2];
  answer[2] = sent == strange ? (uint32_t)kBadId : packet[0] & 0xFFFF;
  if (sent == faulty) answer[2] |= (uint32_t)(MODFAB_RSA_FAULT - MODFAB_RSA_BASE) << 16;
  ++sent;
}

static size_t give_answer(uint32_t *packet) {
  CHECK(received < sent);
  memcpy(packet, waiting[received], sizeof waiting[received]);
  return received++ == cut ? kPacket - 1 : kPacket;
}

static modfab_status_t call(uint32_t count, uint32_t *results) {
  static const queue_t queue = {take_job, give_answer};
  static const uint32_t messages[kJobs * kWords] = {5, 0, 6,  0, 7,  0, 8,  0,
                                                    9, 0, 10, 0, 11, 0, 12, 0};
  uint32_t packet[kPacket];
  modfab_farm_t farm;
  memset(&farm, 0, sizeof farm);
  farm.prime_bits = 32;
  farm.cores = 2;
  farm.id_bits = 8;
  sent = received = 0;
  const modfab_status_t status = sign_all(&farm, &queue, count, messages, results, packet);
  CHECK(received == sent); /* no answer is left for the next call */
  return status;
}

/* The results of `count` jobs, and nothing behind them. */
static void check_good(uint32_t count) {
  uint32_t results[(kJobs + 1) * kWords] = {0};
  faulty = strange = cut = kNobody;
  CHECK(call(count, results) == MODFAB_OK && sent == (int)count);
  for (uint32_t i = 0; i < kJobs + 1; ++i)
    CHECK(results[i * kWords] == (i < count ? 1005 + i : 0) && results[i * kWords + 1] == 0);
}

/* The first error of `job` comes back; jobs that were sent before it is known are received. */
static void check_error(int *what, int job, modfab_status_t expected) {
  uint32_t results[(kJobs + 1) * kWords] = {0};
  faulty = strange = cut = kNobody;
  *what = job;
  CHECK(call(kJobs, results) == expected);
  CHECK(sent >= job + 1 && sent <= job + 4);
  CHECK(results[job * kWords] == 0 && results[kJobs * kWords] == 0);
}

int main(void) {
  check_good(0);
  check_good(1);
  check_good(kJobs);
  for (int job = 0; job < kJobs; ++job) {
    check_error(&faulty, job, MODFAB_RSA_FAULT);
    check_error(&strange, job, MODFAB_PACKET);
    check_error(&cut, job, MODFAB_PACKET);
    check_good(2);
  }
  uint32_t results[(kJobs + 1) * kWords] = {0};
  faulty = 1;
  strange = 2;
  CHECK(call(kJobs, results) == MODFAB_RSA_FAULT); /* the first error, not the last one */
  printf("%d failures\n", failures);
  return failures != 0;
}

#endif
