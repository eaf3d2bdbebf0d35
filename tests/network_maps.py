"""network_maps.py MAKE|CHECK ... - a tiny network and pictures for network_maps.sh, and its answers by their definitions.

    network_maps.py make FOLDER     FOLDER/tiny.onnx and FOLDER/data/images
    network_maps.py check FOLDER MAPS KIND ORDER MEAN SCALE
                                    compares FOLDER/MAPS/NAME.npy with what the network says of FOLDER/data/images; KIND is
                                    probability, logits, both (the outputs mask and odds), softmax0 or softmax1

The network: a convolution of 3 x 3 at every second pixel to one channel (odds), its logistic function (mask), and the same with
its negative half as two channels (labels)."""
import pathlib
import sys

import cv2
import numpy as np

WIDTH, HEIGHT = 24, 16  # of the network's input
SIZES = {"small": (13, 9), "large": (61, 47), "tall": (10, 40)}


def weights():
    r = np.random.default_rng(7)
    return r.normal(0, 0.5, (1, 3, 3, 3)).astype(np.float32), np.float32([0.3])


def make(folder):
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    kernel, bias = weights()
    two = np.float32([1, -0.5]).reshape(2, 1, 1, 1)
    nodes = [helper.make_node("Conv", ["x", "kernel", "bias"], ["odds"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
             helper.make_node("Sigmoid", ["odds"], ["mask"]),
             helper.make_node("Conv", ["odds", "two"], ["labels"], kernel_shape=[1, 1])]
    shape = [HEIGHT // 2, WIDTH // 2]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, n, *shape])
               for name, n in (("mask", 1), ("odds", 1), ("labels", 2))]
    graph = helper.make_graph(nodes, "tiny", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, HEIGHT, WIDTH])], outputs,
                              [numpy_helper.from_array(a, name) for a, name in ((kernel, "kernel"), (bias, "bias"), (two, "two"))])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=6), str(folder / "tiny.onnx"))
    images = folder / "data" / "images"
    images.mkdir(parents=True)
    r = np.random.default_rng(1)
    for name, (width, height) in SIZES.items():
        rough = r.integers(0, 256, (height // 3 + 2, width // 3 + 2, 3)).astype(np.uint8)
        cv2.imwrite(str(images / f"{name}.png"), cv2.resize(rough, (width, height), interpolation=cv2.INTER_LINEAR))


def share(factor, i, j):
    """How much of pixel j is in pixel i of a row that is factor times shorter, but for a common factor."""
    return max(0.0, 1 - abs((i + 0.5) * factor - 0.5 - j) / max(factor, 1))


def resized(plane, wanted):
    """Along the first axis."""
    factor = len(plane) / wanted
    rows = []
    for i in range(wanted):
        w = [share(factor, i, j) for j in range(len(plane))]
        rows.append(sum(w[j] * plane[j] for j in range(len(plane))) / sum(w))
    return np.array(rows)


def resize(plane, width, height):
    return resized(resized(plane, height).T, width).T


def odds_of_network(x):
    kernel, bias = weights()
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    return np.array([[(padded[:, 2 * i:2 * i + 3, 2 * j:2 * j + 3] * kernel[0]).sum() + bias[0] for j in range(WIDTH // 2)]
                     for i in range(HEIGHT // 2)])


def expected(path, kind, order, mean, scale):
    picture = cv2.imread(str(path)).astype(np.float64)[:, :, ::-1]
    height, width = picture.shape[:2]
    colours = picture if order == "rgb" else picture[:, :, ::-1]
    x = np.stack([(resize(colours[:, :, c], WIDTH, HEIGHT) - mean[c]) / scale[c] for c in range(3)]).astype(np.float32)
    odds = odds_of_network(x)
    grown = resize(odds, width, height)
    p = np.clip(resize(1 / (1 + np.exp(-odds)), width, height), 1e-4, 1 - 1e-4)
    if kind == "logits":
        return grown
    if kind == "both":
        both = resize(1 / (1 + np.exp(-1 * odds)), width, height)
        return np.stack([both, grown], -1)
    if kind.startswith("softmax"):  # labels are odds and -odds / 2
        return 1.5 * grown if kind == "softmax0" else -1.5 * grown
    return np.log(p / (1 - p))


def check(folder, maps, kind, order, mean, scale):
    mean, scale = [[float(word) for word in text.split(",")] for text in (mean, scale)]
    for name in SIZES:
        found = np.load(folder / maps / f"{name}.npy")
        want = expected(folder / "data" / "images" / f"{name}.png", kind, order, mean, scale)
        assert found.dtype == np.float32 and found.shape == want.shape, (name, found.dtype, found.shape, want.shape)
        worst = np.abs(found - want).max()
        assert worst < 1e-3, f"{maps}/{name}: {worst} off"
        assert want.std() > 0.01, "answers that say nothing"


if __name__ == "__main__":
    (make if sys.argv[1] == "make" else check)(pathlib.Path(sys.argv[2]), *sys.argv[3:])
