/* Lets a library believe that it runs on a smaller x86 CPU: hide_features.py replaces its cpuid instructions by ud2, and this library, preloaded,
 * answers each in the handler of the illegal instruction, with features left out. Works on any x86-64 Linux, without help of the hypervisor.
 *
 *   ERT_PEER_LEVEL=sse41|avx2|avxvnni|avx512vnni    the best level that is left; unset: nothing is hidden
 *
 * Bits: Intel SDM volume 2A, CPUID, leaves 1 and 7. gcc -O2 -shared -fPIC answer_cpuid.c -o answer_cpuid.so */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum Level { kSse41, kAvx2, kAvxVnni, kAvx512Vnni, kAll };
static enum Level level = kAll;

#define BIT(n) (1u << (n))

struct Registers {
  unsigned a, b, c, d;
};

static void hide(unsigned leaf, unsigned subleaf, struct Registers* r) {
  if (leaf == 1 && level < kAvx2) r->c &= ~(BIT(12) | BIT(28) | BIT(29)); /* FMA, AVX, F16C */
  if (leaf == 7 && subleaf == 0) {
    if (level < kAvx2) {
      r->b &= ~BIT(5);             /* AVX2 */
      r->c &= ~(BIT(9) | BIT(10)); /* VAES, VPCLMULQDQ */
    }
    if (level < kAvx512Vnni) {
      r->b &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31)); /* AVX512 F, DQ, IFMA, PF, ER, CD, BW, VL */
      r->c &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));                                 /* VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ */
      r->d &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(23));                                            /* 4VNNIW, 4FMAPS, VP2INTERSECT, FP16 */
    }
    if (level < kAll) r->d &= ~(BIT(22) | BIT(24) | BIT(25)); /* AMX BF16, TILE, INT8: edgeconv has no such level */
  }
  if (leaf == 7 && subleaf == 1) {
    if (level < kAvxVnni) {
      r->a &= ~(BIT(4) | BIT(23));          /* AVX-VNNI, AVX-IFMA */
      r->d &= ~(BIT(4) | BIT(5) | BIT(10)); /* AVX-VNNI-INT8, AVX-NE-CONVERT, AVX-VNNI-INT16 */
    }
    if (level < kAvx512Vnni) r->a &= ~BIT(5); /* AVX512 BF16 */
    if (level < kAll) r->a &= ~BIT(21);       /* AMX FP16 */
  }
}

static void on_illegal_instruction(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const unsigned char* at = (const unsigned char*)registers[REG_RIP];
  if (at[0] != 0x0f || at[1] != 0x0b) {
    signal(SIGILL, SIG_DFL); /* not one of ours: it strikes again, and ends the program */
    return;
  }
  const unsigned leaf = (unsigned)registers[REG_RAX], subleaf = (unsigned)registers[REG_RCX];
  struct Registers r;
  __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
  hide(leaf, subleaf, &r);
  registers[REG_RAX] = r.a;
  registers[REG_RBX] = r.b;
  registers[REG_RCX] = r.c;
  registers[REG_RDX] = r.d;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void install(void) {
  static const char* const names[] = {"sse41", "avx2", "avxvnni", "avx512vnni"};
  const char* wanted = getenv("ERT_PEER_LEVEL");
  for (int i = 0; wanted != NULL && i < 4; ++i) {
    if (strcmp(wanted, names[i]) == 0) level = (enum Level)i;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_illegal_instruction;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, NULL);
}
