// See pictures.h.
#include "convert/inputs/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace edgeconv {

namespace {

constexpr uint64_t kKinds = 5, kFromScreens = 3;  // one picture in three is from a screen, or made by a program
constexpr size_t kMostTinted = 4;                 // colours with a tint of their own; more are those again
constexpr int64_t kWithMargins = 4;               // one picture in so many
constexpr float kMiddle = 0.455f;                 // what people who normalize pad with: their zero
constexpr int64_t kLineHeight = 64;  // pictures up to it, or this many times as wide as high, are one line of writing
constexpr int64_t kWideAsLine = 3;
constexpr int64_t kLeastGlyph = 6;
constexpr int64_t kCoarsest = 64;  // cells of a texture, in pixels

// Capitals, digits and small letters as lines between places of three columns and five rows, a to o from left to right and from top to bottom.
constexpr const char* kLetters[] = {
    "mdbfo gi", "amnlhg abfh", "cbdjno",  "amnlfba",  "camo gh", "cam gh",    "cbdjnoih", "am co gi",  "bn",
    "clnj",     "am cg go",    "amo",     "mahco",    "maoc",    "bdjnlfb",   "mabfhg",   "mabfhg ho", "cbdhlnm",
    "ac bn",    "ajnlc",       "anc",     "amhoc",    "ao cm",   "ahc hn",    "acmo",     "dbn",       "dbfhmo",
    "acghlnm",  "nbgi",        "caghlnm", "cbdjnlhg", "acn",     "bdhlnjhfb", "ihgdbfln", "ihjno",     "jlihjno",
    "hn be",    "gm jhlo",     "hjnlh",   "gm jhi",   "ihjlnm",  "bno gi",    "gjnlo li", "co lhjnl"};

using Colour = std::array<float, kMostTinted>;

struct Box {
  int64_t top, left, bottom, right;
  int64_t height() const { return bottom - top; }
  int64_t width() const { return right - left; }
};

struct Point {
  float y, x;
};

class Canvas {
 public:
  Canvas(int64_t height, int64_t width, int64_t colours, Random& random)
      : height_(height),
        width_(width),
        colours_(colours),
        random_(random),
        pixels_(static_cast<size_t>(height * width * colours)) {}

  Box all() const { return {0, 0, height_, width_}; }
  std::vector<float> take() { return std::move(pixels_); }

  // Areas of all sizes, the small ones last, each shaded; and a texture over all of them.
  void scene(const Box& box) {
    const Colour ground = colour(0, 1);
    fill(box, ground, 0.6f * (random_.uniform() - 0.5f));
    const int64_t areas = 4 + random_.below(28);
    const auto most = static_cast<float>(std::max(box.height(), box.width()));
    for (int64_t a = 0; a < areas; ++a) {
      const float part = static_cast<float>(areas - a) / static_cast<float>(areas);
      const float size = most * (0.02f + 0.4f * part * part * random_.uniform());
      area(box, {size * (0.3f + random_.uniform()), size * (0.3f + random_.uniform())});
    }
    texture(box, random_.below(3) ? 0.08f : 0.3f);
  }

  // Lines of words, in one ink or, as in captchas, in many.
  void writing(const Box& box, bool one_line) {
    const bool inverse = random_.below(5) == 0, many_inks = random_.below(4) == 0;
    const Colour paper = inverse ? colour(0, 0.3f) : colour(0.75f, 1);
    fill(box, paper, 0.1f * (random_.uniform() - 0.5f));
    Colour ink = inverse ? colour(0.7f, 1) : colour(0, 0.35f);
    const auto high = static_cast<float>(box.height());
    float glyph = one_line ? high * (0.45f + 0.4f * random_.uniform()) : high / (9 + 25 * random_.uniform());
    glyph = std::max(glyph, static_cast<float>(kLeastGlyph));
    const float pitch = one_line ? high : glyph * (1.3f + 0.5f * random_.uniform());
    for (float y = one_line ? (high - glyph) / 2 : glyph; y + glyph <= high; y += pitch) {
      float x = glyph * (0.2f + random_.uniform());
      // A word may be shorter than the room that there is for it, and so is the last line of a paragraph.
      const bool full = random_.below(one_line ? 2 : 3) != 0;
      const float end = static_cast<float>(box.width()) * (full ? 1.0f : 0.3f + 0.6f * random_.uniform());
      while (x + glyph * 0.8f < end) {
        const float width = glyph * (0.35f + 0.35f * random_.uniform());
        if (many_inks) ink = colour(0, 0.6f);
        if (random_.below(6))
          letter(box, {y + static_cast<float>(box.top), x + static_cast<float>(box.left)}, {glyph, width}, ink);
        x += width + glyph * 0.15f;
      }
    }
    const int64_t rules = many_inks ? 3 : random_.below(3) ? 0 : 2 + random_.below(5);
    for (int64_t r = 0; r < rules; ++r) {
      Point from = anywhere(box), to = anywhere(box);
      if (!many_inks) (r % 2 ? to.y = from.y : to.x = from.x);
      if (many_inks) ink = colour(0.2f, 0.8f);  // no two draws in one call: compilers differ in their order
      stroke(box, from, to, 1 + random_.uniform(), ink);
    }
  }

  // A sign in a scene: a box of writing.
  void sign() {
    scene(all());
    const int64_t signs = 1 + random_.below(3);
    for (int64_t s = 0; s < signs; ++s) {
      const int64_t high = std::max<int64_t>(1, height_ / 12 + random_.below(height_ / 4 + 1)),
                    wide = std::max<int64_t>(1, width_ / 4 + random_.below(width_ / 2 + 1));
      const int64_t top = random_.below(std::max<int64_t>(1, height_ - high)),
                    left = random_.below(std::max<int64_t>(1, width_ - wide));
      writing({top, left, std::min(height_, top + high), std::min(width_, left + wide)}, random_.below(2) == 0);
    }
  }

  void page() {
    writing(all(), false);
    if (random_.below(2) == 0) return;
    const int64_t top = height_ / 4 + random_.below(height_ / 2 + 1), left = random_.below(width_ / 3 + 1);
    scene({top, left, std::min(height_, top + height_ / 4 + 1), std::min(width_, left + width_ / 2 + 1)});
  }

  // Lenses blur, exposures differ, sensors are noisy.
  void photograph() {
    if (random_.below(4)) soften();
    const bool dark = random_.below(6) == 0;
    const float gain = dark ? 0.3f : 0.7f + 0.3f * random_.uniform(), offset = dark ? 0 : (1 - gain) * random_.uniform();
    const float noise = random_.below(3) ? 0.02f : 0.08f;
    for (float& v : pixels_) v = std::clamp(gain * v + offset + noise * (random_.uniform() + random_.uniform() - 1), 0.0f, 1.0f);
  }

  // What is too small for the network gets margins of one colour: lines of text behind their end, other pictures on any side.
  void margins(bool line) {
    const float paint = random_.below(2) ? 0 : kMiddle;
    const bool across = line || random_.below(2) == 0, at_both_ends = !line && random_.below(2) == 0;
    const int64_t all = across ? width_ : height_,
                  blank = static_cast<int64_t>(static_cast<float>(all) * (0.1f + 0.5f * random_.uniform()));
    const int64_t before = at_both_ends ? blank / 2 : 0, end = all - blank + before;
    for (int64_t c = 0; c < colours_; ++c)
      for (int64_t y = 0; y < height_; ++y)
        for (int64_t x = 0; x < width_; ++x)
          if (const int64_t i = across ? x : y; i < before || i >= end) at(c, y, x) = paint;
  }

  // Areas of one colour stay so, and no error averages out in them.
  void screen() {
    for (float& v : pixels_) v = std::clamp(v, 0.0f, 1.0f);
  }

 private:
  float& at(int64_t colour, int64_t y, int64_t x) { return pixels_[static_cast<size_t>((colour * height_ + y) * width_ + x)]; }

  // Grey more or less.
  Colour colour(float darkest, float brightest) {
    const float light = darkest + (brightest - darkest) * random_.uniform(), tint = random_.below(3) ? 0.1f : 0.4f;
    Colour c;
    for (float& v : c) v = std::clamp(light + tint * (random_.uniform() - 0.5f) * 2, 0.0f, 1.0f);
    return c;
  }
  Point anywhere(const Box& b) {
    return {static_cast<float>(b.top) + static_cast<float>(b.height()) * random_.uniform(),
            static_cast<float>(b.left) + static_cast<float>(b.width()) * random_.uniform()};
  }
  void mix(int64_t y, int64_t x, const Colour& colour, float cover, float shade = 0) {
    for (int64_t c = 0; c < colours_; ++c) {
      float& v = at(c, y, x);
      v += cover * (colour[static_cast<size_t>(c) % kMostTinted] + shade - v);
    }
  }
  void fill(const Box& b, const Colour& colour, float slope) {
    for (int64_t y = b.top; y < b.bottom; ++y)
      for (int64_t x = b.left; x < b.right; ++x)
        mix(y, x, colour, 1, slope * (static_cast<float>(y - b.top) / static_cast<float>(b.height()) - 0.5f));
  }

  // A rectangle or an ellipse of these half sizes, brighter to one side.
  void area(const Box& b, Point half) {
    const Point centre = anywhere(b);
    const Colour paint = colour(0, 1);
    const bool round = random_.below(2) == 0;
    const float down = 0.5f * (random_.uniform() - 0.5f), right = 0.5f * (random_.uniform() - 0.5f);
    const auto from = [](float a, int64_t least) { return std::max(least, static_cast<int64_t>(a)); };
    const int64_t bottom = std::min(b.bottom, static_cast<int64_t>(centre.y + half.y) + 1),
                  end = std::min(b.right, static_cast<int64_t>(centre.x + half.x) + 1);
    for (int64_t y = from(centre.y - half.y, b.top); y < bottom; ++y)
      for (int64_t x = from(centre.x - half.x, b.left); x < end; ++x) {
        const float dy = (static_cast<float>(y) - centre.y) / half.y, dx = (static_cast<float>(x) - centre.x) / half.x;
        if (!round || dy * dy + dx * dx <= 1) mix(y, x, paint, 1, down * dy + right * dx);
      }
  }

  // Noise in cells of many sizes, the coarse ones strong, as in nature.
  void texture(const Box& b, float strength) {
    for (int64_t cell = 2; cell <= kCoarsest && cell <= 2 * b.height() && cell <= 2 * b.width(); cell *= 2) {
      const int64_t across = b.width() / cell + 2, down = b.height() / cell + 2;
      std::vector<float> grid(static_cast<size_t>(across * down));
      for (float& v : grid) v = random_.uniform() - 0.5f;
      const float weight = strength * std::sqrt(static_cast<float>(cell) / kCoarsest);
      for (int64_t y = b.top; y < b.bottom; ++y)
        for (int64_t x = b.left; x < b.right; ++x) {
          const int64_t gy = (y - b.top) / cell, gx = (x - b.left) / cell;
          const float fy = static_cast<float>((y - b.top) % cell) / static_cast<float>(cell),
                      fx = static_cast<float>((x - b.left) % cell) / static_cast<float>(cell);
          const float* g = grid.data() + gy * across + gx;
          const float v = (g[0] * (1 - fx) + g[1] * fx) * (1 - fy) + (g[across] * (1 - fx) + g[across + 1] * fx) * fy;
          for (int64_t c = 0; c < colours_; ++c) at(c, y, x) += weight * v;
        }
    }
  }

  // Two of three are letters that networks know. The others are strokes between nine places, straight or bent, with the ends and bows of letters.
  void letter(const Box& b, Point top_left, Point size, const Colour& ink) {
    const float thick = std::max(1.0f, size.y * (0.07f + 0.1f * random_.uniform()));
    if (random_.below(3)) {
      const char* form = kLetters[random_.below(std::ssize(kLetters))];
      const auto point = [&](char c) {
        return Point{top_left.y + static_cast<float>((c - 'a') / 3) / 4 * size.y,
                     top_left.x + static_cast<float>((c - 'a') % 3) / 2 * size.x};
      };
      for (; form[0] && form[1]; ++form)
        if (form[0] != ' ' && form[1] != ' ') stroke(b, point(form[0]), point(form[1]), thick, ink);
      return;
    }
    const auto place = [&] {
      const float row = static_cast<float>(random_.below(3)) / 2, column = static_cast<float>(random_.below(3)) / 2;
      return Point{top_left.y + row * size.y, top_left.x + column * size.x};
    };
    const int64_t strokes = 2 + random_.below(3);
    Point last = place();
    for (int64_t s = 0; s < strokes; ++s) {
      const Point begin = random_.below(3) ? last : place(), end = place();
      if (random_.below(2)) {
        stroke(b, begin, end, thick, ink);
      } else {
        const Point pull = place();
        constexpr int kPieces = 5;
        Point before = begin;
        for (int i = 1; i <= kPieces; ++i) {
          const float t = static_cast<float>(i) / kPieces, u = 1 - t;
          const Point next = {u * u * begin.y + 2 * u * t * pull.y + t * t * end.y,
                              u * u * begin.x + 2 * u * t * pull.x + t * t * end.x};
          stroke(b, before, next, thick, ink);
          before = next;
        }
      }
      last = end;
    }
  }
  void stroke(const Box& b, Point from, Point to, float thick, const Colour& ink) {
    const float reach = thick / 2 + 1;
    const int64_t top = std::max(b.top, static_cast<int64_t>(std::min(from.y, to.y) - reach)),
                  bottom = std::min(b.bottom, static_cast<int64_t>(std::max(from.y, to.y) + reach) + 1),
                  left = std::max(b.left, static_cast<int64_t>(std::min(from.x, to.x) - reach)),
                  right = std::min(b.right, static_cast<int64_t>(std::max(from.x, to.x) + reach) + 1);
    const float dy = to.y - from.y, dx = to.x - from.x, length2 = dy * dy + dx * dx;
    for (int64_t y = top; y < bottom; ++y)
      for (int64_t x = left; x < right; ++x) {
        const float py = static_cast<float>(y) - from.y, px = static_cast<float>(x) - from.x;
        const float t = length2 > 0 ? std::clamp((py * dy + px * dx) / length2, 0.0f, 1.0f) : 0;
        const float ey = py - t * dy, ex = px - t * dx;
        const float cover = std::clamp(0.5f + thick / 2 - std::sqrt(ey * ey + ex * ex), 0.0f, 1.0f);
        if (cover > 0) mix(y, x, ink, cover);
      }
  }

  // One, two, one, along both axes.
  void soften() {
    const auto smooth = [](float* v, int64_t count, int64_t stride) {
      float before = v[0];
      for (int64_t i = 0; i < count; ++i) {
        const float own = v[i * stride], after = v[std::min(i + 1, count - 1) * stride];
        v[i * stride] = 0.25f * (before + after) + 0.5f * own;
        before = own;
      }
    };
    for (int64_t c = 0; c < colours_; ++c) {
      for (int64_t y = 0; y < height_; ++y) smooth(&at(c, y, 0), width_, 1);
      for (int64_t x = 0; x < width_; ++x) smooth(&at(c, 0, x), height_, width_);
    }
  }

  int64_t height_, width_, colours_;
  Random& random_;
  std::vector<float> pixels_;
};

}  // namespace

std::vector<float> picture(int64_t height, int64_t width, int64_t colours, uint64_t number, Random& random) {
  Canvas canvas(height, width, colours, random);
  const bool line = height <= kLineHeight || width >= kWideAsLine * height;
  switch (number % kKinds) {
    case 0:
    case 3: canvas.scene(canvas.all()); break;
    case 1: line ? canvas.writing(canvas.all(), true) : canvas.page(); break;
    default: line ? canvas.writing(canvas.all(), true) : canvas.sign(); break;
  }
  number % kFromScreens == 1 ? canvas.screen() : canvas.photograph();
  if (random.below(kWithMargins) == 0) canvas.margins(line);
  return canvas.take();
}

}  // namespace edgeconv
