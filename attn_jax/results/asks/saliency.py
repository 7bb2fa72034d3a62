"""What those who prefer saliency methods ask, and what is asked of these methods in turn."""

from attn_jax.results.asks.papers import (
    BASTINGS_FILIPPOVA,
    JAIN_WALLACE,
    OFF_MANIFOLD,
    READERS,
    THRESHOLDS_OURS,
)
from attn_jax.results.debate import Ask

_RATIONALES = "a corpus whose decisive tokens are known or marked by people"
_OTHERS = {"gradient": "gradient_l2", "LRP": "lrp", "occlusion": "occlusion_signed"}

ASKS = (
    Ask(
        test="saliency",
        question="Does attention order the tokens as integrated gradients do?",
        answer="tau_attention_integrated_gradients_mean",
        measure="Kendall's tau of attention and the magnitude of integrated gradients",
        low=JAIN_WALLACE,
        high=READERS,
        little=0.4,
        much=0.7,
        null="tau_integrated_gradients_shuffled_mean",
        ceiling="tau_integrated_gradients_seeds_mean",
        beside={f"with {words}": f"tau_attention_{name}_mean" for words, name in _OTHERS.items()}
        | {"attention of another seed": "tau_attention_seeds_mean"},
        limits=(THRESHOLDS_OURS, "Integrated gradients start at zero vectors, a text that nobody wrote."),
    ),
    Ask(
        test="saliency",
        question="Does removing attention's top tokens cost more than removing integrated gradients'?",
        answer="aopc_comprehensiveness_attention_minus_integrated_gradients_mean",
        measure="comprehensiveness (AOPC) of attention minus that of integrated gradients",
        low=BASTINGS_FILIPPOVA,
        high=READERS,
        beside={
            "attention": "aopc_comprehensiveness_attention_mean",
            "integrated gradients": "aopc_comprehensiveness_integrated_gradients_mean",
            "occlusion": "aopc_comprehensiveness_occlusion_signed_mean",
            "shuffled attention": "aopc_comprehensiveness_shuffled_mean",
            "the difference where weights are erased instead of tokens": (
                "aopc_comprehensiveness_attention_minus_integrated_gradients_mean@renormalise"
            ),
            "and where tokens become unknown": (
                "aopc_comprehensiveness_attention_minus_integrated_gradients_mean@mask"
            ),
        },
        limits=(OFF_MANIFOLD,),
    ),
    Ask(
        test="saliency",
        question="Do attention's top tokens alone keep the prediction better than integrated gradients' do?",
        answer="aopc_sufficiency_attention_minus_integrated_gradients_mean",
        measure="sufficiency (AOPC, low is faithful) of attention minus that of integrated gradients",
        low=READERS,
        high=BASTINGS_FILIPPOVA,
        beside={
            "attention": "aopc_sufficiency_attention_mean",
            "integrated gradients": "aopc_sufficiency_integrated_gradients_mean",
            "shuffled attention": "aopc_sufficiency_shuffled_mean",
            "the difference where weights are erased instead of tokens": (
                "aopc_sufficiency_attention_minus_integrated_gradients_mean@renormalise"
            ),
            "and where tokens become unknown": (
                "aopc_sufficiency_attention_minus_integrated_gradients_mean@mask"
            ),
        },
        limits=(OFF_MANIFOLD,),
    ),
    Ask(
        test="saliency",
        question="Does attention point at the tokens that are known to decide?",
        answer="plausible_auprc_attention_mean",
        measure="area under precision and recall of attention for the rationale",
        null="plausible_auprc_shuffled_mean",
        beside={
            "integrated gradients": "plausible_auprc_integrated_gradients_mean",
            "occlusion": "plausible_auprc_occlusion_signed_mean",
            "token F1": "plausible_token_f1_attention_mean",
            "IOU F1": "plausible_iou_f1_attention_mean",
        },
        limits=("What convinces people need not be what moves the model (Jacovi & Goldberg 2020).",),
        needs=_RATIONALES,
    ),
    Ask(
        test="saliency",
        question="Do integrated gradients add up to the change that they explain?",
        answer="residual_integrated_gradients_complete_share",
        measure="share of instances whose residual is below 1 % of the change, at 64 points",
        beside={"mean residual": "residual_integrated_gradients_mean"},
    ),
    Ask(
        test="sanity",
        question="Does attention say something else once the weights are drawn anew?",
        answer="randomised_attention_tau_mean",
        measure="Kendall's tau of attention before and after, 0 where nothing is left of it",
        beside={
            "gradient": "randomised_gradient_l2_tau_mean",
            "gradient x input": "randomised_gradient_x_input_tau_mean",
            "integrated gradients": "randomised_integrated_gradients_tau_mean",
            "LRP": "randomised_lrp_tau_mean",
        },
        limits=("The word vectors are kept, so what rests on them alone stays.",),
    ),
    Ask(
        test="sanity",
        question="Which scores change though the model says the same of every text?",
        answer="shifted_gradient_x_input_tau_mean",
        measure="Kendall's tau of gradient x input before and after a constant shift of the word vectors",
        ceiling="shifted_attention_tau_mean",
        beside={
            "gradient": "shifted_gradient_l2_tau_mean",
            "integrated gradients": "shifted_integrated_gradients_tau_mean",
            "LRP": "shifted_lrp_tau_mean",
            "the output moved by": "shifted_output_tvd_mean",
        },
        needs="one text an instance and an encoder whose first layer sees one token at a time",
    ),
    Ask(
        test="roar",
        question="Is a model trained without attention's top tokens worse than one without random tokens?",
        answer="roar_random_minus_attention_accuracy",
        measure="accuracy after retraining without random tokens minus that without attention's",
        low=JAIN_WALLACE,
        high=READERS,
        little=0.0,
        much=0.05,
        beside={
            "nothing removed": "roar_whole_accuracy",
            "random": "roar_random_accuracy",
            "attention's": "roar_attention_accuracy",
            "gradient x input's": "roar_gradient_x_input_accuracy",
            "LRP's": "roar_lrp_accuracy",
        },
        limits=(
            THRESHOLDS_OURS,
            "What one model used, another can do without: removing shows the corpus too.",
        ),
        needs="a corpus of at most 10,000 train instances",
    ),
)
