"""The TensorFlow calls of mid-2017 (1.2) that the pinned tensor2tensor files make, over NumPy and run at once.

Wrong use raises what TensorFlow raises (ValueError, TypeError); a call that is not served is an error that names it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from atlas.upstream.facade import Facade, Modules, State
from atlas.upstream.standard_modules import standard_modules
from atlas.upstream.tensorflow_arrays import Arrays
from atlas.upstream.tensorflow_functions import Functions
from atlas.upstream.tensorflow_layers import Layers
from atlas.upstream.tensorflow_math import Mathematics
from atlas.upstream.tensorflow_scopes import Scopes, ones_initializer, random_normal_initializer, zeros_initializer
from atlas.upstream.tensorflow_tensor import INT32, Conversion, TensorFlowTensor
from atlas.upstream.tensorflow_training import HParams, ModeKeys, ignored

_NETWORKS = ("relu", "softmax", "softmax_cross_entropy_with_logits")
"""The functions that are in `tf.nn` alone."""


def device(name: str | None) -> AbstractContextManager[None]:
    """Where something is computed: on the only device that there is."""
    if name:
        raise ValueError(f"there is no device {name} here")
    return nullcontext()


def _serve(state: State) -> Modules:
    convert = Conversion(state.dtype)
    scopes, arrays, mathematics = Scopes(state, convert), Arrays(convert), Mathematics(convert)
    layers, functions = Layers(convert, scopes, arrays, mathematics), Functions(convert)
    networks = {name: getattr(mathematics, name) for name in _NETWORKS}
    return {
        **standard_modules(),
        "tensorflow": {
            **_public(arrays),
            **{name: call for name, call in _public(mathematics).items() if name not in networks},
            "constant": convert.constant,
            "device": device,
            "float32": state.dtype,
            "get_variable": scopes.get_variable,
            "get_variable_scope": scopes.get_variable_scope,
            "gradients": functions.gradients,
            "int32": INT32,
            "name_scope": scopes.name_scope,
            "ones_initializer": ones_initializer,
            "random_normal_initializer": random_normal_initializer,
            "variable_scope": scopes.variable_scope,
            "zeros_initializer": zeros_initializer,
        },
        "tensorflow.contrib.learn": {"ModeKeys": ModeKeys},
        "tensorflow.contrib.training": {"HParams": HParams},
        "tensorflow.layers": {"conv2d": layers.conv2d},
        "tensorflow.logging": {"info": ignored, "warning": ignored},
        "tensorflow.nn": {**networks, "dropout": layers.dropout},
        "tensorflow.python.framework.function": {"Defun": functions.defun},
        "tensorflow.summary": {"histogram": ignored, "image": ignored},
    }


def _public(calls: object) -> dict[str, object]:
    """The methods of an object that are called as functions of one name."""
    return {name: getattr(calls, name) for name in dir(calls) if not name.startswith("_")}


TENSORFLOW = Facade(name="tensorflow", is_for_whole_files=False, serve=_serve, tensor=TensorFlowTensor)
