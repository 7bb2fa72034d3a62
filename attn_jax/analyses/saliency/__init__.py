"""Saliency methods, all of one signature. A new one is one function and one line of `METHODS`."""

from attn_jax.analyses.saliency.attention import attention
from attn_jax.analyses.saliency.integrated_gradients import IntegratedGradients, ThroughAttention
from attn_jax.analyses.saliency.layered import Rollout, ValueWeighted
from attn_jax.analyses.saliency.lrp import LRP
from attn_jax.analyses.saliency.method import Method, saliency
from attn_jax.analyses.saliency.occlusion import Occlusion, deletion
from attn_jax.analyses.saliency.sensitivity import Sensitivity
from attn_jax.analyses.saliency.smoothgrad import SmoothGrad

METHODS: dict[str, Method] = {
    "attention": attention,
    "gradient_l1": Sensitivity("l1"),
    "gradient_l2": Sensitivity("l2"),
    "gradient_x_input": Sensitivity("times_input"),
    "integrated_gradients": IntegratedGradients(),
    "integrated_gradients_live": IntegratedGradients("live"),
    "integrated_gradients_through_attention": ThroughAttention(),
    "smoothgrad": SmoothGrad(),
    "occlusion_delete": deletion,
    "occlusion_zero": Occlusion("zero"),
    "occlusion_mask": Occlusion("unknown"),
    "occlusion_signed": Occlusion("zero", signed=True),
    "lrp": LRP(),
}

# In place of `attention`, for classifiers of many layers and heads.
LAYERED: dict[str, Method] = {"rollout": Rollout(), "value_weighted": ValueWeighted()}

__all__ = ["LAYERED", "METHODS", "Method", "saliency"]
