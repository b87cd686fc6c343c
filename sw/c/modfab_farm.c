/* SPDX-License-Identifier: Apache-2.0 */
#include "modfab_farm.h"

#include "generated/mf_rsa_farm_regs.h"

#define REG(name) ((uint32_t)offsetof(mf_rsa_farm_t, regs.name))
#define FIELD(value, name) modfab_field(value, MF_RSA_FARM__REGS__##name##_bm)

/* Bounds of a farm, and words of its packets. */
enum {
  kMaxCores = 32,
  kMaxIdBits = 16,
  kJobPublic = 1 << 16,
  kAnswerId = 0xFFFF,
  kAnswerStatus = 0xF << 16,
  kAnswerCore = 0x1F << 24,
  kCodeFormat = MODFAB_FARM_FORMAT - MODFAB_RSA_BASE,
  kCodeService = MODFAB_FARM_SERVICE - MODFAB_RSA_BASE
};

static modfab_status_t any_core(const modfab_bus_t *bus, uint64_t *cycles);

static const modfab_key_map_t MAP = MODFAB_KEY_MAP(mf_rsa_farm_t, MF_RSA_FARM, any_core);

/* The ending of the first core for which a command ended well, else of the first core: the others
   do without a core that is broken. */
static modfab_status_t any_core(const modfab_bus_t *bus, uint64_t *cycles) {
  uint32_t capability = 0;
  modfab_status_t first = MODFAB_UNKNOWN;
  modfab_status_t status = modfab_bus_get(bus, REG(CAPABILITY), &capability);
  if (status != MODFAB_OK) return status;
  const uint32_t cores = FIELD(capability, CAPABILITY__CORES);
  for (uint32_t i = 0; i < cores; ++i) {
    status = modfab_bus_put(bus, REG(SELECT), i);
    if (status == MODFAB_OK) status = modfab_key_ending(bus, &MAP, cycles);
    if (status == MODFAB_OK || status == MODFAB_BUS_ERROR) return status;
    if (i == 0) first = status;
  }
  return first;
}

static modfab_status_t get(const modfab_farm_t *farm, uint32_t offset, uint32_t *value) {
  return modfab_bus_get(&farm->bus, offset, value);
}

static modfab_status_t put(const modfab_farm_t *farm, uint32_t offset, uint32_t value) {
  return modfab_bus_put(&farm->bus, offset, value);
}

/* Programs send jobs by the number of cores; an id has room in a packet. */
static modfab_status_t check_counts(const modfab_farm_t *farm) {
  const int cores = farm->cores >= 1 && farm->cores <= kMaxCores;
  const int id_bits = farm->id_bits >= 1 && farm->id_bits <= kMaxIdBits;
  return cores && id_bits ? MODFAB_OK : MODFAB_NOT_FOUND;
}

static modfab_status_t identify(modfab_farm_t *farm) {
  uint32_t capability = 0;
  farm->prime_bits = farm->min_prime_bits = 0;
  farm->bus.max_polls = MODFAB_FARM_POLLS;
  modfab_status_t status = modfab_bus_identify(&farm->bus, &MAP.core);
  if (status != MODFAB_OK) return status;
  status = get(farm, REG(CAPABILITY), &capability);
  if (status == MODFAB_OK) status = get(farm, REG(PRIME_BITS), &farm->prime_bits);
  if (status == MODFAB_OK) status = get(farm, REG(MIN_PRIME_BITS), &farm->min_prime_bits);
  if (status == MODFAB_OK)
    status = modfab_bus_fits(2 * (uint64_t)farm->prime_bits, sizeof((mf_rsa_farm_t *)0)->E);
  farm->engine = (uint8_t)FIELD(capability, CAPABILITY__ENGINE);
  farm->sequencer = (uint8_t)FIELD(capability, CAPABILITY__SEQUENCER);
  farm->cores = (uint8_t)FIELD(capability, CAPABILITY__CORES);
  farm->id_bits = (uint8_t)FIELD(capability, CAPABILITY__ID_BITS);
  if (status == MODFAB_OK) status = check_counts(farm);
  if (status != MODFAB_OK) farm->prime_bits = 0; /* it decides how far loops over words go */
  return status;
}

modfab_status_t modfab_farm_open(modfab_farm_t *farm, modfab_read_t read, modfab_write_t write,
                                 modfab_idle_t idle, void *context) {
  const modfab_bus_t bus = {read, write, idle, context, 0, NULL};
  farm->bus = bus;
  return identify(farm);
}

modfab_status_t modfab_farm_open_mmio(modfab_farm_t *farm, volatile void *registers) {
  farm->bus = modfab_bus_mmio(registers);
  return identify(farm);
}

size_t modfab_farm_prime_words(const modfab_farm_t *farm) {
  return modfab_key_prime_words(farm->prime_bits);
}

size_t modfab_farm_words(const modfab_farm_t *farm) { return modfab_key_words(farm->prime_bits); }

size_t modfab_farm_packet_words(const modfab_farm_t *farm) { return modfab_farm_words(farm) + 1; }

/* The causes of the interrupt are the program's again behind a load, which waits for its own. */
static modfab_status_t load(const modfab_farm_t *farm, const modfab_rsa_key_t *key,
                            uint64_t *cycles) {
  uint32_t causes = 0;
  modfab_status_t status = get(farm, REG(IRQ_ENABLE), &causes);
  if (status != MODFAB_OK) return status;
  status = modfab_key_load(&farm->bus, &MAP, MAP.zeroize_mask, farm->prime_bits, key, cycles);
  if (!modfab_bus_awaits(&farm->bus)) return status;
  const modfab_status_t again = modfab_farm_irq_enable(farm, causes);
  return status == MODFAB_OK ? again : status;
}

modfab_status_t modfab_farm_load_key(modfab_farm_t *farm, const modfab_rsa_key_t *key,
                                     uint64_t *cycles) {
  modfab_status_t status = modfab_key_unlocked(&farm->bus, &MAP);
  if (status == MODFAB_OK) status = modfab_farm_accept(farm, 0);
  if (status == MODFAB_OK) status = load(farm, key, cycles);
  if (status == MODFAB_OK) status = modfab_farm_accept(farm, 1);
  return status;
}

modfab_status_t modfab_farm_job(const modfab_farm_t *farm, uint32_t id,
                                modfab_rsa_operation_t operation, const uint32_t *message,
                                uint32_t *packet) {
  const size_t num_words = modfab_farm_words(farm);
  if (id >> farm->id_bits != 0) return MODFAB_PACKET;
  packet[0] = operation == MODFAB_RSA_PUBLIC ? id | kJobPublic : id;
  for (size_t i = 0; i < num_words; ++i) packet[1 + i] = message[i];
  return MODFAB_OK;
}

modfab_status_t modfab_farm_answer(const modfab_farm_t *farm, const uint32_t *packet,
                                   size_t num_words, modfab_farm_answer_t *answer) {
  if (num_words != modfab_farm_packet_words(farm)) return MODFAB_PACKET;
  const uint32_t last = packet[num_words - 1];
  const uint32_t code = modfab_field(last, kAnswerStatus);
  answer->id = modfab_field(last, kAnswerId);
  answer->core = modfab_field(last, kAnswerCore);
  answer->result = packet;
  answer->status = code == kCodeFormat || code == kCodeService
                       ? (modfab_status_t)(MODFAB_RSA_BASE + code)
                       : modfab_key_code(code);
  const uint32_t known = (uint32_t)kAnswerId | (uint32_t)kAnswerStatus | (uint32_t)kAnswerCore;
  return (last & ~known) != 0 || answer->core >= farm->cores ? MODFAB_PACKET : MODFAB_OK;
}

modfab_status_t modfab_farm_state(const modfab_farm_t *farm, modfab_farm_state_t *state) {
  uint32_t value = 0, accept = 0;
  modfab_status_t status = get(farm, REG(STATUS), &value);
  if (status == MODFAB_OK) status = get(farm, REG(ACCEPT), &accept);
  if (status == MODFAB_OK) status = get(farm, REG(SERVICE), &state->in_service);
  if (status == MODFAB_OK) status = get(farm, REG(OUT_OF_SERVICE), &state->out_of_service);
  state->busy = FIELD(value, STATUS__BUSY) != 0;
  state->locked = FIELD(value, STATUS__LOCKED) != 0;
  state->recovering = FIELD(value, STATUS__RECOVERING) != 0;
  state->accepting = FIELD(accept, ACCEPT__ON) != 0;
  return status;
}

modfab_status_t modfab_farm_core(const modfab_farm_t *farm, uint32_t index,
                                 modfab_farm_core_t *core) {
  uint32_t value = 0;
  modfab_status_t status = put(farm, REG(SELECT), index);
  if (status == MODFAB_OK) status = get(farm, REG(STATUS), &value);
  if (status == MODFAB_OK) status = get(farm, REG(CORE_JOBS), &core->jobs);
  if (status == MODFAB_OK) status = get(farm, REG(CORE_FAULTS), &core->faults);
  if (status == MODFAB_OK)
    status = modfab_bus_get_long(&farm->bus, REG(CYCLES_LO), REG(CYCLES_HI), &core->cycles);
  core->status = modfab_key_code(FIELD(value, STATUS__ERROR));
  return status;
}

modfab_status_t modfab_farm_accept(const modfab_farm_t *farm, int accept) {
  return put(farm, REG(ACCEPT), accept != 0 ? MF_RSA_FARM__REGS__ACCEPT__ON_bm : 0);
}

modfab_status_t modfab_farm_fault_limit(const modfab_farm_t *farm, uint8_t faults) {
  return put(farm, REG(FAULT_LIMIT), faults);
}

modfab_status_t modfab_farm_irq_enable(const modfab_farm_t *farm, uint32_t causes) {
  return put(farm, REG(IRQ_ENABLE), causes);
}

modfab_status_t modfab_farm_irq_clear(const modfab_farm_t *farm, uint32_t causes) {
  return put(farm, REG(IRQ_STATUS), causes);
}

modfab_status_t modfab_farm_irq_causes(const modfab_farm_t *farm, uint32_t *causes) {
  return get(farm, REG(IRQ_STATUS), causes);
}

modfab_status_t modfab_farm_lock(const modfab_farm_t *farm) {
  uint32_t accept = 0;
  modfab_status_t status = get(farm, REG(ACCEPT), &accept);
  if (status == MODFAB_OK) status = modfab_farm_accept(farm, 0);
  if (status == MODFAB_OK) status = modfab_bus_wait(&farm->bus, &MAP.core);
  if (status == MODFAB_OK) status = modfab_key_lock(&farm->bus, &MAP);
  const modfab_status_t again = modfab_farm_accept(farm, accept != 0);
  return status == MODFAB_OK ? again : status;
}

modfab_status_t modfab_farm_zeroize(const modfab_farm_t *farm) {
  return modfab_key_zeroize(&farm->bus, &MAP);
}
