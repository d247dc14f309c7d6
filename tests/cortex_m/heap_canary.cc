// Asks for memory: no firmware image may link it (check.py expects the linker to name malloc).
#include <stdlib.h>

extern "C" int main() { return malloc(16) != nullptr; }
