"""TensorFlow 1's hyperparameters and the other things around a model that compute nothing: modes, logs, summaries."""

from __future__ import annotations


class HParams:
    """Named settings (`tf.contrib.training.HParams`), each an attribute.

    As in TensorFlow, assigning to a name that was never added makes an attribute that `values` does not tell of.
    """

    _hparam_types: dict[str, tuple[type, bool]]

    def __init__(self, **settings: object) -> None:
        self._hparam_types = {}
        for name, value in settings.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: object) -> None:
        """Add a setting; a list or tuple has one type and at least one member."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"the hyperparameter {name} exists already")
        if isinstance(value, list | tuple):
            if not value:
                raise ValueError(f"the hyperparameter {name} has no values")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def values(self) -> dict[str, object]:
        """Every setting that was added."""
        return {name: getattr(self, name) for name in self._hparam_types}


class ModeKeys:
    """The modes of a model (`tf.contrib.learn.ModeKeys`)."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


def ignored(*_: object, **__: object) -> None:
    """A message, or a summary for a chart: the values that it is given were computed, and are dropped."""
