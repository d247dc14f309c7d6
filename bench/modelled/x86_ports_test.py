"""x86_ports_test.py LIBRARY: how x86_ports.py finds loops, and what its ports allow. LIBRARY: the kernels of this build."""
import sys
import unittest

import x86_ports

# Two innermost loops of one tile within a loop; the second has one product less.
TEXT = ["0 pxor %xmm0,%xmm0", "4 vpmaddubsw %ymm2,%ymm1,%ymm2", "8 vpmaddubsw %ymm3,%ymm1,%ymm3", "c vpaddw %ymm2,%ymm3,%ymm2", "10 vpmaddwd %ymm2,%ymm0,%ymm2",
        "14 tzcnt %r8,%rcx", "18 jne 4 <tile+0x4>", "1c vpmaddubsw %ymm2,%ymm1,%ymm2", "20 vpmaddwd 0x10(%rip),%ymm0,%ymm2        # 40 <ones>", "24 jne 1c <tile+0x1c>",
        "28 jmp 0 <tile>", "2c ret "]
BODY = [(int(address, 16), op, operands) for address, op, operands in (line.split(" ", 2) for line in TEXT)]
BODIES = [("gemm_a.cc.o", "void (anonymous namespace)::tile<2>(", BODY)]


def has_tiles():
    """False where the build has no x86 kernels of their own objects."""
    return len(sys.argv) > 1 and {tile[0] for level in x86_ports.TILES.values() for tile in level.values()} <= {
        member.split(".")[0] for member, _, _ in x86_ports.functions("objdump", sys.argv[1])}


class Loops(unittest.TestCase):
    def test_of_a_tiles_innermost_loops_the_one_that_is_asked(self):
        short = x86_ports.tile_loop(BODIES, "gemm_a", "::tile<2>(", "bytes", 0)
        self.assertEqual([address for address, _, _ in short], [0x4, 0x8, 0xc, 0x10, 0x14, 0x18])
        self.assertEqual(x86_ports.macs_of(short, x86_ports.PRODUCTS["bytes"]), 64)
        self.assertEqual(x86_ports.tile_loop(BODIES, "gemm_a", "::tile<2>(", "bytes", -1)[0][0], 0x1c)

    def test_a_renamed_tile_is_named(self):
        with self.assertRaisesRegex(SystemExit, "gemm_a has no function ::tile<3>"):
            x86_ports.tile_loop(BODIES, "gemm_a", "::tile<3>(", "bytes", 0)

    def test_a_library_that_is_not_built_is_named_with_the_command(self):
        with self.assertRaisesRegex(SystemExit, "there is no /nosuch.a: `cmake --preset release"):
            x86_ports.main("/nosuch.a")

    def test_text_for_llvm_mca(self):
        text = x86_ports.assembly(BODY[5:10])
        self.assertIn("bsf %r8,%rcx\njne .Lloop\n", text)
        self.assertIn("vpmaddwd 0x10(%rip),%ymm0,%ymm2\n", text)

    def test_library_has_the_tiles(self):
        if not has_tiles():
            self.skipTest("no objects of the AVX2 and SSE4.1 GEMMs in this build")
        bodies = list(x86_ports.functions("objdump", sys.argv[1]))
        for tiles in x86_ports.TILES.values():
            for tile in tiles.values():
                x86_ports.tile_loop(bodies, *tile)


class Cycles(unittest.TestCase):
    def test_ports_allow_what_their_most_asked_set_can(self):
        loop = [(0, "vpmaddubsw", "")] * 4 + [(0, "pmaddwd", "")] * 2 + [(0, "vpaddd", "")] * 3
        self.assertEqual(x86_ports.by_ports(loop, 9, {"pmadd": "01", "padd": "015"}), 3)  # 6 on two, 9 on three
        self.assertEqual(x86_ports.by_ports(loop, 9, {"pmadd": "0", "padd": "015"}), 6)
        self.assertEqual(x86_ports.by_ports(loop, 2, {"pmadd": "01", "padd": "015"}), 4.5)  # the width

    def test_ratio_above_1_says_bytes_are_faster(self):
        rows = {"haswell": {"two": (2.0, 1.0), "one": (4.0, None), "pmaddwd": (4.0, 3.0)}}
        self.assertEqual(x86_ports.table("avx2", rows).splitlines()[2], "| haswell | 2.00 (1.00) | 4.00 | 4.00 (3.00) | 2.00 (3.00) | 1.00 |")

    def test_llvm_mca_counts_a_loop(self):
        command, _ = x86_ports.mca_tool()
        if command is None:
            self.skipTest("llvm-mca is missing (Debian: llvm-19)")
        loop = [(0, "vpmaddubsw", f"%ymm1,%ymm2,%ymm{n}") for n in range(3, 9)]
        self.assertAlmostEqual(x86_ports.by_llvm(command, loop, "haswell"), 6, delta=.2)  # one port
        self.assertAlmostEqual(x86_ports.by_llvm(command, loop, "skylake"), 3, delta=.2)  # two


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
