// The converter's version, as it stands in blobs and in --version. CMakeLists.txt reads it here: packages and libraries have the same.
#pragma once

namespace edgeconv {
constexpr const char* kVersion = "0.2.0";
}
