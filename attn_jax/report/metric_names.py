"""What each metric is called in words, for readers who have not seen the code."""

import re

_NAMES = {
    "f1": "F1 of class 1",
    "micro_f1": "Micro-averaged F1",
    "macro_f1": "F1, mean of the classes",
    "accuracy": "Accuracy",
    "majority_share": "Accuracy of always giving the commonest answer",
    "length_mean": "Words an instance",
    "max_attention_mean": "Largest attention weight",
    "tau_gradient_mean": "Kendall's τ, attention and gradient",
    "tau_loo_mean": "Kendall's τ, attention and deletion",
    "tau_gradient_loo_mean": "Kendall's τ, gradient and deletion",
    "tau_gradient_shuffled_mean": "Kendall's τ, shuffled attention and gradient (null)",
    "tau_loo_shuffled_mean": "Kendall's τ, shuffled attention and deletion (null)",
    "tau_gradient_loo_minus_tau_gradient_mean": "τ of gradient and deletion, minus that with attention",
    "tau_gradient_loo_minus_tau_loo_mean": "τ of deletion and gradient, minus that with attention",
    "permutation_median_tvd_mean": "Change of the output when the weights are shuffled (TVD)",
    "permutation_can_flip_share": "Some order of the weights changes the decision",
    "peaked_share": "Some weight is at least 0.5 (peaked)",
    "permutation_little_when_peaked_share": "Shuffling peaked weights moves the output by less than 0.05",
    "search_feasible_share": "The search found an adversary",
    "search_jsd_mean": "ε-max JSD, found by the search",
    "exact_jsd_mean": "ε-max JSD, exact",
    "null_jsd_mean": "ε-max JSD, null",
    "exact_upper_bound_mean": "ε-max JSD, upper bound",
    "exact_minus_search_jsd_mean": "ε-max JSD, exact minus search",
    "exact_minus_null_jsd_mean": "ε-max JSD, exact minus null",
    "bound_jsd_low_mean": "ε-max JSD, at least (decoder not affine)",
    "bound_jsd_high_mean": "ε-max JSD, at most (decoder not affine)",
    "permuted_jsd_low_mean": "Largest JSD of a reordering that keeps the output: at least",
    "permuted_jsd_high_mean": "Largest JSD of a reordering that keeps the output: at most",
    "flip_share": "Erasing attention can change the decision",
    "flip_fraction_mean": "Smallest set that changes it, share of the words",
    "vocab_size": "Vocabulary",
    "avg_length": "Words an instance",
    "train_size": "Train instances",
    "test_size": "Test instances",
    "f1_trained": "F1, trained attention",
    "f1_drop_uniform": "Change of F1, uniform attention",
    "f1_drop_permuted": "Change of F1, permuted attention",
    "mutual_information_most_frequent": "Mutual information, most frequent words",
    "mutual_information_random_sample": "Mutual information, random sample",
    "per_token_probability": "Per-token probability",
    "accuracy_change": "Change of accuracy",
    "bleu": "BLEU",
    "bleu_change": "Change of BLEU",
    "cohen_kappa": "Cohen's kappa",
    "auprc_base_rate_mean": "Planted words, random ranking (AUPRC)",
    "auprc_attention_mean": "Planted words, attention (AUPRC)",
    "auprc_gradient_x_input_mean": "Planted words, gradient (AUPRC)",
    "auprc_loo_mean": "Planted words, deletion (AUPRC)",
    "auprc_attention_minus_base_rate_mean": "Planted words, attention minus random",
    "auprc_attention_minus_gradient_x_input_mean": "Planted words, attention minus gradient",
    "auprc_attention_minus_loo_mean": "Planted words, attention minus deletion",
}
_FAMILIES = (
    (r"f1_trained_minus_(.+)", r"F1, minus that of \1"),
    (r"f1_drop_(.+)_minus_(.+)", r"Change of F1, \1 attention, minus that of \2"),
    (r"exact_minus_null_jsd_above_(.+)_share", r"ε-max JSD above \1, exact minus null"),
    (
        r"exact_minus_null_jsd_max_attention_spearman",
        r"Max attention and ε-max JSD (Spearman), exact minus null",
    ),
    (r"(search|exact|null)_jsd_max_attention_spearman", r"Max attention and ε-max JSD (Spearman), \1"),
    (r"curve_jsd_mean@(.+)", r"ε-max JSD, exact, at ε = \1"),
    (r"curve_null_jsd_mean@(.+)", r"ε-max JSD, null, at ε = \1"),
    (r"(search|exact|null)_jsd_above_(.+)_share", r"ε-max JSD above \2, \1"),
)
_PAIRS = {
    "tau_gradient_loo": "gradient and deletion",
    "tau_gradient": "attention and gradient",
    "tau_loo": "attention and deletion",
}
_OF_A_PAIR = {
    "significant_fraction": "Significant at 0.05",
    "significant_fraction_adjusted": "Significant, false discovery rate 0.05",
    "undefined_count": "τ undefined (count)",
}


def describe(metric: str) -> str:
    """The name in words; the metric itself where there is none."""
    if metric in _NAMES:
        return _NAMES[metric]
    for pair, between in _PAIRS.items():
        suffix = metric.removeprefix(f"{pair}_")
        if suffix in _OF_A_PAIR:
            return f"{_OF_A_PAIR[suffix]}, {between}"
    for pattern, name in _FAMILIES:
        if re.fullmatch(pattern, metric):
            return re.sub(pattern, name, metric).replace("_", " ")
    return metric
