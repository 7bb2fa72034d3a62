"""Scores of predictions, on the host, by scikit-learn."""

import numpy as np
from sklearn import metrics


def decisions(logits: np.ndarray) -> np.ndarray:
    """Predicted classes [N] of logits [N, C]; a single logit decides at 0."""
    return (logits[:, 0] > 0).astype(int) if logits.shape[1] == 1 else logits.argmax(1)


def accuracy(logits: np.ndarray, labels: np.ndarray) -> float:
    """Share of right decisions."""
    return float(metrics.accuracy_score(labels, decisions(logits)))


def selection(logits: np.ndarray, labels: np.ndarray) -> tuple[str, float]:
    """What the best epoch is chosen by: ROC-AUC for one logit, accuracy above (J&W's released code).

    ROC-AUC needs both classes; a dev split with one of them is judged by accuracy.
    """
    if logits.shape[1] == 1 and len(set(labels.tolist())) == 2:
        return "roc_auc", float(metrics.roc_auc_score(labels, logits[:, 0]))
    return "accuracy", accuracy(logits, labels)
