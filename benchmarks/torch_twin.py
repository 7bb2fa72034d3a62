"""A single-sequence classifier in PyTorch with our weights, and captum's saliency of it.

Needs the extra `captum`. The twin starts at the word vectors [B, T, E], where captum attributes.
"""
# pyright: reportMissingImports=false

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from captum.attr import LRP, FeatureAblation, InputXGradient, IntegratedGradients, NoiseTunnel, Saliency
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attn_jax.models import attentions, encoders
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.types import Params

__all__ = ["LRP", "Effort", "Texts", "Twin", "attribute", "linear"]


class Twin(nn.Module):
    """(x, valid, attendable, alpha) -> probabilities [B, C]; its own attention where alpha is None."""

    def __init__(self, model: SequenceClassifier, params: Params):
        super().__init__()
        width = params["embedding"]["table"]["embedding"].shape[1]
        self.encoder = _encoder(model.encoder, params["encoder"], width)
        self.score = _scores(model.attention, params.get("attention", {}))
        self.decoder = linear(params["decoder"]["dense"])

    def forward(self, x: Tensor, valid: Tensor, attendable: Tensor, alpha: Tensor | None = None) -> Tensor:
        """A single logit becomes the pair (1-p, p)."""
        states = self.encoder(x, valid)
        own = self.score(states).masked_fill(~attendable, -torch.inf).softmax(-1) if alpha is None else alpha
        logits = self.decoder((own[..., None] * states).sum(1))
        if logits.shape[1] == 1:
            return torch.cat([-logits, logits], 1).sigmoid()
        return logits.softmax(-1)


class Recurrent(nn.Module):
    """One BiLSTM layer over packed texts, as PyTorch's users write it."""

    def __init__(self, params: Params, width: int, hidden: int):
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        for name, end in (("forward_0", ""), ("backward_0", "_reverse")):
            own = params[name]
            values = {
                "weight_ih_l0": own["input"]["kernel"].T,
                "weight_hh_l0": own["recurrent"].T,
                "bias_ih_l0": own["input"]["bias"],
                "bias_hh_l0": np.zeros(4 * hidden),
            }
            for part, value in values.items():
                getattr(self.lstm, part + end).data.copy_(_tensor(value))

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:
        """States, 0 on padding."""
        packed = pack_padded_sequence(x, valid.sum(1), batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=x.shape[1])[0]


class Windows(nn.Module):
    """Convolutions of several widths."""

    def __init__(self, params: Params, width: int, filters: int, widths: tuple[int, ...]):
        super().__init__()
        self.maps = nn.ModuleList(nn.Conv1d(width, filters, size, padding=size // 2) for size in widths)
        for size, layer in zip(widths, self.maps, strict=True):
            own = params[f"width_{size}"]["dense"]
            kernel = np.asarray(own["kernel"]).reshape(size, width, filters).transpose(2, 1, 0)
            layer.weight.data.copy_(_tensor(kernel))  # pyright: ignore
            layer.bias.data.copy_(_tensor(own["bias"]))  # pyright: ignore

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:
        """States, 0 on padding."""
        found = torch.cat([layer(x.transpose(1, 2)) for layer in self.maps], 1).transpose(1, 2)
        return torch.relu(found) * valid[..., None]


class Each(nn.Module):
    """An affine map and ReLU at each token."""

    def __init__(self, params: Params):
        super().__init__()
        self.project = linear(params["project"]["dense"])

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:
        """States, 0 on padding."""
        return torch.relu(self.project(x)) * valid[..., None]


class Scores(nn.Module):
    """v . tanh(W h + b)."""

    def __init__(self, params: Params):
        super().__init__()
        self.states, self.score = (linear(params[name]["dense"]) for name in ("states", "score"))

    def forward(self, states: Tensor) -> Tensor:
        """One score a token."""
        return self.score(torch.tanh(self.states(states)))[..., 0]


class Texts(NamedTuple):
    """A batch as captum sees it."""

    x: Tensor  # [B, T, E]
    valid: Tensor
    attendable: Tensor
    alpha: Tensor  # the model's own attention
    said: Tensor  # the predicted class

    @property
    def frozen(self) -> tuple[Tensor, ...]:
        """What the twin is given where attention is held constant."""
        return self.valid, self.attendable, self.alpha

    @property
    def live(self) -> tuple[Tensor, ...]:
        """And where it is the model's own."""
        return self.valid, self.attendable


class Effort(NamedTuple):
    """How hard captum tries; `rows` are what integrated gradients differentiate at once."""

    steps: int
    samples: int
    deviation: float
    rows: int | None = None


def attribute(twin: Twin, name: str, texts: Texts, effort: Effort) -> Tensor:
    """The scores [B, T] of the method that we call `name`, by captum."""
    found = CAPTUM[name](twin, texts, effort)
    return torch.where(texts.attendable, found, 0.0).detach()


def _slope(twin: Twin, texts: Texts) -> Tensor:
    return Saliency(twin).attribute(texts.x, texts.said, abs=False, additional_forward_args=texts.frozen)


def _times_input(twin: Twin, texts: Texts, effort: Effort) -> Tensor:
    method = InputXGradient(twin)
    return method.attribute(texts.x, texts.said, additional_forward_args=texts.frozen).sum(-1).abs()


def _integrated(twin: Twin, texts: Texts, effort: Effort, args: tuple[Tensor, ...]) -> Tensor:
    baseline = torch.where(texts.attendable[..., None], 0.0, texts.x)
    found = IntegratedGradients(twin).attribute(
        texts.x,
        baseline,
        texts.said,
        additional_forward_args=args,
        n_steps=effort.steps,
        internal_batch_size=effort.rows,
    )
    return found.sum(-1)  # pyright: ignore


def _smooth(twin: Twin, texts: Texts, effort: Effort) -> Tensor:
    found = NoiseTunnel(Saliency(twin)).attribute(
        texts.x,
        nt_type="smoothgrad",
        nt_samples=effort.samples,
        nt_samples_batch_size=1,
        stdevs=effort.deviation,
        target=texts.said,
        abs=False,
        additional_forward_args=texts.frozen,
    )
    return found.norm(dim=-1)  # pyright: ignore


def _occluded(twin: Twin, texts: Texts, effort: Effort) -> Tensor:
    tokens = torch.arange(texts.x.shape[1])[None, :, None].expand(1, -1, texts.x.shape[2])
    method = FeatureAblation(twin)
    return method.attribute(
        texts.x, 0.0, texts.said, additional_forward_args=texts.live, feature_mask=tokens
    )[..., 0]


CAPTUM: dict[str, Callable[[Twin, Texts, Effort], Tensor]] = {
    "gradient_l1": lambda twin, texts, effort: _slope(twin, texts).norm(p=1, dim=-1),
    "gradient_l2": lambda twin, texts, effort: _slope(twin, texts).norm(dim=-1),
    "gradient_x_input": _times_input,
    "integrated_gradients": lambda twin, texts, effort: _integrated(twin, texts, effort, texts.frozen),
    "integrated_gradients_live": lambda twin, texts, effort: _integrated(twin, texts, effort, texts.live),
    "smoothgrad": _smooth,
    "occlusion_signed": _occluded,
}


def _encoder(encoder: Any, params: Params, width: int) -> nn.Module:
    if isinstance(encoder, encoders.BiLSTM) and encoder.layers == 1:
        return Recurrent(params, width, encoder.hidden)
    if isinstance(encoder, encoders.CNN):
        return Windows(params, width, encoder.filters, encoder.widths)
    if isinstance(encoder, encoders.Average):
        return Each(params)
    raise ValueError(f"no twin of {encoder}")


def _scores(attention: Any, params: Params) -> nn.Module:
    if isinstance(attention, attentions.Additive):
        return Scores(params)
    raise ValueError(f"no twin of {attention}")


def linear(params: Params) -> nn.Linear:
    """The layer of a kernel [I, O] and perhaps a bias."""
    kernel = np.asarray(params["kernel"])
    layer = nn.Linear(*kernel.shape, bias="bias" in params)
    layer.weight.data.copy_(_tensor(kernel.T))
    if "bias" in params:
        layer.bias.data.copy_(_tensor(params["bias"]))
    return layer


def _tensor(values: Any) -> Tensor:
    return torch.from_numpy(np.array(values, np.float32))
