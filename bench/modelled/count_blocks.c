// TCG plugin: counts how often every translated block runs inside a window, and samples short traces of blocks. Options:
//   out=FILE   period=N (instructions from sample to sample)   width=N (instructions in a sample)
//   start=HEX  the window is the time from the second to the third run of the block at this address: the second call of a function, up to the next.
//              Without it, guest syscall 5000 opens (argument 1) and closes the window (others).
// Output: "B id address runs instructions bytes" a block, "S id id ..." a sample, "T instructions others N" (others: by other threads)
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// The plugin interface of qemu 7.2 as far as it is used here: Debian ships no header.
typedef uint64_t Id;
typedef struct qemu_info qemu_info_t;
struct qemu_plugin_tb; struct qemu_plugin_insn;
typedef void (*syscall_cb)(Id, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
void qemu_plugin_register_vcpu_tb_trans_cb(Id, void (*)(Id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_syscall_cb(Id, syscall_cb);
void qemu_plugin_register_atexit_cb(Id, void (*)(Id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

typedef struct Block { uint64_t address, runs; uint32_t n, id, bytes; uint8_t *data; struct Block *next; } Block;
enum { BUCKETS = 65536, NO_REGISTERS = 0, SAMPLE_STARTS = -1 };
static const char *out = "blocks.txt";
static uint64_t start, visits, period = 100000, width = 600;
static int is_open;
static unsigned main_cpu;  // the thread that opened the window
static Block *table[BUCKETS], **blocks;
static uint32_t n_blocks, blocks_room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total, next_at, left, others, n_trace, trace_room;
static int32_t *trace;

static void record(int32_t value) {
  if (n_trace == trace_room) trace = realloc(trace, (trace_room = trace_room ? trace_room * 2 : 65536) * sizeof *trace);
  trace[n_trace++] = value;
}
static void set_window(int open, unsigned cpu) { is_open = open; main_cpu = cpu; }
static void executed(unsigned cpu, void *user) {
  Block *b = user;
  if (start && b->address == start) set_window(++visits == 2, cpu);
  if (!is_open) return;
  b->runs++;
  if (cpu != main_cpu) { others += b->n; return; }
  total += b->n;
  if (!left && total >= next_at) { left = width; next_at = total + period; record(SAMPLE_STARTS); }
  if (left) { record(b->id); left = left > b->n ? left - b->n : 0; }
}
static void translated(Id id, struct qemu_plugin_tb *tb) {
  uint32_t n = qemu_plugin_tb_n_insns(tb), bytes = 0;
  uint64_t address = qemu_plugin_tb_vaddr(tb);
  uint8_t data[8192];
  for (; bytes / 4 < n && bytes < sizeof data; bytes += 4) memcpy(data + bytes, qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, bytes / 4)), 4);
  pthread_mutex_lock(&lock);
  uint32_t bucket = (uint32_t)((address >> 1) * 2654435761u) % BUCKETS;
  Block *b = table[bucket];
  while (b && (b->address != address || b->bytes != bytes || memcmp(b->data, data, bytes))) b = b->next;
  if (!b) {  // a block that is translated again keeps its count
    b = malloc(sizeof *b);
    *b = (Block){.address = address, .n = n, .id = n_blocks, .bytes = bytes, .data = malloc(bytes), .next = table[bucket]};
    memcpy(b->data, data, bytes);
    table[bucket] = b;
    if (n_blocks == blocks_room) blocks = realloc(blocks, (blocks_room = blocks_room ? blocks_room * 2 : 4096) * sizeof *blocks);
    blocks[n_blocks++] = b;
  }
  pthread_mutex_unlock(&lock);
  qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, NO_REGISTERS, b);
}
static void at_syscall(Id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                       uint64_t a8) {
  if (number == 5000 && !start) set_window(a1 == 1, cpu);
}
static void finished(Id id, void *user) {
  FILE *f = fopen(out, "w");
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n_blocks; i++) {
    Block *b = blocks[i];
    if (!b->runs) continue;
    sum += b->runs * b->n;
    fprintf(f, "B %u %lx %lu %u ", b->id, b->address, b->runs, b->n);
    for (uint32_t k = 0; k < b->bytes; k++) fprintf(f, "%02x", b->data[k]);
    fputc('\n', f);
  }
  for (uint64_t i = 0; i < n_trace; i++) trace[i] == SAMPLE_STARTS ? fprintf(f, "%sS", i ? "\n" : "") : fprintf(f, " %d", trace[i]);
  fprintf(f, "\nT %lu others %lu\n", sum, others);
  fclose(f);
}
__attribute__((visibility("default"))) int qemu_plugin_install(Id id, const qemu_info_t *info, int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    if (!strncmp(argv[i], "out=", 4)) out = strdup(argv[i] + 4);
    if (!strncmp(argv[i], "start=", 6)) start = strtoull(argv[i] + 6, 0, 16);
    if (!strncmp(argv[i], "period=", 7)) period = strtoull(argv[i] + 7, 0, 10);
    if (!strncmp(argv[i], "width=", 6)) width = strtoull(argv[i] + 6, 0, 10);
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_vcpu_syscall_cb(id, at_syscall);
  qemu_plugin_register_atexit_cb(id, finished, 0);
  return 0;
}
