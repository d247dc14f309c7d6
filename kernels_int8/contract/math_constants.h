// Coefficients of the canonical polynomials, shared by the scalar reference and the 16-lane forms. Derivation and measured
// errors: NUMERICS.md section 4. Changing any bit here changes results everywhere, and with them the blob format (rt/schema/README.md).
#pragma once

namespace ert::kernels {
namespace {

// v + kRoundMagic rounds |v| < 2^22 to the nearest integer, ties to even; the integer is in the low bits of the sum.
constexpr float kRoundMagic = 12582912.0f;  // 1.5 * 2^23

// Activations whose range is below this are all zero.
constexpr float kZeroRange = 0x1p-100f;

// exp: x = n*ln2 + r, |r| <= ln2/2; kLn2Hi has 10 bits, so that n*kLn2Hi is exact.
constexpr float kLargestFloat = 3.40282347e+38f;  // a range above, or NaN: the whole row is NaN
constexpr float kExpLow = -87.0f;           // below: exactly 0
constexpr float kExpHigh = 0x1.62e42ep+6f;  // above: +inf (88.7228394, the largest x with a finite exp)
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2Hi = 0x1.63p-1f;
constexpr float kLn2Lo = -0x1.bd0106p-13f;
// exp(r) = 1 + (r + (r*r) * (c0 + c1 r + ... + c4 r^4)), relative error 3.1e-9
constexpr float kExp[5] = {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.1239e2p-7f, 0x1.6a244ep-10f};

// 2^f on |f| <= 1/2, relative error 7.5e-8
constexpr float kExp2[6] = {0x1.000002p+0f, 0x1.62e428p-1f, 0x1.ebf918p-3f, 0x1.c6b6e6p-5f, 0x1.3d0c52p-7f, 0x1.5c08d2p-10f};

// The same for the weights of int8 attention, which are rounded to 14 bits: relative error 2.7e-6
constexpr float kExp2OfWeights[5] = {0x1.ffffe8p-1f, 0x1.62e0dcp-1f, 0x1.ec06dap-3f, 0x1.ca144p-5f, 0x1.3997d6p-7f};

// The same for the gates of cells that round their state to 8 bits: relative error 1.02e-4, exactly 1 at 0, |exponent| <= the cap
constexpr float kExp2OfGates[4] = {1.0f, 0x1.62f5fap-1f, 0x1.f00c4cp-3f, 0x1.c2a218p-5f};
constexpr float kExp2OfGatesCap = 30.0f;

// Phi(-a) = 2^-Q(a), a >= 0, Phi the normal distribution. Beyond kGeluCap the value is below the least normal number.
constexpr float kGeluQ[6] = {0x1.00002p+0f, 0x1.26abcap+0f, 0x1.d66278p-2f, 0x1.ad986cp-5f, -0x1.e129d6p-8f, 0x1.0c4342p-11f};
constexpr float kGeluCap = 11.4296875f;  // Q = 126.98

// Phi(x) - 1/2 = x*P(x*x) for |x| <= kGeluCoarseCap, where it is 1/2 exactly: for results that are rounded to 8 bits
constexpr float kGeluCoarseCap = 3.953125f;
constexpr float kGeluCoarseP[7] = {0x1.979746p-2f,  -0x1.094bb6p-4f,  0x1.2243ap-7f,  -0x1.b3e55cp-11f,
                                   0x1.a140bcp-15f, -0x1.c544aep-20f, 0x1.a5be24p-26f};

// tanh(x) = x + x*(s*P(s)), s = x*x, |x| < kTanhSmall, relative error 3.7e-8; elsewhere 1 - 2/(exp(2|x|) + 1)
constexpr float kTanhSmall = 0.55f;
constexpr float kTanhP[4] = {-0x1.555452p-2f, 0x1.10cef8p-3f, -0x1.af7cdap-5f, 0x1.0d505ep-6f};
constexpr float kTanhCap = 10.0f;  // tanh is 1 in fp32 from 9.02 on

// erf(x) = x*P(x*x) for |x| < kErfSmall, relative error 1.4e-9; elsewhere 1 - 2^-Q(|x|), relative error 3.5e-9
constexpr float kErfSmall = 0.75f;
constexpr float kErfP[6] = {0x1.20dd74p+0f, -0x1.81273ap-2f, 0x1.ce2ac8p-4f, -0x1.b7a892p-6f, 0x1.4f2c7cp-8f, -0x1.61de7ap-11f};
constexpr float kErfcQ[7] = {-0x1.675bfep-18f, 0x1.a0ceeep+0f, 0x1.d58068p-1f,  0x1.3764eep-3f,
                             -0x1.0f7b36p-5f,  0x1.32523ap-8f, -0x1.484144p-12f};
constexpr float kErfCap = 4.0f;  // erf is 1 in fp32 from 3.92 on

constexpr float kGeluTanhLinear = 0x1.988454p+0f;  // 2*sqrt(2/pi)
constexpr float kGeluTanhCubic = 0.044715f;
constexpr float kQuickGelu = 1.702f;
constexpr float kSeluAlpha = 1.67326319217681884765625f;
constexpr float kSeluGamma = 1.05070102214813232421875f;
constexpr float kMishCap = 20.0f;  // x > 20: mish(x) = x in fp32

// Quantization: the largest quantized magnitudes.
constexpr float kMaxQ8 = 127.0f;
constexpr float kMaxQa8 = 255.0f;
constexpr float kMaxQ16 = 16256.0f;  // 127 * 128: two signed digits
constexpr float kMaxQ13 = 4095.0f, kMaxQ12 = 2047.0f;  // activations and weights of kW12A13

constexpr int kLanes = 16;

}  // namespace
}  // namespace ert::kernels
