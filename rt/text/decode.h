// Where decoded text goes.
#pragma once

#include "rt/text/buffer.h"

namespace ert::text {

// Counts what does not fit. Drops characters at both ends, as the Strip decoder does of the whole text.
class TextSink {
 public:
  TextSink(uint8_t* out, size_t capacity) : out_(out), capacity_(capacity) {}
  // Drops up to `start` times `what` at the beginning, up to `stop` times at the end.
  void strip(Bytes8 what, uint32_t start, uint32_t stop) {
    what_ = what, start_ = what.size == 0 ? 0 : start, stop_ = what.size == 0 ? 0 : stop;
  }
  void put(const uint8_t* p, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) put(p[i]);
  }
  bool empty() const { return bytes_ == 0; }
  size_t bytes() const { return bytes_; }
  void end() {
    if (matched_ != 0) flush_match();
    if (part_ == 0) bytes_ -= size_t{whole_ < stop_ ? whole_ : stop_} * what_.size;
  }

 private:
  void put(uint8_t byte) {
    if (start_ != 0) {
      if (byte == what_.data[matched_]) {
        if (++matched_ == what_.size) matched_ = 0, --start_;
        return;
      }
      flush_match();
    }
    write(byte);
  }
  void flush_match() {
    const uint32_t n = matched_;
    start_ = matched_ = 0;
    for (uint32_t i = 0; i < n; ++i) write(what_.data[i]);
  }
  void write(uint8_t byte) {
    if (bytes_ < capacity_) out_[bytes_] = byte;
    ++bytes_;
    if (stop_ != 0) follow(byte);
  }
  // Counts what may have to go at the end as it is written, since what does not fit cannot be read again. A character does not begin inside of itself.
  void follow(uint8_t byte) {
    if (byte != what_.data[part_]) whole_ = part_ = 0;
    if (byte == what_.data[part_] && ++part_ == what_.size) part_ = 0, ++whole_;
  }
  uint8_t* out_;
  size_t capacity_, bytes_ = 0;
  Bytes8 what_;
  uint32_t start_ = 0, stop_ = 0, matched_ = 0;
  uint32_t whole_ = 0, part_ = 0;  // of what_ at the end of the text: how often it stands there, and how many bytes of one more
};

}  // namespace ert::text
