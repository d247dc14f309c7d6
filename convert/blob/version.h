// The converter's version, as it stands in blobs and in --version.
#pragma once

namespace edgeconv {
constexpr const char* kVersion = "0.1.0";
}
