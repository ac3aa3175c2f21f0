"""The engine seam."""
