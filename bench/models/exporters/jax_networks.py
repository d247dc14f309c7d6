#!/usr/bin/env python3
"""Networks of JAX and Flax, exported by jax2onnx into FOLDER.

usage: jax_networks.py FOLDER"""

import pathlib
import sys

import needs

needs.packages("jax", "numpy", "onnx", "flax", "jax2onnx")
import jax  # noqa: E402
import jax.numpy as jnp
import numpy as np
import onnx
from flax import nnx
from jax2onnx import to_onnx


class Mlp(nnx.Module):
    def __init__(self, r):
        self.a, self.n, self.b = nnx.Linear(12, 32, rngs=r), nnx.LayerNorm(32, rngs=r), nnx.Linear(32, 4, rngs=r)

    def __call__(self, x):
        return nnx.softmax(self.b(nnx.gelu(self.n(self.a(x)))))


class Encoder(nnx.Module):
    def __init__(self, r):
        self.a, self.n = nnx.MultiHeadAttention(4, 32, decode=False, rngs=r), nnx.LayerNorm(32, rngs=r)
        self.f, self.g = nnx.Linear(32, 64, rngs=r), nnx.Linear(64, 32, rngs=r)

    def __call__(self, x):
        x = self.n(x + self.a(x))
        return x + self.g(nnx.gelu(self.f(x)))


def activations(x):
    y = jnp.tanh(x) + jax.nn.elu(x) * jax.nn.softplus(x) + jax.nn.leaky_relu(x) - jax.nn.log_sigmoid(x)
    return y + jnp.where(x > 0, x**2, jnp.sin(x))


def heads(x):
    w = np.random.default_rng(0).standard_normal((6, 4, 5)).astype(np.float32)
    return jnp.einsum("btd,dhk->bhtk", x, w)


def scan(x):
    def step(c, u):
        c = jnp.tanh(c * 0.5 + u)
        return c, c

    return jnp.swapaxes(jax.lax.scan(step, jnp.zeros((x.shape[0], 8)), jnp.swapaxes(x, 0, 1))[1], 0, 1)


def fori_loop(x):
    return jax.lax.fori_loop(0, 5, lambda i, c: jnp.tanh(c + 0.1 * i), x)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, network, shape in [
        ("mlp", Mlp(nnx.Rngs(0)), ("B", 12)),
        ("encoder", Encoder(nnx.Rngs(0)), ("B", 16, 32)),
        ("activations", activations, ("B", 24)),
        ("heads", heads, ("B", 10, 6)),
        ("scan", scan, ("B", 12, 8)),
        ("fori_loop", fori_loop, ("B", 12, 8)),
    ]:
        onnx.save(to_onnx(network, inputs=[shape], model_name=name), str(folder / f"jax_{name}.onnx"))
        print(f"jax_{name}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
