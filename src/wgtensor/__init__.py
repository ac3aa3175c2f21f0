"""wgtensor: tensors on any GPU, from Python, through WebGPU."""
