"""Stub."""
def prepare_dot_general(runtime, request): raise NotImplementedError
