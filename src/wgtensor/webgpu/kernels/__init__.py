"""Kernel families: planners (pure) and WGSL; one folder per family."""
