// What lies in a blob or in the caller's working memory, at a place that is aligned for it: sections and parts of working memory begin at
// multiples of 8 bytes.
#pragma once

#include <type_traits>

namespace ert::text {

template <class T>
T* placed(std::conditional_t<std::is_const_v<T>, const void, void>* p) {
  return static_cast<T*>(p);
}

}  // namespace ert::text
