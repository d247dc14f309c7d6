// The AVX-VNNI sources are built twice: in VEX form (avxvnni) and, so that AVX-512 machines without AVX-VNNI can run the same
// code, in EVEX form (avx512vl + avx512vnni) under names of their own.
#pragma once

#if defined(__AVX2__) && defined(__AVXVNNI__)
#define ERT_AVXVNNI_NAME(name) name##_avxvnni
#define ERT_VEX "%{vex%} "
#elif defined(__AVX2__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
#define ERT_AVXVNNI_NAME(name) name##_avxvnni_evex
#define ERT_VEX ""
#else
#error "build with -mavx2 -mavxvnni or with -mavx2 -mavx512vl -mavx512vnni"
#endif
