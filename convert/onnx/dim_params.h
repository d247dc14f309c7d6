// The text of a symbolic dimension in a file: a name, digits, or (from dynamo exports) an expression such as "batch*sequence".
#pragma once

#include <optional>
#include <set>
#include <string>

#include "convert/ir/dim_expr.h"

namespace edgeconv {

bool is_plain_dim_name(const std::string& text);  // a letter or underscore, then letters, digits, '_', '.', ':'

// + - * / // % ( ) and floor, min, max, mod over integers and the given names; nullopt for anything else.
std::optional<DimExpr> parse_dim_expression(const std::string& text, const std::set<std::string>& names);

}  // namespace edgeconv
