#!/usr/bin/env python3
"""Pipelines of scikit-learn, trained on made-up numbers and exported by skl2onnx without ZipMap into FOLDER.

usage: sklearn_pipelines.py FOLDER"""

import pathlib
import sys

import needs

needs.packages("numpy", "sklearn", "skl2onnx")
import numpy as np  # noqa: E402
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from skl2onnx import to_onnx

PIPELINES = {
    "mlp": make_pipeline(StandardScaler(), MLPClassifier(hidden_layer_sizes=(24, 16), max_iter=200)),
    "mlp_tanh": MLPClassifier(hidden_layer_sizes=(8,), activation="tanh", max_iter=200),
    "mlp_pca": make_pipeline(StandardScaler(), PCA(6), MLPClassifier(hidden_layer_sizes=(16,), max_iter=200)),
    "mlp_regressor": make_pipeline(MinMaxScaler(), MLPRegressor(hidden_layer_sizes=(32,), max_iter=200)),
    "kmeans": KMeans(4, n_init=2),
    "naive_bayes": GaussianNB(),
    "logistic_regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(5),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    np.random.seed(0)
    x = np.random.standard_normal((300, 12)).astype(np.float32)
    classes, number = np.digitize(x[:, 0] + x[:, 1] ** 2, [0.5, 1.5]), x[:, 0] * 2 + np.sin(x[:, 1])
    for name, pipeline in PIPELINES.items():
        pipeline.fit(x, number if "regressor" in name else classes)
        options = {id(pipeline): {"zipmap": False}} if hasattr(pipeline, "predict_proba") else None
        model = to_onnx(pipeline, x[:1], options=options, target_opset=17)
        (folder / f"sklearn_{name}.onnx").write_bytes(model.SerializeToString())
        print(f"sklearn_{name}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
