"""The seam, encoders, attentions, and one file per task family."""
