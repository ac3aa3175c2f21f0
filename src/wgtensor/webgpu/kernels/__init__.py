"""Kernel families: planners (pure) and WGSL; one folder per family."""

__all__: list[str] = []
