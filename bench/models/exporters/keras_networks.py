#!/usr/bin/env python3
"""Networks of Keras, exported by tf2onnx into FOLDER: the layers that people use, with random weights.

usage: keras_networks.py FOLDER [NAME...]

More than 300 lines: a function for each network, and nothing else.

Not here, because tf2onnx leaves operators of TensorFlow in them, which ONNX Runtime refuses as well: exact GELU (its Erfc is converted all the same), convolutions with
groups, spectrogram layers.
"""

import os
import pathlib
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import needs

needs.packages("keras", "tensorflow", "tf2onnx")
import keras  # noqa: E402
import tensorflow as tf
import tf2onnx
from keras import layers as L

NETWORKS = {}


def network(make):
    NETWORKS[make.__name__] = make
    return make


def gelu(x):
    return keras.activations.gelu(x, approximate=True)


def seq(shape, *layers):
    return keras.Sequential([keras.Input(shape), *layers])


@network
def kws_conv1d():
    return seq(
        (49, 10),
        L.Conv1D(32, 5, activation="relu", padding="causal"),
        L.BatchNormalization(),
        L.Conv1D(32, 3, dilation_rate=2, padding="same", activation="swish"),
        L.MaxPooling1D(2),
        L.GlobalAveragePooling1D(),
        L.Dense(12, activation="softmax"),
    )


@network
def emb_bilstm_mask():
    i = keras.Input((None,), dtype="int32")
    x = L.Embedding(200, 32, mask_zero=True)(i)
    x = L.Bidirectional(L.LSTM(24, return_sequences=True))(x)
    x = L.LSTM(16)(x)
    return keras.Model(i, L.Dense(4, activation="softmax")(x))


@network
def emb_bigru_nomask():
    i = keras.Input((40,), dtype="int32")
    x = L.Embedding(200, 32)(i)
    x = L.Bidirectional(L.GRU(24, return_sequences=True))(x)
    return keras.Model(i, L.TimeDistributed(L.Dense(5, activation="softmax"))(x))


@network
def gru_reset_before():
    return seq((30, 8), L.GRU(16, reset_after=False, return_sequences=True), L.GRU(12, reset_after=True), L.Dense(1))


@network
def lstm_masking():
    return seq((30, 8), L.Masking(0.0), L.LSTM(20, return_sequences=True), L.LSTM(10, go_backwards=True), L.Dense(3))


@network
def simple_rnn():
    return seq((30, 8), L.SimpleRNN(16, return_sequences=True), L.SimpleRNN(8, activation="relu"), L.Dense(2))


@network
def convlstm():
    return seq((6, 12, 12, 2), L.ConvLSTM2D(4, 3, padding="same"), L.Flatten(), L.Dense(3))


@network
def convlstm1d():
    return seq((6, 24, 2), L.ConvLSTM1D(4, 3, padding="same", return_sequences=True), L.GlobalAveragePooling2D(), L.Dense(3))


@network
def transformer():
    i = keras.Input((None,), dtype="int32")
    x = L.Embedding(300, 32)(i)
    for _ in range(2):
        a = L.MultiHeadAttention(4, 8)(x, x)
        x = L.LayerNormalization(epsilon=1e-6)(x + a)
        f = L.Dense(64, activation=gelu)(x)
        f = L.Dense(32)(f)
        x = L.LayerNormalization()(x + f)
    return keras.Model(i, L.Dense(5)(L.GlobalAveragePooling1D()(x)))


@network
def transformer_causal():
    i = keras.Input((24,), dtype="int32")
    x = L.Embedding(300, 32)(i) + L.Embedding(24, 32)(keras.ops.arange(24))
    a = L.MultiHeadAttention(4, 8)(x, x, use_causal_mask=True)
    x = L.LayerNormalization()(x + a)
    return keras.Model(i, L.Dense(300)(x))


@network
def gqa():
    i = keras.Input((20, 32))
    a = L.GroupQueryAttention(8, 8, 2)(i, i)
    return keras.Model(i, L.Dense(3)(L.RMSNormalization()(a)))


@network
def separable():
    return seq(
        (32, 32, 3),
        L.SeparableConv2D(16, 3, activation="relu"),
        L.DepthwiseConv2D(3, depth_multiplier=2, strides=2, padding="same"),
        L.BatchNormalization(),
        L.ReLU(6.0),
        L.Conv2D(24, 1),
        L.GlobalMaxPooling2D(),
        L.Dense(10),
    )


@network
def unet_like():
    i = keras.Input((32, 32, 1))
    a = L.Conv2D(8, 3, padding="same", activation="relu")(i)
    b = L.MaxPooling2D()(a)
    b = L.Conv2D(16, 3, padding="same", activation="elu")(b)
    u = L.Conv2DTranspose(8, 3, strides=2, padding="same")(b)
    u2 = L.UpSampling2D(2, interpolation="bilinear")(b)
    x = L.Concatenate()([a, u, u2])
    return keras.Model(i, L.Conv2D(1, 1, activation="sigmoid")(x))


@network
def acts():
    i = keras.Input((16,))
    x = L.Dense(24)(i)
    return keras.Model(
        i,
        [
            L.PReLU()(x),
            L.ELU()(x),
            L.Activation("selu")(x),
            L.Activation("hard_sigmoid")(x),
            L.Activation("softplus")(x),
            L.Activation("mish")(x),
            L.Activation("hard_silu")(x),
            L.LeakyReLU()(x),
            L.Activation("log_softmax")(x),
            L.Activation("exponential")(x),
        ],
    )


@network
def norms():
    i = keras.Input((16, 16, 8))
    return keras.Model(i, [L.GroupNormalization(4)(i), L.LayerNormalization()(i), L.UnitNormalization()(i), L.LayerNormalization(axis=[1, 2, 3])(i)])


@network
def conv3d():
    return seq((8, 16, 16, 2), L.Conv3D(4, 3, padding="same", activation="relu"), L.MaxPooling3D(2), L.Flatten(), L.Dense(2))


@network
def additive_attention():
    q = keras.Input((5, 16))
    v = keras.Input((9, 16))
    return keras.Model([q, v], [L.AdditiveAttention()([q, v]), L.Attention(use_scale=True)([q, v])])


@network
def mobilenetv3():
    return keras.applications.MobileNetV3Small((64, 64, 3), weights=None, classes=10)


@network
def efficientnet():
    return keras.applications.EfficientNetB0(input_shape=(64, 64, 3), weights=None, classes=10)


@network
def resnet50v2():
    return keras.applications.ResNet50V2(input_shape=(64, 64, 3), weights=None, classes=10)


@network
def wavenet():
    i = keras.Input((200, 1))
    x = L.Conv1D(16, 2, padding="causal")(i)
    s = 0
    for d in (1, 2, 4, 8):
        a = L.Conv1D(16, 2, dilation_rate=d, padding="causal", activation="tanh")(x)
        b = L.Conv1D(16, 2, dilation_rate=d, padding="causal", activation="sigmoid")(x)
        z = L.Conv1D(16, 1)(a * b)
        s = s + z
        x = x + z
    return keras.Model(i, L.Conv1D(8, 1, activation="softmax")(L.ReLU()(s)))


@network
def tcn():
    return seq(
        (None, 1),
        *[L.Conv1D(16, 3, padding="causal", dilation_rate=d, activation="relu") for d in (1, 2, 4, 8)],
        L.Dense(1),
    )


@network
def waveform_m5():
    def block(filters, width, **options):
        return [L.Conv1D(filters, width, **options), L.BatchNormalization(), L.ReLU()]

    return seq((16000, 1), *block(32, 80, strides=16), L.MaxPooling1D(4), *block(32, 3), L.GlobalAveragePooling1D(), L.Dense(35))


@network
def mobilenetv2_transfer():
    body = keras.applications.MobileNetV2((96, 96, 3), alpha=0.35, weights=None, include_top=False)
    return seq((96, 96, 3), L.Rescaling(1 / 127.5, offset=-1), body, L.GlobalAveragePooling2D(), L.Dense(2))


@network
def highway_charcnn():
    i = keras.Input((6, 12), dtype="int32")
    e = L.Embedding(60, 8)(i)
    c = L.TimeDistributed(L.Conv1D(16, 3, activation="relu"))(e)
    p = L.TimeDistributed(L.GlobalMaxPooling1D())(c)
    h = L.Dense(16, activation="relu")(p)
    t = L.Dense(16, activation="sigmoid")(p)
    y = t * h + (1 - t) * p
    return keras.Model(i, L.Bidirectional(L.LSTM(8, return_sequences=True))(y))


@network
def crnn():
    i = keras.Input((32, 100, 1))
    x = L.Conv2D(16, 3, padding="same", activation="relu")(i)
    x = L.MaxPooling2D((2, 2))(x)
    x = L.Conv2D(32, 3, padding="same", activation="relu")(x)
    x = L.MaxPooling2D((2, 2))(x)
    x = L.Permute((2, 1, 3))(x)
    x = L.Reshape((25, 8 * 32))(x)
    x = L.Bidirectional(L.LSTM(16, return_sequences=True))(x)
    return keras.Model(i, L.Dense(11, activation="softmax")(x))


@network
def resize_pre():
    return seq((48, 64, 3), L.Rescaling(1 / 127.5, offset=-1), L.Resizing(32, 32), L.Conv2D(8, 3, strides=2), L.Flatten(), L.Dense(3))


@network
def normalization():
    n = L.Normalization(mean=[1.0, 2.0, 3.0, 4.0], variance=[1.0, 4.0, 9.0, 16.0])
    return seq((4,), n, L.Dense(8, activation="tanh"), L.Dropout(0.5), L.Dense(1))


@network
def einsum_dense():
    return seq(
        (10, 16),
        L.EinsumDense("abc,cd->abd", output_shape=(None, 24), bias_axes="d", activation=gelu),
        L.EinsumDense("abc,cde->abde", output_shape=(None, 4, 6)),
    )


@network
def stacked_cells():
    return seq((12, 6), L.RNN([L.LSTMCell(8), L.GRUCell(6)], return_sequences=True))


@network
def padding_and_pooling():
    return seq(
        (20, 6),
        L.ZeroPadding1D(2),
        L.Cropping1D((1, 0)),
        L.Conv1D(8, 4, strides=2),
        L.AveragePooling1D(3, padding="same"),
        L.UpSampling1D(2),
        L.Flatten(),
        L.RepeatVector(3),
        L.LSTM(5, return_sequences=True),
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NETWORKS:
        keras.utils.set_random_seed(1)
        model = NETWORKS[name]()
        for v in model.weights:  # as training leaves them: not what their initializers make
            if "moving_variance" in v.path:
                v.assign(tf.random.uniform(v.shape, 0.5, 2.0))
            elif "moving_mean" in v.path or "beta" in v.path:
                v.assign(tf.random.normal(v.shape) * 0.2)
        spec = [tf.TensorSpec([None, *i.shape[1:]], i.dtype, name=f"in{k}") for k, i in enumerate(model.inputs)]
        function = tf.function(lambda *a: model(list(a) if len(a) > 1 else a[0], training=False), input_signature=spec)
        tf2onnx.convert.from_function(function, input_signature=spec, opset=17, output_path=str(folder / f"keras_{name}.onnx"))
        print(f"keras_{name}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
