"""The contraction family."""
