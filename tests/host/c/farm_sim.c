/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C driver of the farm on the simulated farm. Reads commands and answers each in a line:
 *   k P Q DP DQ QI E_BITS E   load a key; "-" for E when E_BITS is 0     status cycles
 *   d P Q D E_BITS E          the same, the farm derives DP, DQ, QI      status cycles
 *   s ID MESSAGE, v ID MESSAGE  send a private, a public job             status
 *   t ID LENGTH               send a job of so many words, all ones      status
 *   a                         receive an answer                          status id core ending result
 *   o                         state of the farm                          status busy locked recovering
 *                                                                        accepting service out
 *   c INDEX                   state of a core                            status jobs faults ending cycles
 *   l, z, g, h                lock, zeroize, take jobs, let them wait    status
 *   f FAULTS, i CAUSES        fault limit; interrupt of these causes     status
 *   q                         causes, which are cleared; output          status causes before after
 *   e STARVED, r PAUSE, m POLLS   the entropy port, the receiver of answers, bus.max_polls   0
 * Numbers of a key and messages are hexadecimal.
 */
#include "modfab_farm.h"
#include "sim_key.h"

void mf_send(Core *core, const uint32_t *words, uint32_t num_words);
uint64_t mf_answers(Core *core, uint64_t num_words, uint64_t max_cycles);
void mf_word(Core *core, int answer, uint64_t index, uint64_t *clock, uint32_t *data, int *last);
void mf_pauses(Core *core, uint32_t jobs, uint32_t answers, uint32_t seed);
void mf_starve(Core *core, int mode);

static uint32_t packet[kMaxWords + 2];

/* What a DMA engine does: the words of one packet up to the last; 0 when none comes. */
static size_t receive(Core *simulation) {
  static uint64_t received;
  int last = 0;
  for (size_t i = 0; i < kMaxWords + 2; ++i) {
    uint64_t clock;
    if (mf_answers(simulation, received + 1, 10000000) <= received) return 0;
    mf_word(simulation, 1, received++, &clock, &packet[i], &last);
    if (last) return i + 1;
  }
  return 0;
}

static void show_answer(const modfab_farm_t *farm, Core *simulation) {
  modfab_farm_answer_t answer = {0, 0, MODFAB_OK, packet};
  const modfab_status_t status = modfab_farm_answer(farm, packet, receive(simulation), &answer);
  printf("%d %lu %lu %d ", (int)status, (unsigned long)answer.id, (unsigned long)answer.core,
         (int)answer.status);
  print_words(answer.result, modfab_farm_words(farm));
}

static void show_state(const modfab_farm_t *farm) {
  modfab_farm_state_t state;
  const modfab_status_t status = modfab_farm_state(farm, &state);
  printf("%d %d %d %d %d %lu %lu", (int)status, state.busy, state.locked, state.recovering,
         state.accepting, (unsigned long)state.in_service, (unsigned long)state.out_of_service);
}

static void show_core(const modfab_farm_t *farm, uint32_t index) {
  modfab_farm_core_t core;
  const modfab_status_t status = modfab_farm_core(farm, index, &core);
  printf("%d %lu %lu %d %llu", (int)status, (unsigned long)core.jobs, (unsigned long)core.faults,
         (int)core.status, (unsigned long long)core.cycles);
}

static void show_interrupt(const modfab_farm_t *farm, Core *simulation) {
  uint32_t causes = 0;
  const int before = mf_wait(simulation, 0);
  modfab_status_t status = modfab_farm_irq_causes(farm, &causes);
  if (status == MODFAB_OK) status = modfab_farm_irq_clear(farm, causes);
  printf("%d %lu %d %d", (int)status, (unsigned long)causes, before, mf_wait(simulation, 0));
}

static void load(modfab_farm_t *farm, const modfab_rsa_key_t *key) {
  uint64_t cycles = 0;
  const modfab_status_t status = modfab_farm_load_key(farm, key, &cycles);
  memset(parts, 0xFF, sizeof parts); /* the driver needs none of it any more */
  printf("%d %llu", (int)status, (unsigned long long)cycles);
}

static modfab_status_t send(const modfab_farm_t *farm, Core *simulation, uint32_t id,
                            modfab_rsa_operation_t operation) {
  const modfab_status_t status = modfab_farm_job(farm, id, operation, parts[6], packet);
  if (status == MODFAB_OK)
    mf_send(simulation, packet, (uint32_t)modfab_farm_packet_words(farm));
  return status;
}

/* Commands that answer with a status only. */
static modfab_status_t control(modfab_farm_t *farm, Core *simulation, char command,
                               uint32_t value) {
  switch (command) {
    case 's': return send(farm, simulation, value, MODFAB_RSA_PRIVATE);
    case 'v': return send(farm, simulation, value, MODFAB_RSA_PUBLIC);
    case 'l': return modfab_farm_lock(farm);
    case 'z': return modfab_farm_zeroize(farm);
    case 'g': return modfab_farm_accept(farm, 1);
    case 'h': return modfab_farm_accept(farm, 0);
    case 'f': return modfab_farm_fault_limit(farm, (uint8_t)value);
    case 'i': return modfab_farm_irq_enable(farm, value);
    case 'e': mf_starve(simulation, (int)value); return MODFAB_OK;
    case 'r': mf_pauses(simulation, 0, value, 1); return MODFAB_OK;
    case 'm': farm->bus.max_polls = value; return MODFAB_OK;
    default: return MODFAB_UNKNOWN;
  }
}

int main(void) {
  char command;
  modfab_farm_t farm;
  Core *simulation = open_simulation();
  modfab_status_t status =
      modfab_farm_open(&farm, read_register, write_register, run_clock, simulation);
  printf("%d %lu %lu %u %u %u %u\n", (int)status, (unsigned long)farm.prime_bits,
         (unsigned long)farm.min_prime_bits, farm.engine, farm.sequencer, farm.cores, farm.id_bits);
  while (scanf(" %c", &command) == 1) {
    unsigned value = 0, length = 0;
    modfab_rsa_key_t key;
    if (strchr("svtcfierm", command) != NULL && scanf("%u", &value) != 1) return 2;
    if (strchr("sv", command) != NULL && !number(parts[6], modfab_farm_words(&farm))) return 2;
    if (strchr("kd", command) != NULL && !read_key(farm.prime_bits, command == 'd', &key)) return 2;
    switch (command) {
      case 'k':
      case 'd': load(&farm, &key); break;
      case 't':
        if (scanf("%u", &length) != 1 || length > kMaxWords + 2) return 2;
        memset(packet, 0xFF, sizeof packet);
        packet[0] = value;
        mf_send(simulation, packet, length);
        printf("0");
        break;
      case 'a': show_answer(&farm, simulation); break;
      case 'o': show_state(&farm); break;
      case 'c': show_core(&farm, value); break;
      case 'q': show_interrupt(&farm, simulation); break;
      default: printf("%d", (int)control(&farm, simulation, command, value));
    }
    printf("\n");
  }
  mf_close(simulation);
  return 0;
}
