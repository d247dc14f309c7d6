// Nothing: the target that owns the precompiled header of the converter's tests needs a source.
