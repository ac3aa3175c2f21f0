"""The reduction family."""
