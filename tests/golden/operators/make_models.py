"""Makes models.json: what tiny random models of the transformers library compute, with their weights.

Run by hand, never by the tests, in an environment that has torch, transformers 5.24.0 and nothing of this project:

    python make_models.py > models.json

The models are GPT-2, Mixtral and ResNet with bottlenecks, in float64, evaluated, and with every parameter and running
statistic drawn anew. Weights are stored in the layouts of the operators, so that tests only join operators.
"""

# ruff: noqa: T201  # a script that writes its result to the standard output
from __future__ import annotations

import json
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]  # only where the file is made anew
import transformers  # type: ignore[import-not-found, unused-ignore]

SEED = 20260524
TOKENS = [[3, 0, 6, 2, 2], [5, 5, 1, 4, 0]]


def main() -> None:
    """Write weights, inputs and outputs."""
    torch.manual_seed(SEED)
    made = {"made by": "make_models.py", "torch": torch.__version__, "transformers": transformers.__version__}
    models = {"gpt2": gpt2(), "mixtral": mixtral(), "resnet": resnet()}
    print(json.dumps(plain(made | {"seed": SEED, "models": models}), indent=None).replace('"models":', '\n"models":'))


def plain(value: Any) -> Any:
    """Tensors as lists."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value.tolist() if isinstance(value, torch.Tensor) else value


def randomized(model: Any) -> Any:
    """The model in float64 with all that it holds drawn anew, rounded so that the file stays small."""
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.round(torch.randn_like(parameter) / 2, decimals=3))
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.copy_(torch.round(torch.randn_like(buffer), decimals=3))
            if name.endswith("running_var"):
                buffer.copy_(torch.round(torch.rand_like(buffer) + 0.5, decimals=3))
    return model


def outputs(model: Any, given: Any) -> dict[str, Any]:
    """The hidden states, before the first layer and after each, and the logits."""
    with torch.no_grad():
        found = model(given, output_hidden_states=True)
    return {"input": given, "states": found.hidden_states, "logits": found.logits}


def heads(weight: Any, count: int) -> Any:
    """Outputs × inputs as heads × inputs × outputs."""
    return weight.unflatten(0, (count, -1)).transpose(1, 2)


def gpt2() -> dict[str, Any]:
    """Two heads of four features; its linear maps are stored as inputs × outputs, queries, keys and values as one."""
    config = transformers.GPT2Config(
        vocab_size=7, n_positions=6, n_embd=8, n_layer=2, n_head=2, attn_implementation="eager"
    )
    model = randomized(transformers.GPT2LMHeadModel(config))
    layers = []
    for block in model.transformer.h:
        weights, biases = block.attn.c_attn.weight.chunk(3, dim=1), block.attn.c_attn.bias.chunk(3)
        layer: dict[str, Any] = {"norm_1": norm(block.ln_1), "norm_2": norm(block.ln_2)}
        layer["projections"] = [
            {"W": heads(weight.T, 2), "b": b.unflatten(0, (2, -1))} for weight, b in zip(weights, biases, strict=True)
        ]
        layer["joining"] = {"W_o": block.attn.c_proj.weight, "b_o": block.attn.c_proj.bias}
        layer["feed_forward"] = {
            "W_1": block.mlp.c_fc.weight, "b_1": block.mlp.c_fc.bias,
            "W_2": block.mlp.c_proj.weight, "b_2": block.mlp.c_proj.bias,
        }  # fmt: skip
        layers.append(layer)
    body = model.transformer
    weights = {"E": body.wte.weight, "P": body.wpe.weight, "layers": layers, "norm": norm(body.ln_f)}
    return {"weights": weights, **outputs(model, torch.tensor(TOKENS))}


def norm(module: Any) -> dict[str, Any]:
    """Gain and bias."""
    return {"gamma": module.weight, "beta": module.bias}


def mixtral() -> dict[str, Any]:
    """Four heads, of which two share keys; three experts, of which two are chosen; the published base of rotations."""
    config = transformers.MixtralConfig(
        vocab_size=7, hidden_size=8, intermediate_size=5, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=4, num_local_experts=3, num_experts_per_tok=2, attn_implementation="eager",
        experts_implementation="eager",
    )  # fmt: skip
    model = randomized(transformers.MixtralForCausalLM(config))
    layers = []
    for block in model.model.layers:
        attention, experts = block.self_attn, block.mlp.experts
        gate, up = experts.gate_up_proj.chunk(2, dim=1)
        layers.append({
            "norm_1": block.input_layernorm.weight,
            "norm_2": block.post_attention_layernorm.weight,
            "projections": [
                {"W": heads(attention.q_proj.weight, 4)},
                {"W": heads(attention.k_proj.weight, 2)},
                {"W": heads(attention.v_proj.weight, 2)},
            ],
            "joining": attention.o_proj.weight.T,
            "experts": {
                "W_r": block.mlp.gate.weight.T, "W_g": gate.transpose(1, 2), "W_u": up.transpose(1, 2),
                "W_d": experts.down_proj.transpose(1, 2),
            },
        })  # fmt: skip
    body = model.model
    weights = {"E": body.embed_tokens.weight, "layers": layers, "norm": body.norm.weight, "W": model.lm_head.weight}
    facts = {"base": config.rope_parameters["rope_theta"], "epsilon": config.rms_norm_eps}
    return {"weights": weights, "facts": facts, **outputs(model, torch.tensor(TOKENS))}


def resnet() -> dict[str, Any]:
    """A stem, two stages of bottlenecks, the second at half the resolution, and a classifier."""
    config = transformers.ResNetConfig(
        embedding_size=3, hidden_sizes=[8, 12], depths=[2, 1], layer_type="bottleneck", num_labels=5
    )
    model = randomized(transformers.ResNetForImageClassification(config))
    body = model.resnet
    stages = []
    for stage in body.encoder.stages:
        layers = [
            {
                "convolutions": [convolution(one) for one in block.layer],
                "shortcut": convolution(block.shortcut) if hasattr(block.shortcut, "convolution") else None,
            }
            for block in stage.layers
        ]
        stages.append(layers)
    head = {"W": model.classifier[1].weight, "b": model.classifier[1].bias}
    weights = {"stem": convolution(body.embedder.embedder), "stages": stages, "head": head}
    images = torch.round(torch.randn(2, 3, 21, 18, dtype=torch.float64), decimals=3)
    return {"weights": weights, **outputs(model, images)}


def convolution(module: Any) -> dict[str, Any]:
    """A kernel and its normalization, with what they are called with."""
    return {
        "kernel": module.convolution.weight,
        "norm": norm(module.normalization)
        | {"mean": module.normalization.running_mean, "variance": module.normalization.running_var},
        "options": {"stride": module.convolution.stride[0], "padding": module.convolution.padding[0]},
        "epsilon": module.normalization.eps,
    }


if __name__ == "__main__":
    main()
