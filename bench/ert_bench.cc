// ert-bench: how fast blobs run on this machine. Usage and JSON schema: bench/README.md.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "bench/clock.h"
#include "bench/command_line.h"
#include "bench/plot.h"
#include "bench/report.h"
#include "bench/usable_cores.h"
#include "platform/posix/own_stack.h"

namespace ert::bench {
namespace {

struct Row {
  size_t blob;
  Dims dims;
  uint32_t threads;
};

// One line on a terminal, cut to its width and wiped out at the end; nothing elsewhere.
class Progress {
 public:
  void show(const std::string& text) {
    winsize size{};
    if (isatty(STDERR_FILENO) == 0 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return;
    const size_t width = size.ws_col == 0 ? 80 : size.ws_col;
    std::fprintf(stderr, "\r%s\x1b[K", text.substr(0, width - 1).c_str());
    shown_ = true;
  }
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r\x1b[K");
  }

 private:
  bool shown_ = false;
};

void warn(Report* r, const std::string& text) {
  std::fprintf(stderr, "ert-bench: warning: %s\n", text.c_str());
  r->warnings.push_back(text);
}

std::vector<Row> rows_of(const Report& r, const CommandLine& line) {
  std::vector<Row> rows;
  for (size_t blob = 0; blob < r.blobs.size(); ++blob) {
    const ert_model& m = r.blobs[blob]->model();
    std::vector<Dims> shapes;
    try {
      for (const Dims& given : line.shapes) shapes.push_back(complete_dims(m, given));
    } catch (const Failure& f) {
      throw Failure{f.exit_code, r.blobs.size() > 1 ? r.paths[blob] + ": " + f.message : f.message};
    }
    if (shapes.empty()) shapes.push_back(largest_dims(m));
    for (const Dims& dims : shapes)
      for (const uint32_t threads : line.threads) rows.push_back({blob, dims, threads});
  }
  return rows;
}

// All rows in turns, so that a machine that becomes slower for a while does so for all of them.
void measure_rows(const std::vector<Row>& rows, Report* r) {
  r->results.resize(rows.size());
  Progress progress;
  const uint32_t repetitions = r->options.repetitions;
  for (uint32_t turn = 0; turn < repetitions; ++turn) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      progress.show("ert-bench: " + std::to_string(turn * rows.size() + i + 1) + " of " +
                    std::to_string(repetitions * rows.size()) + ": " + r->paths[row.blob] + " " + dims_text(row.dims) +
                    ", threads " + std::to_string(row.threads));
      Options o = r->options;
      o.profile_runs = o.runs;
      o.threads = row.threads;
      o.runs = r->options.runs / repetitions + (turn < r->options.runs % repetitions ? 1 : 0);
      if (turn != 0) o.warmup = std::min(o.warmup, 1u), o.profile = false;
      Result one = measure(*r->blobs[row.blob], row.dims, o);
      one.blob = row.blob;
      add_repetition(&r->results[i], std::move(one));
    }
    r->clock_us.push_back(clock_loop_us());
  }
}

int compare_and_judge(const CommandLine& line, Report* r) {
  if (line.old_file.empty()) return 0;
  r->comparison = compare(line.old_file, r->paths, r->results, cpu_name(), compiler_name(),
                          *std::min_element(r->clock_us.begin(), r->clock_us.end()));
  for (const std::string& w : r->comparison->warnings) warn(r, w);
  if (line.fail_above < 0) return 0;
  const auto& rows = r->comparison->rows;
  const bool slower = std::any_of(
      rows.begin(), rows.end(), [&](const ComparedRow& x) { return 100 * x.change() > line.fail_above && x.change() > x.noise; });
  return slower ? 7 : 0;
}

// A full disk, or a reader that has gone: what was printed is not there.
void flush_output() {
  if (std::fflush(stdout) != 0) throw Failure{6, std::string("cannot write to standard output: ") + std::strerror(errno)};
  if (std::ferror(stdout) != 0) throw Failure{6, "cannot write to standard output"};
}

int run(int argc, char** argv) {
  CommandLine line;
  if (!read_command_line(argc, argv, &line)) {
    flush_output();
    return 0;
  }
  Report report;
  report.paths = line.blobs;
  report.options = line.options;
  report.options.threads = line.threads.front();
  const uint32_t most = *std::max_element(line.threads.begin(), line.threads.end());
  const std::string crowded = threads_warning(most, usable_cores());
  if (!crowded.empty()) warn(&report, crowded);
  for (const std::string& path : line.blobs) report.blobs.push_back(std::make_unique<Blob>(path));
  int code = 0;
  report.clock_us.push_back(clock_loop_us());
  if (!line.texts.file.empty()) {
    report.texts = measure_texts(*report.blobs.front(), line.texts, report.options);
  } else {
    const std::vector<Row> rows = rows_of(report, line);
    if (!line.plot.empty()) {
      std::vector<Dims> shapes;
      for (const Row& row : rows) shapes.push_back(row.dims);
      check_plot(line.plot, shapes);
    }
    if (!line.old_file.empty()) check_old(line.old_file);
    measure_rows(rows, &report);
    const std::string wandered = clock_warning(report.clock_us);
    if (!wandered.empty()) warn(&report, wandered);
    code = compare_and_judge(line, &report);
  }
  const bool markdown = line.format == "markdown";
  if (line.format == "json")
    print_json(report);
  else if (line.format == "csv")
    print_csv(report);
  else if (markdown)
    print_markdown(report);
  else
    print_table(report);
  if (report.comparison && (markdown || line.format == "table")) print_comparison(*report.comparison, markdown);
  if (report.comparison && line.format == "csv") std::fprintf(stderr, "ert-bench: %s\n", report.comparison->verdict().c_str());
  if (!line.plot.empty())
    write_plot(line.plot, report.paths, report.results, "ert-bench: latency on " + cpu_name(), result_table(report));
  flush_output();
  return code;
}

}  // namespace
}  // namespace ert::bench

// Measures, with what is thrown as a message and an exit code.
static int answer(int argc, char** argv) {
  try {
    return ert::bench::run(argc, argv);
  } catch (const ert::bench::Failure& f) {
    std::fprintf(stderr, "ert-bench: %s\n", f.message.c_str());
    return f.exit_code;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "ert-bench: out of memory\n");
    return 5;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ert-bench: internal error: %s\n", e.what());
    return 1;
  }
}

int main(int argc, char** argv) {
  int code = 0;
  if (ert_run_on_enough_stack(answer, argc, argv, &code)) return code;
  std::fprintf(stderr, "ert-bench: the stack (ulimit -s) is limited, and there is no memory for another one\n");
  return 5;
}
