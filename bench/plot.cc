// See plot.h. Marks have <title>s, which browsers show under the pointer.
#include "bench/plot.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

namespace ert::bench {
namespace {

constexpr double kWidth = 900, kHeight = 480, kLeft = 80, kRight = 20, kTop = 56, kBottom = 60, kKeyLine = 18;
// Told apart by people who see colours differently, too (Okabe and Ito); each line has its own mark in the key besides.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"};

bool ends_with(const std::string& s, const std::string& end) {
  return s.size() > end.size() && s.compare(s.size() - end.size(), end.size(), end) == 0;
}

std::string escaped(const std::string& text) {
  std::string s;
  for (const char c : text) {
    if (c == '<')
      s += "&lt;";
    else if (c == '>')
      s += "&gt;";
    else if (c == '&')
      s += "&amp;";
    else if (c == '"')
      s += "&quot;";
    else
      s += static_cast<unsigned char>(c) < 32 ? '?' : c;
  }
  return s;
}

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", v);
  return text;
}

// "12 us", "3.4 ms", "1.2 s".
std::string time_text(double us) {
  return us < 1000 ? number(us) + " us" : us < 1e6 ? number(us / 1000) + " ms" : number(us / 1e6) + " s";
}

struct Axis {
  double least, most, from, to;  // values, and where they stand
  bool logarithmic;
  double at(double v) const {
    const double share = logarithmic ? std::log(v / least) / std::log(most / least) : (v - least) / (most - least);
    return from + (to - from) * share;
  }
};

// 1, 2, 5 of each power of ten within the axis; on linear axes about six round steps.
std::vector<double> ticks(const Axis& a) {
  std::vector<double> t;
  if (a.logarithmic) {
    for (double power = std::pow(10, std::floor(std::log10(a.least))); power <= a.most; power *= 10)
      for (const double digit : {1.0, 2.0, 5.0})
        if (digit * power >= a.least * 0.999 && digit * power <= a.most * 1.001) t.push_back(digit * power);
    return t;
  }
  const double rough = (a.most - a.least) / 6, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
  for (double v = std::ceil(a.least / step) * step; v <= a.most * 1.0001; v += step) t.push_back(v);
  return t;
}

struct Line {
  std::string name;
  std::vector<const Result*> points;  // by size
};

std::string widest_dim(const std::vector<std::map<std::string, int32_t>>& shapes) {
  std::map<std::string, std::set<int32_t>> sizes;
  for (const auto& shape : shapes)
    for (const auto& [name, size] : shape) sizes[name].insert(size);
  std::string best;
  size_t most = 1;
  for (const auto& [name, seen] : sizes)
    if (seen.size() > most) most = seen.size(), best = name;
  if (best.empty()) throw Failure{2, "--plot: no dim has two sizes; give several, such as --shape batch=1,sequence=16:32:64:128"};
  return best;
}

std::vector<Line> lines_of(const std::vector<std::string>& blobs, const std::vector<Result>& results, const std::string& dim) {
  std::vector<Line> lines;
  for (const Result& r : results) {
    if (r.dims.count(dim) == 0 || !(r.p50_us > 0)) continue;
    std::string name = blobs.size() > 1 ? blobs[r.blob].substr(blobs[r.blob].find_last_of('/') + 1) + ", " : "";
    for (const auto& [other, size] : r.dims)
      if (other != dim) name += other + "=" + std::to_string(size) + ", ";
    name += std::to_string(r.threads) + (r.threads == 1 ? " thread" : " threads");
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.name == name; });
    if (line == lines.end()) line = lines.insert(lines.end(), {name, {}});
    line->points.push_back(&r);
  }
  for (Line& l : lines)
    std::stable_sort(l.points.begin(), l.points.end(),
                     [&](const Result* a, const Result* b) { return a->dims.at(dim) < b->dims.at(dim); });
  return lines;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + escaped(text) + "</text>\n";
}

std::string axes_of(const Axis& x, const Axis& y, const std::set<int32_t>& sizes, const std::string& dim, double bottom) {
  std::string s = "<g fill=\"none\" stroke=\"#999\" stroke-width=\"0.5\">\n";
  for (const double v : ticks(y))
    s += "<path d=\"M" + number(kLeft) + " " + number(y.at(v)) + "H" + number(kWidth - kRight) + "\"/>\n";
  s += "<path stroke-width=\"1\" d=\"M" + number(kLeft) + " " + number(kTop) + "V" + number(bottom) + "H" +
       number(kWidth - kRight) + "\"/>\n</g>\n";
  for (const double v : ticks(y)) s += text_at(kLeft - 8, y.at(v) + 4, "end", time_text(v));
  double last = -100;
  for (const int32_t size : sizes) {  // the sizes that were measured, as far as they have room
    if (x.at(size) - last < 40) continue;
    last = x.at(size);
    s += text_at(last, bottom + 18, "middle", std::to_string(size));
  }
  s += text_at((kLeft + kWidth - kRight) / 2, bottom + 40, "middle", dim + (x.logarithmic ? " (logarithmic)" : ""));
  return s + text_at(kLeft, kTop - 10, "start", std::string("median of a run") + (y.logarithmic ? " (logarithmic)" : ""));
}

std::string picture(const std::vector<Line>& lines, const std::string& dim, const std::string& title) {
  std::set<int32_t> sizes;
  double least = 0, most = 0;
  for (const Line& l : lines)
    for (const Result* r : l.points) {
      sizes.insert(r->dims.at(dim));
      least = most == 0 ? r->p50_us : std::min(least, r->p50_us), most = std::max(most, r->p50_us);
    }
  const double low = *sizes.begin(), high = *sizes.rbegin(), bottom = kHeight - kBottom;
  const bool logarithmic = high >= 8 * low;
  const Axis x = {low, high, kLeft + 20, kWidth - kRight - 20, logarithmic};
  const Axis y = {logarithmic ? least / 1.2 : 0, most * (logarithmic ? 1.2 : 1.05), bottom, kTop, logarithmic};
  const double height = kHeight + kKeyLine * static_cast<double>(lines.size());
  std::string s = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) + " " + number(height) +
                  "\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n<title>" + escaped(title) +
                  "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + text_at(kLeft, 18, "start", title) +
                  axes_of(x, y, sizes, dim, bottom);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string colour = kColours[i % (sizeof kColours / sizeof *kColours)];
    std::string path, marks;
    for (const Result* r : lines[i].points) {
      const std::string at_x = number(x.at(r->dims.at(dim))), at_y = number(y.at(r->p50_us));
      path += (path.empty() ? "M" : "L") + at_x + " " + at_y;
      marks += "<circle cx=\"" + at_x + "\" cy=\"" + at_y + "\" r=\"4\" fill=\"" + colour + "\"><title>" +
               escaped(lines[i].name + ", " + dim + "=" + std::to_string(r->dims.at(dim)) + ": " + time_text(r->p50_us)) +
               "</title></circle>\n";
    }
    const double key = kHeight + kKeyLine * static_cast<double>(i);
    const std::string dashes = i < 7 ? "" : " stroke-dasharray=\"6 3\"";
    s += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"2\"" + dashes + "/>\n" + marks +
         "<path d=\"M" + number(kLeft) + " " + number(key) + "h24\" stroke=\"" + colour + "\" stroke-width=\"3\"" + dashes +
         "/>\n" + text_at(kLeft + 32, key + 4, "start", lines[i].name);
  }
  return s + "</svg>\n";
}

std::string page(const std::string& svg, const std::string& title, const std::vector<std::vector<std::string>>& table) {
  std::string s =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>" +
      escaped(title) +
      "</title>\n<style>body{font-family:sans-serif;margin:1em auto;max-width:1000px;padding:0 "
      "1em}svg{max-width:100%}div{overflow-x:auto}"
      "table{border-collapse:collapse;font-size:14px}td,th{padding:2px 8px;text-align:right;border-bottom:1px solid "
      "#ddd;white-space:nowrap}</style>\n" +
      svg + "<div><table>\n";
  for (size_t row = 0; row < table.size(); ++row) {
    s += "<tr>";
    for (const std::string& cell : table[row])
      s += row == 0 ? "<th>" + escaped(cell) + "</th>" : "<td>" + escaped(cell) + "</td>";
    s += "</tr>\n";
  }
  return s + "</table></div>\n</html>\n";
}

}  // namespace

void check_plot(const std::string& path, const std::vector<std::map<std::string, int32_t>>& shapes) {
  if (!ends_with(path, ".svg") && !ends_with(path, ".html"))
    throw Failure{
        2, "--plot '" + path + "': the name says what is written: FILE.svg a picture, FILE.html a page with picture and table"};
  widest_dim(shapes);
  const size_t slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK) != 0)
    throw Failure{6, "--plot '" + path + "': the folder '" + folder + "' cannot be written to: " + std::strerror(errno)};
}

void write_plot(const std::string& path, const std::vector<std::string>& blobs, const std::vector<Result>& results,
                const std::string& title, const std::vector<std::vector<std::string>>& table) {
  std::vector<std::map<std::string, int32_t>> shapes;
  for (const Result& r : results) shapes.push_back(r.dims);
  const std::string dim = widest_dim(shapes);
  const std::vector<Line> lines = lines_of(blobs, results, dim);
  if (lines.empty()) throw Failure{2, "--plot: every run is shorter than the clock can tell; give larger --shape"};
  const std::string svg = picture(lines, dim, title);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << (ends_with(path, ".svg") ? svg : page(svg, title, table));
  out.close();
  if (!out) throw Failure{6, "--plot " + path + ": " + std::strerror(errno)};
}

}  // namespace ert::bench
