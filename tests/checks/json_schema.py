"""The part of JSON Schema that the documents of this repository use."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value, name):
    if name in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if name == "integer" else (int, float))
    return isinstance(value, TYPES[name])


def errors(value, schema, path="$"):
    """What is wrong with `value`, a line each."""
    unknown = set(schema) - {"$schema", "title", "description", "type", "properties", "required", "additionalProperties",
                             "items", "enum", "const", "minimum"}
    found = [f"{path}: the checker does not know {sorted(unknown)}"] if unknown else []
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(has_type(value, t) for t in types):
        return found + [f"{path}: {value!r} is not {' or '.join(types)}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is not one of {schema['enum']}")
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{path}: {value!r} is below {schema['minimum']}")
    if isinstance(value, list):
        for i, item in enumerate(value):
            found += errors(item, schema.get("items", {}), f"{path}[{i}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{path}: '{key}' is missing" for key in schema.get("required", []) if key not in value]
        rest = schema.get("additionalProperties", {})
        for key, item in value.items():
            if key in known:
                found += errors(item, known[key], f"{path}.{key}")
            elif rest is False:
                found.append(f"{path}: '{key}' is not in the schema: describe it there")
            else:
                found += errors(item, rest, f"{path}.{key}")
    return found
