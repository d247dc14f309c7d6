"""The list of functions that add an operator to a random graph; graph_ops.py has all of them."""

OPS = []


def op(f):
    OPS.append(f)
    return f


def is_float(v):
    return v.is_float()


def is_number(v):
    return v.is_float() or v.is_int()
