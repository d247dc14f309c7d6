"""Bytes of real files, Arabic text, and molecules as graphs."""
import glob
import os

import numpy as np

ARABIC = (
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا وضميرا.",
    "ذهب الولد إلى المدرسة صباحا وعاد مساء إلى البيت.",
    "العلم نور والجهل ظلام.",
    "كتب الطالب الدرس على السبورة ثم قرأه بصوت عال أمام زملائه.",
    "هل تعرف أين تقع أقرب محطة قطار من هنا؟",
    "سافرت العائلة إلى القاهرة في الصيف الماضي لزيارة الأهرامات والمتحف.",
)

# Atoms, and bonds (from, to, order); hydrogens are left out as usual.
MOLECULES = {
    "ethanol": ("CCO", ((0, 1, 1), (1, 2, 1))),
    "benzene": ("CCCCCC", ((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 4, 4), (4, 5, 4), (5, 0, 4))),
    "acetic acid": ("CCOO", ((0, 1, 1), (1, 2, 2), (1, 3, 1))),
    "ethyl acetate": ("CCOOCC", ((0, 1, 1), (1, 2, 2), (1, 3, 1), (3, 4, 1), (4, 5, 1))),
    "aspirin": ("CCOOCCCCCCCOO", ((0, 1, 1), (1, 2, 2), (1, 3, 1), (3, 4, 1), (4, 5, 4), (5, 6, 4), (6, 7, 4), (7, 8, 4), (8, 9, 4), (9, 4, 4),
                                  (9, 10, 1), (10, 11, 2), (10, 12, 1))),
    "caffeine": ("CNCNCCCONCONCC", ((0, 1, 1), (1, 2, 4), (2, 3, 4), (3, 4, 4), (4, 5, 4), (5, 1, 4), (5, 6, 1), (6, 7, 2), (6, 8, 1), (8, 9, 1),
                                    (9, 10, 2), (9, 11, 1), (11, 4, 1), (11, 12, 1), (8, 13, 1))),
    "paracetamol": ("CCONCCCCCCO", ((0, 1, 1), (1, 2, 2), (1, 3, 1), (3, 4, 1), (4, 5, 4), (5, 6, 4), (6, 7, 4), (7, 8, 4), (8, 9, 4), (9, 4, 4),
                                    (7, 10, 1))),
    "chlorobenzene": ("CCCCCCL", ((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 4, 4), (4, 5, 4), (5, 0, 4), (0, 6, 1))),
}
# L is chlorine: one letter an atom.
NUMBER = {"C": 6, "N": 7, "O": 8, "L": 17}
VALENCE = {"C": 4, "N": 3, "O": 2, "L": 1}
BOND_VALENCE = {1: 1.0, 2: 2.0, 3: 3.0, 4: 1.5}
ESTERIFICATION = (("acetic acid", "ethanol"), ("ethyl acetate",))
REACTIONS = (ESTERIFICATION, (("benzene",), ("chlorobenzene",)), (("aspirin", "ethanol"), ("aspirin",)), (("paracetamol",), ("paracetamol",)),
             (("caffeine", "acetic acid"), ("caffeine", "ethyl acetate")))


def file_contents(folders, count, kinds):
    """Whole files of different kinds, the first ones by name in each folder."""
    found = []
    for folder in folders:
        for kind in kinds:
            paths = sorted(glob.glob(os.path.join(folder, "**", "*" + kind), recursive=True))
            for path in paths[:2]:
                with open(path, "rb") as file:
                    found.append(file.read(1 << 20))
    return found[:count]


def begin_and_end(content, begin=1024, end=1024, padding=256, block=4096):
    """What magika looks at: stripped first and last bytes, padded by a value that no byte has."""
    head = content[:block].lstrip()[:begin]
    tail = content[-block:].rstrip()[-end:]
    row = np.full(begin + end, padding, np.int32)
    row[:len(head)] = np.frombuffer(head, np.uint8)
    if tail:
        row[begin + end - len(tail):] = np.frombuffer(tail, np.uint8)
    return row


def distances(count, bonds):
    """Bonds on the shortest way between atoms; -1 where there is none."""
    far = np.full((count, count), 1 << 20, np.int64)
    np.fill_diagonal(far, 0)
    for a, b, _ in bonds:
        far[a, b] = far[b, a] = 1
    for k in range(count):
        far = np.minimum(far, far[:, k:k + 1] + far[k:k + 1])
    return np.where(far >= 1 << 20, -1, far)


def neighbors(atoms, bonds):
    """Neighbours with hydrogens, and hydrogens alone."""
    used, heavy = np.zeros(len(atoms)), np.zeros(len(atoms), np.int64)
    for a, b, order in bonds:
        for atom in (a, b):
            used[atom] += BOND_VALENCE[order]
            heavy[atom] += 1
    hydrogens = np.array([max(0, VALENCE[s] - int(round(u))) for s, u in zip(atoms, used)])
    return heavy + hydrogens, hydrogens


def reaction(sides):
    """A reaction as atom mapping models take it: a leading token, atomic number + 2, neighbours + 2, distance + 2 up to 12, roles."""
    atoms, near, roles, blocks = [1], [0], [1], []
    for role, names in zip((2, 3), sides):
        for name in names:
            symbols, bonds = MOLECULES[name]
            atoms += [NUMBER[s] + 2 for s in symbols]
            near += list(neighbors(symbols, bonds)[0] + 2)
            roles += [role] * len(symbols)
            blocks.append(distances(len(symbols), bonds))
    table = np.ones((len(atoms), len(atoms)), np.int64)
    start = 1
    for block in blocks:
        size = len(block)
        table[start:start + size, start:start + size] = np.where(block < 0, 1, np.minimum(block + 2, 12))
        start += size
    return {"atoms": np.array([atoms], np.int64), "neighbors": np.array([near], np.int64), "distances": table[None],
            "roles": np.array([roles], np.int64)}


def molecule_graph(names):
    """Molecules as one graph with the features of graphium: floats, one-hot groups, spectral and random-walk positions of the real graph."""
    parts = {key: [] for key in ("feat", "edge_feat", "edge_index", "laplacian_eigvec", "laplacian_eigval", "rw_return_probs", "batch")}
    offset = 0
    for graph, name in enumerate(names):
        symbols, bonds = MOLECULES[name]
        count = len(symbols)
        adjacency = (distances(count, bonds) == 1).astype(np.float64)
        ring = ring_atoms(adjacency)
        degree, hydrogens = adjacency.sum(1), neighbors(symbols, bonds)[1]
        feat = np.zeros((count, 85), np.float32)
        aromatic = {a for x, y, order in bonds if order == 4 for a in (x, y)}
        for i, symbol in enumerate(symbols):
            feat[i, :5] = degree[i], 0, 0, i in aromatic, ring[i]
            # One-hot groups of 45 elements, 19 groups of the periodic table, 8 periods and 8 valences.
            feat[i, 5 + NUMBER[symbol] % 44] = feat[i, 50 + {"C": 13, "N": 14, "O": 15, "L": 16}[symbol]] = 1
            feat[i, 69 + (2 if symbol == "L" else 1)] = feat[i, 77 + min(7, int(degree[i] + hydrogens[i]))] = 1
        values, vectors = np.linalg.eigh(np.diag(degree) - adjacency)
        kept = min(8, count)
        eigval, eigvec = np.zeros((count, 8), np.float32), np.zeros((count, 8), np.float32)
        eigval[:, :kept], eigvec[:, :kept] = values[:kept], vectors[:, :kept]
        walk = adjacency / np.maximum(degree, 1)[:, None]
        step, probabilities = np.eye(count), np.zeros((count, 16), np.float32)
        for k in range(16):
            step = step @ walk
            probabilities[:, k] = np.diag(step)
        edges, edge_feat = [], []
        for a, b, order in bonds:
            row = np.zeros(13, np.float32)
            row[{1: 0, 2: 1, 3: 2, 4: 3}[order]] = row[5] = 1
            row[12] = ring[a] and ring[b]
            edges += [(a + offset, b + offset), (b + offset, a + offset)]
            edge_feat += [row, row]
        for key, value in (("feat", feat), ("edge_feat", np.array(edge_feat)), ("edge_index", np.array(edges, np.int64).T), ("laplacian_eigvec", eigvec),
                           ("laplacian_eigval", eigval), ("rw_return_probs", probabilities), ("batch", np.full(count, graph, np.int64))):
            parts[key].append(value)
        offset += count
    feed = {key: np.concatenate(value, 1 if key == "edge_index" else 0) for key, value in parts.items()}
    return {**feed, "graph_slots": np.zeros(len(names), np.float32)}


def ring_atoms(adjacency):
    """Atoms that stay when atoms with at most one neighbour are taken away again and again."""
    left = np.ones(len(adjacency), bool)
    while True:
        ends = left & ((adjacency * left).sum(1) <= 1)
        if not ends.any():
            return left
        left &= ~ends
