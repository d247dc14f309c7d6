// Four times sixteen lanes that are computed side by side. The polynomials are long chains of dependent operations; four of
// them in step keep the pipelines busy where one after the other would wait. Include a lanes16_<isa>.h first.
#pragma once

namespace ert::kernels {
namespace {

struct Lanes4 {
  Lanes a, b, c, d;
};
struct Mask4 {
  Mask a, b, c, d;
};

// Compilers would otherwise finish one chain before the next.
ERT_LANES Lanes4 in_step(Lanes4 x) {
  order_together(&x.a, &x.b, &x.c, &x.d);
  return x;
}

ERT_LANES Lanes4 operator+(Lanes4 x, Lanes4 y) { return in_step({x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d}); }
ERT_LANES Lanes4 operator+(Lanes4 x, Lanes y) { return in_step({x.a + y, x.b + y, x.c + y, x.d + y}); }
ERT_LANES Lanes4 operator+(Lanes x, Lanes4 y) { return in_step({x + y.a, x + y.b, x + y.c, x + y.d}); }
ERT_LANES Lanes4 operator-(Lanes4 x, Lanes4 y) { return in_step({x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}); }
ERT_LANES Lanes4 operator-(Lanes4 x, Lanes y) { return in_step({x.a - y, x.b - y, x.c - y, x.d - y}); }
ERT_LANES Lanes4 operator-(Lanes x, Lanes4 y) { return in_step({x - y.a, x - y.b, x - y.c, x - y.d}); }
ERT_LANES Lanes4 operator*(Lanes4 x, Lanes4 y) { return in_step({x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d}); }
ERT_LANES Lanes4 operator*(Lanes4 x, Lanes y) { return in_step({x.a * y, x.b * y, x.c * y, x.d * y}); }
ERT_LANES Lanes4 larger(Lanes4 x, Lanes y) { return {larger(x.a, y), larger(x.b, y), larger(x.c, y), larger(x.d, y)}; }
ERT_LANES Lanes4 larger(Lanes x, Lanes4 y) { return {larger(x, y.a), larger(x, y.b), larger(x, y.c), larger(x, y.d)}; }
ERT_LANES Lanes4 smaller(Lanes x, Lanes4 y) { return {smaller(x, y.a), smaller(x, y.b), smaller(x, y.c), smaller(x, y.d)}; }
ERT_LANES Lanes4 absolute(Lanes4 x) { return {absolute(x.a), absolute(x.b), absolute(x.c), absolute(x.d)}; }
ERT_LANES Mask4 operator>=(Lanes4 x, Lanes y) { return {x.a >= y, x.b >= y, x.c >= y, x.d >= y}; }
ERT_LANES Lanes4 zero_unless(Mask4 m, Lanes4 x) {
  return {zero_unless(m.a, x.a), zero_unless(m.b, x.b), zero_unless(m.c, x.c), zero_unless(m.d, x.d)};
}
ERT_LANES Lanes4 operator/(Lanes4 x, Lanes4 y) { return in_step({x.a / y.a, x.b / y.b, x.c / y.c, x.d / y.d}); }
ERT_LANES Lanes4 operator/(Lanes x, Lanes4 y) { return in_step({x / y.a, x / y.b, x / y.c, x / y.d}); }
ERT_LANES Mask4 operator<(Lanes4 x, Lanes y) { return {x.a < y, x.b < y, x.c < y, x.d < y}; }
ERT_LANES Lanes4 zero_if(Mask4 m, Lanes4 x) {
  return {zero_if(m.a, x.a), zero_if(m.b, x.b), zero_if(m.c, x.c), zero_if(m.d, x.d)};
}
ERT_LANES Lanes4 select(Mask4 m, Lanes4 yes, Lanes4 no) {
  return {select(m.a, yes.a, no.a), select(m.b, yes.b, no.b), select(m.c, yes.c, no.c), select(m.d, yes.d, no.d)};
}
ERT_LANES Lanes4 select(Mask4 m, Lanes4 yes, Lanes no) { return select(m, yes, Lanes4{no, no, no, no}); }
ERT_LANES Lanes4 with_sign(Lanes4 magnitude, Lanes4 sign) {
  return {with_sign(magnitude.a, sign.a), with_sign(magnitude.b, sign.b), with_sign(magnitude.c, sign.c),
          with_sign(magnitude.d, sign.d)};
}
ERT_LANES Lanes4 times_power_of_two(Lanes4 y, Lanes4 z) {
  return {times_power_of_two(y.a, z.a), times_power_of_two(y.b, z.b), times_power_of_two(y.c, z.c), times_power_of_two(y.d, z.d)};
}

// Three times that: enough chains to keep four pipelines of latency 3 busy.
struct Lanes12 {
  Lanes4 a, b, c;
};
ERT_LANES Lanes12 operator+(Lanes12 x, Lanes12 y) { return {x.a + y.a, x.b + y.b, x.c + y.c}; }
ERT_LANES Lanes12 operator+(Lanes12 x, Lanes y) { return {x.a + y, x.b + y, x.c + y}; }
ERT_LANES Lanes12 operator-(Lanes12 x, Lanes12 y) { return {x.a - y.a, x.b - y.b, x.c - y.c}; }
ERT_LANES Lanes12 operator-(Lanes12 x, Lanes y) { return {x.a - y, x.b - y, x.c - y}; }
ERT_LANES Lanes12 operator-(Lanes x, Lanes12 y) { return {x - y.a, x - y.b, x - y.c}; }
ERT_LANES Lanes12 operator*(Lanes12 x, Lanes12 y) { return {x.a * y.a, x.b * y.b, x.c * y.c}; }
ERT_LANES Lanes12 operator*(Lanes12 x, Lanes y) { return {x.a * y, x.b * y, x.c * y}; }
ERT_LANES Lanes12 larger(Lanes12 x, Lanes y) { return {larger(x.a, y), larger(x.b, y), larger(x.c, y)}; }
ERT_LANES Lanes12 larger(Lanes x, Lanes12 y) { return {larger(x, y.a), larger(x, y.b), larger(x, y.c)}; }
ERT_LANES Lanes12 smaller(Lanes x, Lanes12 y) { return {smaller(x, y.a), smaller(x, y.b), smaller(x, y.c)}; }
ERT_LANES Lanes12 absolute(Lanes12 x) { return {absolute(x.a), absolute(x.b), absolute(x.c)}; }
ERT_LANES Lanes12 times_power_of_two(Lanes12 y, Lanes12 z) {
  return {times_power_of_two(y.a, z.a), times_power_of_two(y.b, z.b), times_power_of_two(y.c, z.c)};
}
ERT_LANES Lanes4 load4(const float* p) { return {load(p), load(p + 16), load(p + 32), load(p + 48)}; }
ERT_LANES void store4(float* p, Lanes4 x) {
  store(p, x.a);
  store(p + 16, x.b);
  store(p + 32, x.c);
  store(p + 48, x.d);
}

}  // namespace
}  // namespace ert::kernels
