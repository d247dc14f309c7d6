"""Which part of a transformer a function of a program belongs to: gemm, attention, rows (quantization, activations, norms, gates) or other."""
import re

PARTS = ("gemm", "attention", "rows", "other")
INT8_PRODUCTS = {"sdot", "udot", "usdot", "smmla", "ummla", "smull", "smull2", "smlal", "smlal2", "umull", "umlal", "sadalp"}
# Functions of the stripped onnxruntime 1.31.1 by their address in its frame table. ORT_KERNELS holds its assembler kernels of all kinds.
ORT_KERNELS = "f_10365c0"
ORT_PARTS = {"f_c01da0": "gemm", "f_c448c0": "gemm", "f_c43600": "gemm", "f_c00040": "attention",
             **dict.fromkeys(("f_c00900", "f_683200", "f_fd36c0", "f_e03640", "f_7e1f80", "f_c011e0", "f_7c55a0", "f_513f80"), "rows")}


def part_of(symbol, file, ops):
    """Which part of the model a block belongs to."""
    if file == "ert-bench":
        if re.search(r"Rows8::tile|half_panel_tiles|gemm_columns|gemm<|TileI8|gemm_f32_qa|_mmla", symbol):
            return "gemm"
        if re.search(r"[aA]ttention|(Four|Eight)Queries|sums16|softmax", symbol):
            return "attention"
        return "rows" if re.search(r"gelu|quantize|layernorm|RowScale|tanh|recurrent_row|lstm|gru", symbol) else "other"
    if "litert" in file:
        if re.search(r"qd8_f32|^label_|matmul|qp8", symbol):
            return "gemm"
        if re.search(r"xnn_f32_gemm|f32_igemm|raddstoreexp|xnn_f32_rmax|transpose|pack_f32|xnn_x32_pack|packw|dynamic_fully|batch_matrix", symbol):
            return "attention"
        return "rows" if re.search(r"^xnn_|kai_run_lhs|EvalHybrid", symbol) else "other"
    if symbol == ORT_KERNELS:
        return "attention" if "fmla" in ops and not ops & INT8_PRODUCTS else "gemm"
    return ORT_PARTS.get(symbol, "other")
