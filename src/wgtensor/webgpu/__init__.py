"""The WebGPU backend."""
