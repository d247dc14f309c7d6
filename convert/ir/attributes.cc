// See attributes.h.
#include "convert/ir/attributes.h"

#include "convert/ir/graph.h"

namespace edgeconv {

Attributes::Attributes() = default;
Attributes::Attributes(const Attributes&) = default;
Attributes::Attributes(Attributes&&) noexcept = default;
Attributes& Attributes::operator=(const Attributes&) = default;
Attributes& Attributes::operator=(Attributes&&) noexcept = default;
Attributes::~Attributes() = default;

bool Attributes::operator==(const Attributes& o) const {
  return static_cast<const AttributesVariant&>(*this) == static_cast<const AttributesVariant&>(o);
}

}  // namespace edgeconv
