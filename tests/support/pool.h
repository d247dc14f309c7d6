// A thread pool of platform/posix with the storage that it lives in.
#pragma once

#include <gtest/gtest.h>

#include "platform/posix/thread_pool.h"
#include "tests/support/blob_builder.h"

namespace ert::testing {

class Pool {
 public:
  explicit Pool(uint32_t threads) : storage_(ert_thread_pool_bytes(threads)) {
    EXPECT_EQ(ert_thread_pool_init(&pool_, storage_.data(), storage_.size(), threads), 0);
  }
  ~Pool() { ert_thread_pool_shutdown(pool_); }
  ert_thread_pool* get() { return pool_; }

 private:
  AlignedBytes storage_;
  ert_thread_pool* pool_ = nullptr;
};

}  // namespace ert::testing
