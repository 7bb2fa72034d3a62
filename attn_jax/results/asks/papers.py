"""What each side of the debate is called in the verdict table, and the limits that several tests share."""

JAIN_WALLACE = "Jain & Wallace (2019)"
WIEGREFFE_PINTER = "Wiegreffe & Pinter (2019)"
SERRANO_SMITH = "Serrano & Smith (2019)"
PRUTHI = "Pruthi et al. (2020)"
MOHANKUMAR = "Mohankumar et al. (2020)"
VASHISHTH = "Vashishth et al. (2019)"
BASTINGS_FILIPPOVA = "Bastings & Filippova (2020)"
READERS = "those who read attention as an explanation"

OFF_MANIFOLD = (
    "Erased, renormalised or permuted attention is off the manifold that the model was trained on: a change "
    "of the output may show the model's surprise instead of the token's part in the decision."
)
FIXED_STATES = "The states are held fixed, and each of them has read its neighbours."
CAUSAL = (
    "Whether a weight is a cause is not settled by changing it alone (Grimsley et al. 2020): an intervention "
    "on attention leaves the computation of everything before it in place."
)
THRESHOLDS_OURS = "The lines are our choice; no paper states them."
